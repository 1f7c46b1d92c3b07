"""The files that processes count into, `counter_HOST-PID.db`: one for each process and kind of figure.

Several containers may share the folder. Each has a host name of its own, and numbers its processes from 1.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

# Whether a process of another container runs cannot be seen here. One that answers writes every few seconds.
_SILENT_SECONDS = 3600.0


def process_name() -> str:
    """This process, as no other one that runs is called. It holds no underscore: that ends the name of a kind."""
    return f"{_host()}-{os.getpid()}"


def ended_processes(folder: Path) -> Iterator[str]:
    """The names of those that run no more and are still in the midst of something."""
    named = {path.stem.rpartition("_")[2]: path for path in folder.glob("gauge_live*.db")}
    for name, path in named.items():
        host, _, pid = name.rpartition("-")
        is_over = not Path(f"/proc/{pid}").exists() if host == _host() else _is_silent(path)
        if is_over:
            yield name


def remove_nameless(folder: Path) -> None:
    """Remove the files of versions that named them by the process alone: two containers may have written into one."""
    for path in folder.glob("*.db"):
        if path.stem.rpartition("_")[2].isdecimal():
            path.unlink(missing_ok=True)


def _is_silent(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _SILENT_SECONDS
    except FileNotFoundError:
        return True


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())
