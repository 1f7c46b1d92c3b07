"""Shares long work among processes that are copies of this one."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from lexibrarian.errors import LibraryError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Result = TypeVar("Result")
_MOST_PROCESSES = 8
# Parts are as long as one another but not as much work; the more there are, the more alike the shares.
_PARTS_EACH = 4


def usable_processors() -> int:
    """How many processes may work at once; 1 where a process cannot be copied, or not safely.

    On macOS libraries of the system may fail in a copy, and a copy has one thread alone.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)


def share(items: Sequence[str], work: Callable[[Iterable[str]], Result], *, processes: int) -> list[Result]:
    """The results of some work on parts of the items, in the order of the items.

    Raises what the work raises, and `LibraryError` where a process was killed. When this process is killed, the
    others end at their next item.
    """
    import multiprocessing

    context = multiprocessing.get_context("fork")
    length = -(-len(items) // (processes * _PARTS_EACH)) or 1
    parts = [items[start : start + length] for start in range(0, len(items), length)]
    running = []
    try:
        for first in range(min(processes, len(parts))):
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(parts[first::processes], work, sender), daemon=True)
            process.start()
            sender.close()
            running.append((process, receiver))
        shares: list[list[Result]] = [_received(receiver) for _, receiver in running]
    finally:
        for process, receiver in running:
            receiver.close()
            process.terminate()
            process.join()
    return [shares[number % processes][number // processes] for number in range(len(parts))]


def _work(parts: list[Sequence[str]], work: Callable[[Iterable[str]], Result], sender: Connection) -> None:
    import signal

    # Whoever presses Ctrl+C ends the process that waits, and that one ends this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    try:
        answer: list[Result] | Exception = [work(_until_parent_ends(part, parent)) for part in parts]
    except Exception as problem:
        answer = problem
    sender.send(answer)


def _until_parent_ends(items: Sequence[str], parent: int) -> Iterator[str]:
    for item in items:
        if os.getppid() != parent:
            os._exit(1)
        yield item


def _received(receiver: Connection) -> list[Result]:
    try:
        answer: list[Result] | Exception = receiver.recv()
    except EOFError as problem:
        raise LibraryError(
            "A process that helped with this was killed.", code="killed", hint="Run the same command again."
        ) from problem
    if isinstance(answer, Exception):
        raise answer
    return answer
