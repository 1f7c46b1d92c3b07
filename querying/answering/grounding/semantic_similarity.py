"""Nearness in meaning, by the local embedder: a second opinion where words alone leave a doubt.

Vectors of words and sentences are remembered, for claims and passages share most of them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import get_embedder
from knowledge.embedders.base import EmbedderError

# 384 half floats each, so some 6 MB a process.
MAX_CACHED_VECTORS = 8000
_MAX_TEXT_LENGTH = 600

HalfVector = NDArray[np.float16]
_vector_cache: OrderedDict[str, HalfVector] = OrderedDict()
_cache_lock = threading.Lock()


def similarities(one: str, others: Sequence[str]) -> list[float]:
    """The cosine of each of the others with the one; zeros when there is no embedder."""
    found = _cached_vectors([one, *others])
    if not found:
        return [0.0] * len(others)
    mine = found[one[:_MAX_TEXT_LENGTH]].astype(np.float32)
    return [float(mine @ found[other[:_MAX_TEXT_LENGTH]].astype(np.float32)) for other in others]


def most_similar(word: str, others: Iterable[str]) -> tuple[float, str]:
    """The word that means most nearly the same, and how nearly; (0.0, "") among none."""
    known = sorted(others)
    scored = zip(similarities(word, known), known, strict=True)
    return max(scored, default=(0.0, ""))


def cache_vectors(texts: Iterable[str]) -> None:
    """Embed these in one batch, so that asking for each is free."""
    _cached_vectors(list(texts))


def _cached_vectors(texts: Sequence[str]) -> dict[str, HalfVector]:
    wanted = list(dict.fromkeys(text[:_MAX_TEXT_LENGTH] for text in texts))
    with _cache_lock:
        found = {text: _vector_cache[text] for text in wanted if text in _vector_cache}
    if missing := [text for text in wanted if text not in found]:
        try:
            rows = get_embedder("local").embed(missing)
        except EmbedderError:
            return {}
        found |= dict(zip(missing, rows.astype(np.float16), strict=True))
    _store_vectors({text: found[text] for text in wanted})
    return found


def _store_vectors(vectors: dict[str, HalfVector]) -> None:
    with _cache_lock:
        for text, vector in vectors.items():
            _vector_cache[text] = vector
            _vector_cache.move_to_end(text)
        while len(_vector_cache) > MAX_CACHED_VECTORS:
            _vector_cache.popitem(last=False)
