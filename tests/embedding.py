"""What this process has embedded is not embedded again: tests read the same few handbooks some two thousand times.
The tests of the embedder itself do without (`tests/knowledge/embedders`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledge.embedders import LocalEmbedder

really_embed_batch = LocalEmbedder.embed_batch
_known: dict[tuple[str, ...], Any] = {}


def install() -> None:
    LocalEmbedder.embed_batch = _embed_batch


def _embed_batch(self: LocalEmbedder, texts: Sequence[str]) -> Any:
    """By whole batches: a text's vector differs in its last bits with those that are embedded beside it."""
    key = tuple(texts)
    if key not in _known:
        _known[key] = really_embed_batch(self, texts)
    return _known[key].copy()
