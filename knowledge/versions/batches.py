"""Batches of long work: each is embedded, written or committed by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db.models import QuerySet

T = TypeVar("T")

# Called with how many items (texts, chunks, notes or addresses) are done, and how many there are.
OnProgress = Callable[[int, int], None]
# Called with the name of a row that cannot be read, and is left as it is.
OnDamaged = Callable[[str], None]


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of this size; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def id_batches(rows: QuerySet[Any], size: int) -> Iterator[list[int]]:
    """The ids of the rows, in order, in lists of this size. Each list is looked up once the one before is done with."""
    last = 0
    while ids := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:size]):
        yield ids
        last = ids[-1]
