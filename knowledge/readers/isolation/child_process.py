"""A child process that reads a file: a new interpreter, or a fork of a server that has the readers loaded."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

# A server is replaced after this many children, and after each child that crashed. Otherwise an attacker whose file
# crashes a child could try the same memory layout again and again.
_CHILDREN_OF_ONE_SERVER = 200
_SERVER_PROGRAM = Path(__file__).parent / "fork_server.py"
_ROOT = Path(__file__).resolve().parents[3]


class ServerLost(Exception):
    """The server that forked this child has ended, and the child with it."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A program that is run by its path as `program *arguments PARENT *more`, in this folder."""

    program: str
    arguments: list[str]
    more: list[str]
    folder: str


@dataclass(frozen=True, kw_only=True)
class ProcessEnd:
    """The exit code (negative for a signal) and the peak of memory. A forked child starts as a copy of its parent, so a
    peak below that of the parent cannot be measured."""

    code: int
    peak_kilobytes: int
    parent_peak_kilobytes: int


class StartedProcess:
    """A child of this process. It is killed when the thread that started it ends."""

    def __init__(self, job: Job) -> None:
        self._own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self._process = subprocess.Popen(  # noqa: S603 -- a fixed program; the path is an argument, not a command
            # By path and with -P: the package's __init__ must not run before the child has dropped its privileges, and
            # modules named `json` and `html` beside the entry must not hide those of the standard library.
            [sys.executable, "-P", "-s", job.program, *job.arguments, str(os.getpid()), *job.more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job.folder,
            env=_child_environment(),
            start_new_session=True,
        )
        assert self._process.stdout
        assert self._process.stderr
        self.pid = self._process.pid
        self.stdout: IO[bytes] = self._process.stdout
        self.stderr: IO[bytes] = self._process.stderr

    def wait_for_end(self) -> ProcessEnd:
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return ProcessEnd(
            code=self._process.returncode, peak_kilobytes=usage.ru_maxrss, parent_peak_kilobytes=self._own_peak
        )

    def kill(self) -> None:
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self.stdout.close()
        self.stderr.close()


class ForkedProcess:
    """A child of the fork server. It is killed when this process or the server ends."""

    def __init__(self, server: _ForkServer, job: Job) -> None:
        self._server = server
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, output_end = os.pipe()
        errors, errors_end = os.pipe()
        self.stdout: IO[bytes] = os.fdopen(output, "rb", buffering=0)
        self.stderr: IO[bytes] = os.fdopen(errors, "rb", buffering=0)
        try:
            try:
                server.request(job, [output_end, errors_end, status.fileno()])
            finally:  # if this process kept the server's ends open, it would wait for ever for a server that has ended
                status.close()
                os.close(output_end)
                os.close(errors_end)
            self.pid: int = self._receive()
        except BaseException:
            self._close()
            raise

    def wait_for_end(self) -> ProcessEnd:
        """Raises `ServerLost`."""
        code, peak, parent_peak = self._receive()
        if code != 0:
            self._server.retire()
        return ProcessEnd(code=code, peak_kilobytes=peak, parent_peak_kilobytes=parent_peak)

    def kill(self) -> None:
        if self._status.fileno() != -1:
            with suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)  # the server kills it, and closes its end when it has ended
                while self._status.recv(4096):
                    pass
        self._close()

    def _receive(self) -> Any:
        try:
            message = self._status.recv(4096)
        except OSError as error:
            raise ServerLost from error
        if not message:
            raise ServerLost
        return json.loads(message)

    def _close(self) -> None:
        self._status.close()
        self.stdout.close()
        self.stderr.close()


class _ForkServer:
    """A fork server. It ends when the process that started it ends or closes its socket."""

    def __init__(self) -> None:
        self._requests, requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with requests:
            self._process = subprocess.Popen(  # noqa: S603 -- a fixed program
                [sys.executable, "-P", "-s", str(_SERVER_PROGRAM), str(requests.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_child_environment(),
                pass_fds=[requests.fileno()],
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._owner = os.getpid()
        self._asked = 0
        self._is_retired = False

    def is_usable(self) -> bool:
        """Whether the server belongs to this process, is alive, and may fork another child."""
        is_ours = self._owner == os.getpid()
        return (
            is_ours and not self._is_retired and self._asked < _CHILDREN_OF_ONE_SERVER and self._process.poll() is None
        )

    def request(self, job: Job, descriptors: list[int]) -> None:
        """Asks the server for a child. Raises `ServerLost`."""
        self._asked += 1
        message = {"program": job.program, "arguments": job.arguments, "more": job.more, "folder": job.folder}
        try:
            socket.send_fds(self._requests, [json.dumps(message).encode()], descriptors)
        except OSError as error:
            raise ServerLost from error

    def retire(self) -> None:
        """Forks no more. Children that are still reading continue."""
        self._is_retired = True

    def close(self) -> None:
        """Closes the socket. The server ends with its last child."""
        self._requests.close()

    def has_ended(self) -> bool:
        return self._owner != os.getpid() or self._process.poll() is not None


class _Servers:
    """The current fork server of this process, started with the first job, and earlier ones whose children still
    run."""

    def __init__(self) -> None:
        self.forget()
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._current: _ForkServer | None = None
        self._earlier: list[_ForkServer] = []

    def usable(self) -> _ForkServer:
        with self._lock:
            if self._current is None or not self._current.is_usable():
                if self._current is not None:
                    self._current.close()
                    self._earlier.append(self._current)
                self._earlier = [server for server in self._earlier if not server.has_ended()]
                self._current = _ForkServer()
            return self._current


_servers = _Servers()


def start_process(job: Job) -> StartedProcess | ForkedProcess:
    """Starts a new interpreter as a child of this process."""
    return StartedProcess(job)


def fork_process(job: Job) -> StartedProcess | ForkedProcess:
    """Forks a child of the fork server; starts a new interpreter if the server is lost."""
    try:
        return ForkedProcess(_servers.usable(), job)
    except ServerLost:
        return StartedProcess(job)


def _child_environment() -> dict[str, str]:
    """An environment without anything of this process: no keys, no proxies, no settings module."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_ROOT),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        # Otherwise each thread reserves 64 MB of address space.
        "MALLOC_ARENA_MAX": "2",
    }
