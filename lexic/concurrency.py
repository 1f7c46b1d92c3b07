"""Limits how many pieces of one kind of work this process does at once. The others wait in the order in which they
came."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from django.utils.translation import gettext

from lexic import metrics
from lexic.database import in_thread
from lexic.errors import LexicError, try_again_in

P = ParamSpec("P")
T = TypeVar("T")

# How much the last turn counts in the mean that tells others how long they wait.
_NEWEST_WEIGHT = 0.1
# While others go first, a turn begins so often, and no longer than this do they go first in a row, in seconds.
_PAUSE_SECONDS, _MOST_PATIENCE_SECONDS = 0.1, 10.0
_current: ContextVar[Place | None] = ContextVar("place", default=None)


class Overloaded(LexicError):
    """Too many wait for this server at the moment."""

    code = "overloaded"
    status = 503

    def __init__(self, *, seconds: float) -> None:
        self.retry_after = max(1, math.ceil(seconds))
        then = gettext("About half of them are done then.")
        super().__init__(hint=f"{try_again_in(self.retry_after)} {then}")


class ConcurrencyLimit:
    """At most `slots` places work at once, and at most `queue` others are there. Places of several threads and event
    loops may share one limit. `kind` names it among the figures for Prometheus; an empty one is not among them.

    While somebody waits under the limit `first`, turns begin here only now and then: short work that many wait for goes
    before long work that the same ones wait for afterwards.
    """

    def __init__(self, *, slots: int, queue: int, kind: str = "", first: ConcurrencyLimit | None = None) -> None:
        self.slots, self.queue, self.kind = slots, queue, kind
        self._first = first
        self._begun = -math.inf  # when a turn last began
        self._patient_since = math.inf
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._orders = itertools.count()
        self._entered = 0
        self._working = 0
        self._waiting: list[tuple[int, int, Future[None]]] = []  # a heap, with some that were cancelled
        self._mean_seconds = 0.0  # from entering to leaving

    def enter(self) -> Place:
        """A place, which has to be left. Raises `Overloaded` where there are too many."""
        with self._lock:
            if self._entered >= self.slots + self.queue:
                raise Overloaded(seconds=self._mean_seconds / 2)
            self._entered += 1
            self._show()
            return Place(self, next(self._orders))

    def _leave(self, seconds: float) -> None:
        with self._lock:
            self._entered -= 1
            self._show()
            self._mean_seconds += _NEWEST_WEIGHT * (seconds - self._mean_seconds)

    def _count_waiting(self, *, before: float = math.inf) -> int:
        with self._lock:
            return sum(order < before and not future.cancelled() for order, _, future in self._waiting)

    async def _take_slot(self, order: int) -> None:
        with self._lock:
            if not self._waiting and self._working < self.slots and not self._is_patient():
                self._begin_turn()
                return
            future: Future[None] = Future()
            heapq.heappush(self._waiting, (order, next(self._orders), future))
            self._hand_out()
        try:
            await asyncio.wrap_future(future)
        except BaseException:
            with self._lock:
                was_given = not future.cancelled() and not future.cancel()
            if was_given:
                self._free_slot()
            raise

    def _free_slot(self) -> None:
        with self._lock:
            self._working -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        """The oldest of those who wait get the free slots. The caller holds the lock."""
        while self._waiting and self._working < self.slots:
            if self._waiting[0][-1].cancelled():
                heapq.heappop(self._waiting)
            elif self._is_patient():
                self._hand_out_later()
                break
            else:
                future = heapq.heappop(self._waiting)[-1]
                if future.set_running_or_notify_cancel():
                    self._begin_turn()
                    future.set_result(None)
        self._show()

    def _begin_turn(self) -> None:
        """The caller holds the lock."""
        self._working += 1
        self._begun = time.monotonic()
        self._show()

    def _is_patient(self) -> bool:
        """Whether others go first now."""
        if self._first is None or not self._first._waiting:
            self._patient_since = math.inf
            return False
        now = time.monotonic()
        self._patient_since = min(self._patient_since, now)
        return now - self._patient_since < _MOST_PATIENCE_SECONDS and now - self._begun < _PAUSE_SECONDS

    def _hand_out_later(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_PAUSE_SECONDS, self._end_pause)
            self._timer.daemon = True
            self._timer.start()

    def _end_pause(self) -> None:
        with self._lock:
            self._timer = None
            self._hand_out()

    def counts(self) -> dict[str, int]:
        """How many have `entered`, how many of them are `working`, and how many `slots` there are."""
        return {"entered": self._entered, "working": self._working, "slots": self.slots}

    def _show(self) -> None:
        if self.kind:
            metrics.show_concurrency(self.kind, self.counts())


class Place:
    """A place in the queue of a `ConcurrencyLimit`. With `run` it holds a slot only while a thread works for it, and
    not while the caller reads slowly, waits for another service, or has left."""

    def __init__(self, limit: ConcurrencyLimit, order: int) -> None:
        self._limit, self._order = limit, order
        self._since = time.monotonic()
        self.waited_seconds = 0.0  # for its turns, so far
        self._lock = threading.Lock()
        self._is_left = self._holds_slot = False

    def must_wait(self) -> bool:
        """Whether all slots are taken at the moment."""
        return self._limit._working >= self._limit.slots

    def count_ahead(self) -> int:
        """How many wait who came before."""
        return self._limit._count_waiting(before=self._order)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work gives, done on a thread (`in_thread`) when it is this one's turn.

        The slot is free when the thread has ended, also where the caller has gone before.
        """
        asked = time.monotonic()
        await self._limit._take_slot(self._order)
        self.waited_seconds += time.monotonic() - asked
        lock, state = threading.Lock(), "new"

        def work_and_free() -> T:
            nonlocal state
            with lock:
                if state == "cancelled":
                    raise asyncio.CancelledError  # nobody waits for it
                state = "begun"
            try:
                return work(*args, **kwargs)
            finally:
                self._limit._free_slot()

        try:
            return await in_thread(work_and_free)
        except BaseException:
            with lock:
                is_unbegun, state = state == "new", "cancelled" if state == "new" else state
            if is_unbegun:
                self._limit._free_slot()
            raise

    async def take_slot(self) -> None:
        """Returns when it is this one's turn; the slot is held until `free_slot` or `leave`."""
        await self._limit._take_slot(self._order)
        self._holds_slot = True

    def free_slot(self) -> None:
        """Gives up the slot of `take_slot`, if it is still held, and keeps the place. May be called by any thread."""
        with self._lock:
            held, self._holds_slot = self._holds_slot, False
        if held:
            self._limit._free_slot()

    def leave(self) -> None:
        """Gives up the place, and its slot. May be called by any thread, and again."""
        with self._lock:
            has_left, self._is_left = self._is_left, True
        if not has_left:
            self._limit._leave(time.monotonic() - self._since)
            self.free_slot()

    @contextmanager
    def as_current(self) -> Iterator[None]:
        """What is done by `in_turn` inside the block is done in this place's turn. No generator may yield in it: the
        next step of a generator may run in another context."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


async def in_turn(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`Place.run` of the place that is current; without one, `in_thread`."""
    place = _current.get()
    if place is None:
        return await in_thread(work, *args, **kwargs)
    return await place.run(work, *args, **kwargs)
