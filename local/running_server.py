"""Finds the Lexic that was started from this folder, for commands that want to talk to it."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from local import locks

SUPERVISOR_LOCK = "up"


@dataclass(frozen=True, kw_only=True)
class RunningServer:
    pid: int
    url: str  # without a slash at the end
    status: str  # starting | up | stopping


def write_server_status(root: Path, *, url: str, status: str) -> None:
    """Writes the status that other commands read. Only the supervisor calls it."""
    server = RunningServer(pid=os.getpid(), url=url, status=status)
    unfinished = _status_path(root).with_suffix(".new")
    unfinished.write_text(json.dumps(asdict(server)))
    unfinished.replace(_status_path(root))


def remove_server_status(root: Path) -> None:
    _status_path(root).unlink(missing_ok=True)


def find_running_server(root: Path) -> RunningServer | None:
    """The server that runs from this folder, or None. What a killed one left behind is not believed."""
    if not root.exists() or not locks.is_locked(root, SUPERVISOR_LOCK):
        return None
    with contextlib.suppress(OSError, ValueError, TypeError):
        return RunningServer(**json.loads(_status_path(root).read_text()))
    return None


def started_before(root: Path, moment: float) -> bool:
    """Whether the server that runs from this folder was up before this moment, in seconds since 1970."""
    try:
        started = _status_path(root).stat().st_mtime
    except OSError:
        return False
    return started < moment and find_running_server(root) is not None


def _status_path(root: Path) -> Path:
    return root / "up.json"
