"""A request slot as the middleware gives one, around what a view calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from asgiref.sync import async_to_sync

from lexic.concurrency import ConcurrencyLimit
from lexic.middleware import request_limit


@contextmanager
def held_request_slot() -> Iterator[ConcurrencyLimit]:
    """The limit of which the code of the block holds the only slot."""
    limit = ConcurrencyLimit(slots=1, queue=0)
    place = limit.enter()
    async_to_sync(place.take_slot)()
    token = request_limit._place.set(place)
    try:
        yield limit
    finally:
        request_limit._place.reset(token)
