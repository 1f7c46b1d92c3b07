"""What has been embedded is not embedded again: tests read the same few handbooks some two thousand times.

The vectors lie under var/tests, for the processes of a run and for later runs, in a folder named by a hash of all that
decides what they are. The tests of the embedder itself do without (`tests/knowledge/embedders`)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.embedders import LocalEmbedder
from knowledge.embedders.base import EmbeddedChunk
from tests import prepared

really_embed_batch = LocalEmbedder.embed_batch
really_embed_chunks = LocalEmbedder.embed_chunks
# A folder with more files is begun anew; a run makes some two thousand.
MANY = 20_000
_DECIDING = ["knowledge/embedders/*.py", "requirements.lock", "tests/embedding.py"]

_folder = prepared.KEPT / f"vectors-{prepared.fingerprint(_DECIDING)}"
_known: dict[str, Any] = {}


def install() -> None:
    prepared.remove_older("vectors-*", but=_folder)
    if _folder.exists() and sum(1 for _ in _folder.iterdir()) > MANY:
        shutil.rmtree(_folder, ignore_errors=True)
    _folder.mkdir(parents=True, exist_ok=True)
    LocalEmbedder.embed_batch = _embed_batch
    LocalEmbedder.embed_chunks = _embed_chunks


def _embed_batch(self: LocalEmbedder, texts: Sequence[str]) -> Any:
    """By whole batches: a text's vector differs in its last bits with those that are embedded beside it."""
    name = hashlib.sha256(json.dumps([self._precision, *texts]).encode()).hexdigest()
    if name not in _known:
        _known[name] = _load_or_embed(self, texts, _folder / f"{name}.npy")
    return _known[name].copy()


def _load_or_embed(embedder: LocalEmbedder, texts: Sequence[str], path: Path) -> Any:
    with contextlib.suppress(OSError, ValueError, EOFError):
        return np.load(path)
    vectors = really_embed_batch(embedder, texts)
    unfinished = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # not kept: the next process embeds them again
        with unfinished.open("wb") as file:
            np.save(file, vectors)
        unfinished.rename(path)
    return vectors


def _embed_chunks(
    self: LocalEmbedder, texts: Sequence[tuple[str, str]], *, keeps_states: bool = False
) -> list[EmbeddedChunk]:
    if not keeps_states:
        return really_embed_chunks(self, texts)
    name = hashlib.sha256(json.dumps(["chunks", self._precision, *texts]).encode()).hexdigest()
    if name not in _known:
        _known[name] = _load_or_embed_chunks(self, texts, _folder / f"{name}.npz")
    return list(_known[name])


def _load_or_embed_chunks(embedder: LocalEmbedder, texts: Sequence[tuple[str, str]], path: Path) -> list[EmbeddedChunk]:
    with contextlib.suppress(OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return _read_chunks(path)
    chunks = really_embed_chunks(embedder, texts, keeps_states=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    states = [one for chunk in chunks for one in chunk.states]
    with contextlib.suppress(OSError), unfinished.open("wb") as file:
        np.savez(
            file,
            vectors=np.concatenate([chunk.vectors for chunk in chunks]) if chunks else np.empty((0, 384), np.float16),
            windows=[len(chunk.vectors) for chunk in chunks],
            lengths=[len(one) for one in states],
            states=np.frombuffer(b"".join(states), np.uint8),
        )
        unfinished.rename(path)
    return chunks


def _read_chunks(path: Path) -> list[EmbeddedChunk]:
    with np.load(path) as kept:
        vectors, windows, lengths, states = (kept[name] for name in ("vectors", "windows", "lengths", "states"))
    ends, places = np.cumsum(windows), [0, *np.cumsum(lengths)]
    return [
        EmbeddedChunk(
            vectors=vectors[end - count : end],
            states=tuple(states[places[at] : places[at + 1]].tobytes() for at in range(end - count, end)),
        )
        for end, count in zip(ends, windows, strict=True)
    ]
