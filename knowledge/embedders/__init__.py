"""Embedders by name: `local`, `openai`, `openai:MODEL`, `openai:MODEL:DIMENSIONS`, `server:MODEL:DIMENSIONS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from knowledge.embedders.base import Embedder, EmbedderError, EmbedderRejected, EmbedderUnavailable, UnknownEmbedder
from knowledge.embedders.local import LocalEmbedder
from knowledge.embedders.openai import OpenAIEmbedder, ServerEmbedder, close_clients

__all__ = [
    "EMBEDDERS",
    "Embedder",
    "EmbedderError",
    "EmbedderRejected",
    "EmbedderUnavailable",
    "LocalEmbedder",
    "OpenAIEmbedder",
    "ServerEmbedder",
    "UnknownEmbedder",
    "clear_embedders",
    "get_embedder",
    "local_embedder",
]

# The first part of an embedder's name, and what builds it from the whole name.
EMBEDDERS: dict[str, Callable[[str], Embedder]] = {
    "local": LocalEmbedder,
    "openai": OpenAIEmbedder,
    "server": ServerEmbedder,
}

_embedders_by_name: dict[str, Embedder] = {}


def get_embedder(name: str) -> Embedder:
    """The one embedder of this name in this process. Nothing is loaded or connected before its first use.

    Raises UnknownEmbedder when the name means nothing.
    """
    if embedder := _embedders_by_name.get(name):
        return embedder
    prefix = name.partition(":")[0]
    if prefix not in EMBEDDERS:
        raise UnknownEmbedder(f"There is no embedder named {name[:80]!r}; there are: {', '.join(EMBEDDERS)}.")
    # Building is cheap, so two threads may both do it; setdefault is atomic and only one of the two is kept.
    return _embedders_by_name.setdefault(name, EMBEDDERS[prefix](name))


def local_embedder() -> LocalEmbedder:
    """The offline embedder, which also has token states."""
    return cast(LocalEmbedder, get_embedder("local"))


def clear_embedders() -> None:
    """Drop every embedder with its model, connections and remembered questions, say after settings changed."""
    _embedders_by_name.clear()
    close_clients()
