"""Batches of long work: each is embedded, written or committed by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

# Called with how many items (texts, chunks, notes or addresses) are done, and how many there are.
OnProgress = Callable[[int, int], None]


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of this size; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
