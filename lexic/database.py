"""Database connections around work that is not the database's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections


@contextmanager
def release_connections() -> Iterator[None]:
    """At the end of the block no connection is held: it goes back to the pool while a language model talks.

    Inside a transaction (a test's, say) the connection stays.
    """
    try:
        yield
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()
