"""Readers give way to whoever waits for something, and still get a least share of the machine.

Beside many busy programs the priority of a reader leaves it next to nothing. The kernel says how long each thread has
run and how long it wanted to: where that is less than a twentieth, the readers have their ordinary priority until the
next look, and then give way again. So on the busiest machine they have it half of the time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from local.process_priority import set_reader_priority

CHECK_SECONDS = 5.0
LEAST_SHARE = 1 / 20
# Who wanted to run for less of the time than this has little to do.
_LEAST_WANTED = 1 / 4


@dataclass(frozen=True, kw_only=True)
class Scheduled:
    """How long each thread, by its id, has run and has waited for a processor, in nanoseconds."""

    threads: dict[int, tuple[int, int]]

    def is_starved_since(self, before: Scheduled, *, seconds: float) -> bool:
        """Whether those that were there before wanted to run, and hardly could."""
        kept = self.threads.keys() & before.threads.keys()
        ran = sum(self.threads[one][0] - before.threads[one][0] for one in kept)
        waited = sum(self.threads[one][1] - before.threads[one][1] for one in kept)
        return ran + waited >= 1e9 * seconds * _LEAST_WANTED and ran < LEAST_SHARE * (ran + waited)


class LeastShare:
    """Watches over one process that reads, and the children that read files for it."""

    def __init__(
        self,
        *,
        look: Callable[[], Scheduled] | None = None,
        give_way: Callable[[bool], None] | None = None,
        seconds: float = CHECK_SECONDS,
    ) -> None:
        self._look, self._give_way = look or look_at_readers, give_way or set_priorities
        self._seconds = seconds
        self._before = self._look()
        self._gives_way = True

    def check(self) -> None:
        """Called regularly."""
        now = self._look()
        is_starved = now.is_starved_since(self._before, seconds=self._seconds)
        self._before = now
        if self._gives_way and not is_starved:
            return
        self._gives_way = not self._gives_way
        self._give_way(self._gives_way)

    def watch(self, ended: threading.Event) -> None:
        while not ended.wait(self._seconds):
            with suppress(OSError):
                self.check()


def start_watching() -> None:
    """On a thread of this process, to its end."""
    threading.Thread(target=LeastShare().watch, args=(threading.Event(),), name="least share", daemon=True).start()


def set_priorities(gives_way: bool) -> None:
    """Of this process and its descendants."""
    for process in _family(os.getpid()):
        set_reader_priority(process, gives_way=gives_way)


def look_at_readers() -> Scheduled:
    return Scheduled(threads=dict(_times(_family(os.getpid()))))


def _family(process: int) -> Iterator[int]:
    yield process
    with suppress(OSError):  # it has ended, or the kernel does not say
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))


def _times(processes: Iterable[int]) -> Iterator[tuple[int, tuple[int, int]]]:
    for process in processes:
        with suppress(OSError, ValueError):
            for thread in Path(f"/proc/{process}/task").iterdir():
                ran, waited, _ = map(int, (thread / "schedstat").read_text().split())
                yield int(thread.name), (ran, waited)
