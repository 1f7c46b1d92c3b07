"""One daemon a project: its PID file is locked by the kernel for as long as it runs."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from typing import IO

from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.store import LOCKS, try_lock

_NAME = "daemon.pid"
_TIMEOUT_SECONDS = 10.0
_TURN_SECONDS = 0.05


@contextlib.contextmanager
def only_daemon(project: Project) -> Iterator[None]:
    """Hold the PID file meanwhile; refused where another process does."""
    with _opened(project) as file:
        if not try_lock(file):
            raise LibraryError(
                f"A daemon runs already, as process {_pid(file)}.",
                code="already_running",
                hint="Run `lexictl daemon stop` first.",
            )
        _write(file, str(os.getpid()))
        try:
            yield
        finally:
            _write(file, "")


def running_daemon(project: Project) -> int | None:
    """The process that holds the PID file; `None` where nobody does."""
    with _opened(project) as file:
        if try_lock(file):
            return None
        # Its holder writes the number after it has the lock.
        for _ in range(int(_TIMEOUT_SECONDS / _TURN_SECONDS)):
            if pid := _pid(file):
                return pid
            time.sleep(_TURN_SECONDS)
        return None


def stop_daemon(project: Project) -> int | None:
    """End the daemon; returns its process, `None` where none runs. Nobody but the holder of the lock is signalled."""
    pid = running_daemon(project)
    if pid is None:
        return None
    os.kill(pid, signal.SIGTERM)
    for _ in range(int(_TIMEOUT_SECONDS / _TURN_SECONDS)):
        if running_daemon(project) != pid:
            return pid
        time.sleep(_TURN_SECONDS)
    raise LibraryError(
        f"The daemon, process {pid}, does not end.", code="still_running", hint="Look at .lexibrarian.log."
    )


def _opened(project: Project) -> IO[bytes]:
    path = project.library / LOCKS / _NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("a+b")


def _pid(file: IO[bytes]) -> int:
    file.seek(0)
    text = file.read()
    return int(text) if text.isdigit() else 0


def _write(file: IO[bytes], text: str) -> None:
    file.truncate(0)
    file.write(text.encode())
    file.flush()
