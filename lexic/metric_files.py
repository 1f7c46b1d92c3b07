"""The files that processes count into, `counter_HOST-PID.db`: one for each process and kind of figure.

Several containers may share the folder. Each has a host name of its own, and numbers its processes from 1.
"""

from __future__ import annotations

import math
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Whether a process of another container runs cannot be seen here, but its container touches its files every minute
# (`touch_running`).
_SILENT_SECONDS = 300.0
# After so long, what a container has counted counts no more: it was replaced.
_FORGOTTEN_SECONDS = 24 * 3600.0


def process_name() -> str:
    """This process, as no other one that runs is called. It holds no underscore: that ends the name of a kind."""
    return f"{_host()}-{os.getpid()}"


def ended_processes(folder: Path) -> Iterator[str]:
    """The names of those that run no more and are still in the midst of something."""
    named = {_name_of(path): path for path in folder.glob("gauge_live*.db")}
    for name, path in named.items():
        is_over = not _is_running(name) if _host_of(name) == _host() else _age(path) > _SILENT_SECONDS
        if is_over:
            yield name


def touch_running(folder: Path) -> None:
    """Tells the other containers that the processes of this one run, also those that have nothing to count."""
    for path in folder.glob("*.db"):
        name = _name_of(path)
        if _host_of(name) == _host() and _is_running(name):
            with suppress(FileNotFoundError):
                os.utime(path)


def remove_forgotten(folder: Path) -> None:
    """Removes the files of containers that have been silent for a day."""
    for path in folder.glob("*.db"):
        if _host_of(_name_of(path)) != _host() and _age(path) > _FORGOTTEN_SECONDS:
            path.unlink(missing_ok=True)


def remove_nameless(folder: Path) -> None:
    """Remove the files of versions that named them by the process alone: two containers may have written into one."""
    for path in folder.glob("*.db"):
        if _name_of(path).isdecimal():
            path.unlink(missing_ok=True)


def _name_of(path: Path) -> str:
    return path.stem.rpartition("_")[2]


def _host_of(name: str) -> str:
    return name.rpartition("-")[0]


def _is_running(name: str) -> bool:
    """Whether this process of this container runs."""
    return Path(f"/proc/{name.rpartition('-')[2]}").exists()


def _age(path: Path) -> float:
    """The seconds since it was written or touched."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())
