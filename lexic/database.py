"""Snapshots of the database, and its connections around work that is not the database's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection, connections, transaction

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def read_snapshot() -> Iterator[None]:
    """All reads of the block see the database as it is at the first of them. Inside a transaction they see what it
    sees."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def release_connections() -> Iterator[None]:
    """At the end of the block no connection is held: it goes back to the pool while a language model talks.

    Inside a transaction (a test's, say) the connection stays.
    """
    try:
        yield
    finally:
        for each in connections.all(initialized_only=True):
            if not each.in_atomic_block:
                each.close()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the work gives, done on a thread: that of the database and of the processor, off the event loop. Its
    connection is free again when this returns.

    The thread is that of the request, so that all see one transaction; another one where the request is over, as for
    the row of a question whose caller has left.
    """
    has_begun = False

    def run() -> T:
        nonlocal has_begun
        has_begun = True
        with release_connections():
            return work(*args, **kwargs)

    try:
        return await sync_to_async(run)()
    except RuntimeError:  # asgiref's, where the thread of the request takes nothing up any more
        if has_begun:
            raise
        return await sync_to_async(run, thread_sensitive=False)()
