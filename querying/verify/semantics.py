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
REMEMBERED = 8000
_LONGEST = 600

Vector = NDArray[np.float16]
_kept: OrderedDict[str, Vector] = OrderedDict()
_lock = threading.Lock()


def nearness(one: str, others: Sequence[str]) -> list[float]:
    """The cosine of each of the others with the one; zeros when there is no embedder."""
    found = _vectors([one, *others])
    if not found:
        return [0.0] * len(others)
    mine = found[one[:_LONGEST]].astype(np.float32)
    return [float(mine @ found[other[:_LONGEST]].astype(np.float32)) for other in others]


def nearest(word: str, others: Iterable[str]) -> tuple[float, str]:
    """The word that means most nearly the same, and how nearly; (0.0, "") among none."""
    known = sorted(others)
    scored = zip(nearness(word, known), known, strict=True)
    return max(scored, default=(0.0, ""))


def remember(texts: Iterable[str]) -> None:
    """Embed these in one batch, so that asking for each is free."""
    _vectors(list(texts))


def _vectors(texts: Sequence[str]) -> dict[str, Vector]:
    wanted = list(dict.fromkeys(text[:_LONGEST] for text in texts))
    with _lock:
        found = {text: _kept[text] for text in wanted if text in _kept}
    if missing := [text for text in wanted if text not in found]:
        try:
            rows = get_embedder("local").embed(missing)
        except EmbedderError:
            return {}
        found |= dict(zip(missing, rows.astype(np.float16), strict=True))
    _keep({text: found[text] for text in wanted})
    return found


def _keep(vectors: dict[str, Vector]) -> None:
    with _lock:
        for text, vector in vectors.items():
            _kept[text] = vector
            _kept.move_to_end(text)
        while len(_kept) > REMEMBERED:
            _kept.popitem(last=False)
