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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lexic.errors import LexicError
from local.console import Console, LineBuffer
from local.embedded_services import ServiceStillStopping
from local.processes import ManagedProcess, NotReadyToStart

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MAX_CRASHES = 5
CRASH_WINDOW_SECONDS = 60.0  # seconds
_MAX_RESTART_DELAY = 8.0
_POLL_SECONDS = 0.05
_SIGNAL_ECHO_SECONDS = 0.4  # the terminal and `make` may both pass the same Ctrl-C on


class StopRequested(Exception):
    """Somebody asked for the end (Ctrl-C, SIGTERM, or the terminal went away)."""


class CrashLoop(LexicError):
    """A part of Lexic ends again and again."""

    code = "crash_loop"


class StartFailed(LexicError):
    """A step of the start failed."""

    code = "start_failed"


@dataclass(eq=False)
class ChildProcess:
    """A part, and the process that is it at the moment."""

    part: ManagedProcess
    process: subprocess.Popen[bytes] | None = None
    lines: LineBuffer = field(default_factory=LineBuffer)
    exit_times: deque[float] = field(default_factory=deque)
    restart_at: float | None = None

    def is_reaped(self) -> bool:
        return self.process is None or self.process.returncode is not None

    def has_ended(self) -> bool:
        """Like poll(), but the process keeps its number until it is buried."""
        if self.process is None or self.process.returncode is not None:
            return False
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None

    def next_restart_delay(self, now: float) -> float:
        """How long to wait before the next start: nothing at first, then longer and longer."""
        self.exit_times.append(now)
        while now - self.exit_times[0] > CRASH_WINDOW_SECONDS:
            self.exit_times.popleft()
        return 0.0 if len(self.exit_times) == 1 else min(_MAX_RESTART_DELAY, 0.25 * 2.0 ** len(self.exit_times))


class Supervisor:
    """Use it as a context manager: at the end of the block every part is stopped, in order."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.children: list[ChildProcess] = []
        self.stop_requested_at: float | None = None
        self.must_kill = False
        self._selector = selectors.DefaultSelector()
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Supervisor:
        self._cleanup.callback(self._selector.close)
        self._install_signal_handlers()
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            by_rank = sorted(self.children, key=lambda child: -child.part.rank)
            for _, group in itertools.groupby(by_rank, key=lambda child: child.part.rank):
                self._stop_together(list(group))
        finally:
            self._cleanup.close()

    # --- What the caller does inside the block -----------------------------------------------------------

    def start(self, part: ManagedProcess, *, until: Callable[[], bool] | None = None) -> None:
        """Start it, keep it running, and wait until it is ready."""
        child = ChildProcess(part)
        self.children.append(child)
        self._spawn(child)
        if until:
            self.wait_for(until)

    def run_once(self, part: ManagedProcess) -> None:
        """Run it to its end; raises `StartFailed` when that is not a good one."""
        child = ChildProcess(part)
        self.children.append(child)
        self._spawn(child)
        while not child.has_ended():
            self.run_cycle(wait=1.0, keep=child)
        self.children.remove(child)
        self._reap(child)
        if child.process and child.process.returncode != 0:
            raise StartFailed(f"{part.name} failed.", hint="What it said is above.")

    def wait_for(self, is_true: Callable[[], bool], *, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not is_true():
            if time.monotonic() > end:
                raise StartFailed(f"Lexic did not start within {seconds:.0f} seconds.")
            self.run_cycle(wait=_POLL_SECONDS)

    def keep_running(self) -> None:
        """Never returns; ends with `StopRequested` or `CrashLoop`."""
        while True:
            self.run_cycle(wait=5.0)

    def run_cycle(self, *, wait: float, keep: ChildProcess | None = None) -> None:
        """One round: print output, handle ended processes, start what is due. Raises `StopRequested`, `CrashLoop`."""
        now = time.monotonic()
        delays = [child.restart_at - now for child in self.children if child.restart_at is not None]
        self._poll_events(min([wait, *delays]))
        if self.stop_requested_at or self.console.is_broken:
            raise StopRequested
        for child in self.children:
            if child is not keep and child.has_ended():
                self._schedule_restart(child)
            if child.restart_at is not None and child.restart_at <= time.monotonic():
                self._spawn(child)

    # --- Processes -----------------------------------------------------------------------------------------

    def _spawn(self, child: ChildProcess) -> None:
        child.restart_at = None
        try:
            child.process = child.part.spawn()
        except (ServiceStillStopping, NotReadyToStart):  # that is no crash
            child.restart_at = time.monotonic() + 0.2
            return
        if child.process.stdout:
            os.set_blocking(child.process.stdout.fileno(), False)
            self._selector.register(child.process.stdout, selectors.EVENT_READ, child)

    def _schedule_restart(self, child: ChildProcess) -> None:
        """Note the death and plan the restart; raises `CrashLoop` when it was one too many."""
        code = self._reap(child)
        now = time.monotonic()
        pause = child.next_restart_delay(now)
        if len(child.exit_times) >= MAX_CRASHES:
            often = f"{child.part.name} ended {MAX_CRASHES} times within a minute"
            raise CrashLoop(
                f"{often}, the last time with {_describe_exit(code)}.",
                hint="What it said is above. `python manage.py doctor` may know more.",
            )
        child.restart_at = now + pause
        soon = f"in {pause:g} seconds" if pause else "now"
        self.console.print_line(child.part.name, f"ended with {_describe_exit(code)}; starting it again {soon}")

    def _reap(self, child: ChildProcess) -> int:
        process = child.process
        if process is None or child.is_reaped():
            return 0
        if child.part.owns_process_group:  # before it is reaped: until then nobody else can have its number
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        self._close_output(child)
        return code

    def _stop_together(self, children: list[ChildProcess]) -> None:
        alive = [child for child in children if not child.is_reaped()]
        _send_signal(alive, lambda part: part.stop_signal)
        end = time.monotonic() + max((child.part.stop_seconds for child in alive), default=0)
        while alive := [child for child in alive if not child.has_ended()]:
            self._poll_events(0.2)
            if self.must_kill or time.monotonic() > end:
                self._kill(alive)
                break
        for child in children:
            self._reap(child)

    def _kill(self, children: list[ChildProcess]) -> None:
        _send_signal(children, lambda part: part.kill_signal)
        end = time.monotonic() + 5
        while any(not child.has_ended() for child in children) and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        _send_signal([child for child in children if not child.has_ended()], lambda part: signal.SIGKILL)

    # --- Output and signals --------------------------------------------------------------------------------

    def _poll_events(self, seconds: float) -> None:
        for key, _ in self._selector.select(max(0.0, seconds)):
            if isinstance(key.data, ChildProcess):
                self._read_output(key.data)
            elif isinstance(key.fileobj, socket.socket):
                with contextlib.suppress(BlockingIOError):
                    key.fileobj.recv(4096)

    def _read_output(self, child: ChildProcess) -> None:
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

    def _close_output(self, child: ChildProcess) -> None:
        if child.process is None or child.process.stdout is None or child.process.stdout.closed:
            return
        with contextlib.suppress(OSError):
            while data := os.read(child.process.stdout.fileno(), 65536):
                self._print(child, child.lines.feed(data))
        self._print(child, child.lines.end())
        self._selector.unregister(child.process.stdout)
        child.process.stdout.close()

    def _print(self, child: ChildProcess, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip():
                self.console.print_line(child.part.name, line)

    def _install_signal_handlers(self) -> None:
        """Handlers of our own: a shell without job control starts background jobs with SIGINT ignored."""
        reader, writer = socket.socketpair()
        for end in (reader, writer):
            end.setblocking(False)
            self._cleanup.callback(end.close)
        self._selector.register(reader, selectors.EVENT_READ)
        self._cleanup.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False))
        for number in STOP_SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # started by nohup
            self._cleanup.callback(signal.signal, number, signal.signal(number, self._on_signal))
        # Does nothing but wake the loop when a child ends.
        self._cleanup.callback(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, lambda *_: None))

    def _on_signal(self, number: int, _: object) -> None:
        """The first asks for the end. A second Ctrl-C or SIGTERM, not just an echo, asks for it at once."""
        now = time.monotonic()
        if self.stop_requested_at is None:
            self.stop_requested_at = now
        elif number != signal.SIGHUP and now - self.stop_requested_at > _SIGNAL_ECHO_SECONDS:
            self.must_kill = True


def _send_signal(children: Iterable[ChildProcess], which: Callable[[ManagedProcess], signal.Signals]) -> None:
    for child in children:
        if child.process and not child.has_ended():
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(which(child.part))


def _describe_exit(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"code {code}"
