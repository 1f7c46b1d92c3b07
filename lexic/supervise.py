"""Keeps the parts of Lexic running, shows what they say, and stops them in order.

One thread, one loop: it sleeps until a part says something, dies or is due to be restarted, or a signal
arrives. Parts are started from this (the main) thread: the kernel's "die with your parent" means the thread.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lexic.console import Console, LineBuffer
from lexic.embedded import StillStopping
from lexic.errors import LexicError
from lexic.parts import NotYet, Part

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CRASHES = 5
CRASH_WINDOW = 60.0  # seconds
_LONGEST_PAUSE = 8.0
_POLL = 0.05
_ECHO = 0.4  # the terminal and `make` may both pass the same Ctrl-C on


class Stopped(Exception):
    """Somebody asked for the end (Ctrl-C, SIGTERM, or the terminal went away)."""


class CrashLoop(LexicError):
    """A part of Lexic ends again and again."""

    code = "crash_loop"


class PartFailed(LexicError):
    """A step of the start failed."""

    code = "start_failed"


@dataclass(eq=False)
class Child:
    """A part, and the process that is it at the moment."""

    part: Part
    process: subprocess.Popen[bytes] | None = None
    lines: LineBuffer = field(default_factory=LineBuffer)
    deaths: deque[float] = field(default_factory=deque)
    restart_at: float | None = None

    def is_buried(self) -> bool:
        return self.process is None or self.process.returncode is not None

    def has_ended(self) -> bool:
        """Like poll(), but the process keeps its number until it is buried."""
        if self.process is None or self.process.returncode is not None:
            return False
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None

    def pause(self, now: float) -> float:
        """How long to wait before the next start: nothing at first, then longer and longer."""
        self.deaths.append(now)
        while now - self.deaths[0] > CRASH_WINDOW:
            self.deaths.popleft()
        return 0.0 if len(self.deaths) == 1 else min(_LONGEST_PAUSE, 0.25 * 2.0 ** len(self.deaths))


class Supervisor:
    """Use it as a context manager: at the end of the block every part is stopped, in order."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.children: list[Child] = []
        self.asked_to_stop: float | None = None
        self.is_in_a_hurry = False
        self._selector = selectors.DefaultSelector()
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Supervisor:
        self._undo.callback(self._selector.close)
        self._listen_to_signals()
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            self._stop_all()
        finally:
            self._undo.close()

    # --- What the caller does inside the block -----------------------------------------------------------

    def start(self, part: Part, *, until: Callable[[], bool] | None = None) -> None:
        """Start it, keep it running, and wait until it is ready."""
        child = Child(part)
        self.children.append(child)
        self._spawn(child)
        if until:
            self.wait_for(until)

    def run_once(self, part: Part) -> None:
        """Run it to its end; raises `PartFailed` when that is not a good one."""
        child = Child(part)
        self.children.append(child)
        self._spawn(child)
        while not child.has_ended():
            self.turn(wait=1.0, keep=child)
        self.children.remove(child)
        self._bury(child)
        if child.process and child.process.returncode != 0:
            raise PartFailed(f"{part.name} failed.", hint="What it said is above.")

    def wait_for(self, is_true: Callable[[], bool], *, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not is_true():
            if time.monotonic() > end:
                raise PartFailed(f"Lexic did not start within {seconds:.0f} seconds.")
            self.turn(wait=_POLL)

    def keep_running(self) -> None:
        """Never returns; ends with `Stopped` or `CrashLoop`."""
        while True:
            self.turn(wait=5.0)

    def turn(self, *, wait: float, keep: Child | None = None) -> None:
        """One round: show output, bury the dead, start what is due. Raises `Stopped`, `CrashLoop`."""
        self._listen(min([wait, *self._pauses()]))
        if self.asked_to_stop or self.console.is_broken:
            raise Stopped
        for child in self.children:
            if child is not keep and child.has_ended():
                self._mourn(child)
            if child.restart_at is not None and child.restart_at <= time.monotonic():
                self._spawn(child)

    # --- Processes -----------------------------------------------------------------------------------------

    def _spawn(self, child: Child) -> None:
        child.restart_at = None
        try:
            child.process = child.part.spawn()
        except (StillStopping, NotYet):  # that is no crash
            child.restart_at = time.monotonic() + 0.2
            return
        if child.process.stdout:
            os.set_blocking(child.process.stdout.fileno(), False)
            self._selector.register(child.process.stdout, selectors.EVENT_READ, child)

    def _mourn(self, child: Child) -> None:
        """Note the death and plan the restart; raises `CrashLoop` when it was one too many."""
        code = self._bury(child)
        now = time.monotonic()
        pause = child.pause(now)
        if len(child.deaths) >= CRASHES:
            often = f"{child.part.name} ended {CRASHES} times within a minute"
            raise CrashLoop(
                f"{often}, the last time with {_ending(code)}.",
                hint="What it said is above. `python manage.py doctor` may know more.",
            )
        child.restart_at = now + pause
        soon = f"in {pause:g} seconds" if pause else "now"
        self.console.line(child.part.name, f"ended with {_ending(code)}; starting it again {soon}")

    def _bury(self, child: Child) -> int:
        process = child.process
        if process is None or child.is_buried():
            return 0
        if child.part.leads_group:  # before it is reaped: until then nobody else can have its number
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        self._close_output(child)
        return code

    def _stop_all(self) -> None:
        by_rank = sorted(self.children, key=lambda child: -child.part.rank)
        for _, group in itertools.groupby(by_rank, key=lambda child: child.part.rank):
            self._stop_together(list(group))

    def _stop_together(self, children: list[Child]) -> None:
        alive = [child for child in children if not child.is_buried()]
        _send(alive, lambda part: part.stop_signal)
        end = time.monotonic() + max((child.part.stop_seconds for child in alive), default=0)
        while alive := [child for child in alive if not child.has_ended()]:
            self._listen(0.2)
            if self.is_in_a_hurry or time.monotonic() > end:
                self._kill(alive)
                break
        for child in children:
            self._bury(child)

    def _kill(self, children: list[Child]) -> None:
        _send(children, lambda part: part.kill_signal)
        end = time.monotonic() + 5
        while any(not child.has_ended() for child in children) and time.monotonic() < end:
            time.sleep(_POLL)
        _send([child for child in children if not child.has_ended()], lambda part: signal.SIGKILL)

    # --- Output and signals --------------------------------------------------------------------------------

    def _listen(self, seconds: float) -> None:
        for key, _ in self._selector.select(max(0.0, seconds)):
            if isinstance(key.data, Child):
                self._show(key.data)
            elif isinstance(key.fileobj, socket.socket):
                with contextlib.suppress(BlockingIOError):
                    key.fileobj.recv(4096)

    def _show(self, child: Child) -> None:
        if child.process is None or child.process.stdout is None:
            return
        try:
            data = os.read(child.process.stdout.fileno(), 65536)
        except BlockingIOError:
            return
        if data:
            self._print(child, child.lines.feed(data))
        else:
            self._close_output(child)

    def _close_output(self, child: Child) -> None:
        if child.process is None or child.process.stdout is None or child.process.stdout.closed:
            return
        with contextlib.suppress(OSError):
            while data := os.read(child.process.stdout.fileno(), 65536):
                self._print(child, child.lines.feed(data))
        self._print(child, child.lines.end())
        self._selector.unregister(child.process.stdout)
        child.process.stdout.close()

    def _print(self, child: Child, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip():
                self.console.line(child.part.name, line)

    def _pauses(self) -> Iterator[float]:
        now = time.monotonic()
        return (child.restart_at - now for child in self.children if child.restart_at is not None)

    def _listen_to_signals(self) -> None:
        """Handlers of our own: a shell without job control starts background jobs with SIGINT ignored."""
        reader, writer = socket.socketpair()
        for end in (reader, writer):
            end.setblocking(False)
            self._undo.callback(end.close)
        self._selector.register(reader, selectors.EVENT_READ)
        self._undo.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False))
        for number in STOP_SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # started by nohup
            self._undo.callback(signal.signal, number, signal.signal(number, self._on_signal))
        # Does nothing but wake the loop when a child ends.
        self._undo.callback(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, lambda *_: None))

    def _on_signal(self, number: int, _: object) -> None:
        """The first asks for the end. A second Ctrl-C or SIGTERM, not just an echo, asks for it at once."""
        now = time.monotonic()
        if self.asked_to_stop is None:
            self.asked_to_stop = now
        elif number != signal.SIGHUP and now - self.asked_to_stop > _ECHO:
            self.is_in_a_hurry = True


def _send(children: Iterable[Child], which: Callable[[Part], signal.Signals]) -> None:
    for child in children:
        if child.process and not child.has_ended():
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(which(child.part))


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"code {code}"
