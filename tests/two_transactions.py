"""Two transactions at once: one holds its locks, and the other waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any, TypeVar

from django.db import connection

from lexic.database import release_connections

T = TypeVar("T")
U = TypeVar("U")
PATIENCE = 120.0  # seconds; a machine may be busy
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def wait_in_turn(first: Callable[[Callable[[], None]], T], second: Callable[[], U]) -> tuple[T, U]:
    """Runs both on threads of their own, and returns what they return. `first` is given a function that it calls while
    it holds its locks: that returns when `second` waits for one of them. What either raises is raised here."""
    is_held, may_end = Event(), Event()

    def hold() -> None:
        is_held.set()
        assert may_end.wait(PATIENCE)

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(_on_own_connection, lambda: first(hold))
        while not is_held.wait(0.01):
            if holding.done():
                holding.result()
                raise AssertionError("it held nothing")
        waiting = pool.submit(_on_own_connection, second)
        try:
            _wait_for_lock(waiting)
        finally:
            may_end.set()
        return holding.result(PATIENCE), waiting.result(PATIENCE)


def _on_own_connection(work: Callable[[], T]) -> T:
    """The thread's connection, which nobody else would close, is closed after it."""
    with release_connections():
        return work()


def _wait_for_lock(other: Future[Any]) -> None:
    """Until the other thread waits for a lock of the database."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute(_WAITING)
            [count] = cursor.fetchone() or [0]
        if count:
            return
        assert not other.done(), "it did not wait"
        time.sleep(0.01)
    raise AssertionError("it never began")
