"""Questions that are about the same thing, found by what they mean. No service is asked, and the same questions make
the same groups."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache

from knowledge.embedders import get_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMBEDDER_NAME = "local"
# Two questions whose vectors are at least this close are about the same thing.
SIMILARITY_THRESHOLD = 0.7
# What a question is about is said in its beginning; reading all of a long one would make the page slow.
_MAX_BEGINNING_CHARACTERS = 400
_CACHE_SECONDS = 30 * 24 * 3600


def group_similar(
    vectors: NDArray[np.float32], *, weights: Sequence[float], threshold: float = SIMILARITY_THRESHOLD
) -> list[list[int]]:
    """The rows of `vectors` [n, dimensions], of length one, in groups of at least one; every row is in one of them.

    The heaviest row left (the most central of equals, then the earliest) leads a group and takes all rows left that
    are at least `threshold` close to it, nearest first. The leader stands first in its group.
    """
    if not len(vectors):
        return []
    alike = vectors @ vectors.T
    central = (alike >= threshold).sum(axis=1)
    leaders = sorted(range(len(vectors)), key=lambda row: (-weights[row], -central[row], row))
    left, found = set(leaders), []
    for leader in leaders:
        if leader in left:
            near = [row for row in left - {leader} if alike[leader, row] >= threshold]
            found.append([leader, *sorted(near, key=lambda row: (-alike[leader, row], row))])
            left.difference_update(found[-1])
    return found


def question_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """float32 [len(texts), dimensions], rows of length one. Those of texts seen before come from the cache.

    Raises EmbedderError.
    """
    embedder = get_embedder(EMBEDDER_NAME)
    beginnings = [" ".join(text.split())[:_MAX_BEGINNING_CHARACTERS] for text in texts]
    hashes = (hashlib.sha256(text.encode(errors="replace")).hexdigest() for text in beginnings)
    keys = [f"topic:{embedder.name}:{digest}" for digest in hashes]
    known = {key: np.frombuffer(kept, np.float32) for key, kept in cache.get_many(set(keys)).items()}
    missing = {key: text for key, text in zip(keys, beginnings, strict=True) if key not in known}
    fresh = dict(zip(missing, embedder.embed(list(missing.values())), strict=True))
    cache.set_many({key: vector.tobytes() for key, vector in fresh.items()}, _CACHE_SECONDS)
    found = [fresh[key] if key in fresh else known[key] for key in keys]
    return np.stack(found) if found else np.empty((0, embedder.dimensions), np.float32)
