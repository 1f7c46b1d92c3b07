"""What has been embedded is not embedded again: tests read the same few handbooks some two thousand times.

The vectors lie under var/tests, for the processes of a run and for later runs, in a folder named by a hash of all that
decides what they are. The tests of the embedder itself do without (`tests/knowledge/embedders`)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.embedders import LocalEmbedder
from tests import prepared

really_embed_batch = LocalEmbedder.embed_batch
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
