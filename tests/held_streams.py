"""A visitor who holds a place among the questions that are answered at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import cache
from django.test import RequestFactory

from accounts import quotas, visitors


@contextmanager
def stream_of_visitor(address: str = "127.0.0.1") -> Iterator[None]:
    """A question from this address is being answered inside the block."""
    visitor = visitors.visitor_id(RequestFactory().get("/", REMOTE_ADDR=address))
    names = [cache.make_key(f"streams:visitor:{visitor}")]
    quotas._take_slot(names, [0], "held")
    try:
        yield
    finally:
        quotas._free_slot(names, "held")
