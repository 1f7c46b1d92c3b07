"""How many do one kind of work at once in this process. The others wait in the order in which they came."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager

from lexic.errors import LexicError

# How much the last turn counts in the mean that tells others how long they wait.
_NEWEST_WEIGHT = 0.1


class Overloaded(LexicError):
    """Too many wait for this server at the moment."""

    code = "overloaded"
    status = 503

    def __init__(self, *, seconds: float) -> None:
        self.retry_after = max(1, math.ceil(seconds))
        super().__init__(hint=f"Try again in {self.retry_after} seconds, when about half of them are done.")


class ConcurrencyLimit:
    """At most `slots` places work at once, and at most `queue` others wait. Places of several threads and event loops
    may share one limit."""

    def __init__(self, *, slots: int, queue: int) -> None:
        self.slots, self.queue = slots, queue
        self._lock = threading.Lock()
        self._orders = itertools.count()
        self._working = 0
        self._waiting: list[tuple[int, Future[None]]] = []  # a heap, with some that were cancelled
        self._mean_seconds = 0.0

    def enter(self) -> Place:
        """A place in the line. Raises `Overloaded` where the line is full."""
        with self._lock:
            waiting = self._count_waiting()
            if waiting >= self.queue and self._working >= self.slots:
                raise Overloaded(seconds=waiting * self._mean_seconds / self.slots / 2)
            return Place(self, next(self._orders))

    def _count_waiting(self) -> int:
        return sum(not future.cancelled() for _, future in self._waiting)

    def _count_ahead(self, order: int) -> int:
        with self._lock:
            return sum(number < order and not future.cancelled() for number, future in self._waiting)

    def _take_free_slot(self) -> bool:
        with self._lock:
            return self._count_if_free()

    def _count_if_free(self) -> bool:
        """Takes a slot where one is free. The caller holds the lock."""
        if self._working >= self.slots:
            return False
        self._working += 1
        return True

    async def _take_slot(self, order: int) -> None:
        with self._lock:
            if self._count_if_free():
                return
            future: Future[None] = Future()
            heapq.heappush(self._waiting, (order, future))
        try:
            await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            with self._lock:
                was_given = not future.cancelled() and not future.cancel()
            if was_given:
                self._free_slot()
            raise

    def _free_slot(self, *, used_seconds: float | None = None) -> None:
        """The oldest of those who wait gets the slot."""
        with self._lock:
            if used_seconds is not None:
                self._mean_seconds += _NEWEST_WEIGHT * (used_seconds - self._mean_seconds)
            while self._waiting:
                _, future = heapq.heappop(self._waiting)
                if future.set_running_or_notify_cancel():
                    future.set_result(None)
                    return
            self._working -= 1


class Place:
    """Somebody's place in the line of a `ConcurrencyLimit`, and the slot when it is their turn."""

    def __init__(self, limit: ConcurrencyLimit, order: int) -> None:
        self._limit, self._order = limit, order
        self._held_since: float | None = None

    def count_ahead(self) -> int:
        """How many wait who came before."""
        return self._limit._count_ahead(self._order)

    def take_free_slot(self) -> bool:
        """Whether there is a slot at once."""
        if self._held_since is None and self._limit._take_free_slot():
            self._held_since = time.monotonic()
        return self._held_since is not None

    async def wait(self) -> None:
        """Returns when there is a slot. Whoever came earlier gets one earlier, also after `paused`."""
        if self._held_since is None:
            await self._limit._take_slot(self._order)
            self._held_since = time.monotonic()

    def leave(self) -> None:
        """Gives the slot to the next. Does nothing where none is held."""
        if self._held_since is not None:
            used, self._held_since = time.monotonic() - self._held_since, None
            self._limit._free_slot(used_seconds=used)

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Others may work inside the block, while this one waits for something outside."""
        self.leave()
        try:
            yield
        except Exception:
            await self.wait()
            raise
        await self.wait()
