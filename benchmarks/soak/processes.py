"""The processes of a running Lexic by what they do, and the memory and files that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.lexic.running import family

# What a command line holds, and the role of the process; the first that matches.
_ROLES = {
    "local.serve": "web",
    "reviewer@": "reviewer",
    "reader@": "reader",
    "worker@": "worker",
    "redis-server": "redis",
    "postgres": "postgres",
}


@dataclass(frozen=True, kw_only=True)
class Process:
    pid: int
    started: int  # in ticks since the machine's start: tells two processes of one number apart
    role: str
    is_child: bool  # of a process of the same role

    @property
    def anonymous_megabytes(self) -> float | None:
        """Memory of its own, without files and what is shared. None for a process that is gone."""
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) / 1024
        return None

    @property
    def open_files(self) -> int:
        with suppress(OSError):
            return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))
        return 0


@dataclass(frozen=True)
class Family:
    """The oldest first."""

    processes: Sequence[Process]

    def all(self, role: str) -> list[Process]:
        return [process for process in self.processes if process.role == role]

    def first(self, role: str) -> list[Process]:
        """The one that has started the others of its role; none where it is not running."""
        return [process for process in self.all(role) if not process.is_child][:1]

    def others(self, role: str) -> list[Process]:
        return [process for process in self.all(role) if process.is_child]


def family_of(supervisor: int) -> Family:
    """What the supervisor has started, as it is at this moment."""
    found = {pid: (int(started), _role(line)) for (pid, started), line in family(supervisor).items()}
    processes = []
    for pid, (started, role) in found.items():
        if role:
            parent = found.get(_parent(pid))
            processes.append(
                Process(pid=pid, started=started, role=role, is_child=parent is not None and parent[1] == role)
            )
    return Family(sorted(processes, key=lambda process: (process.started, process.pid)))


def _role(line: str) -> str:
    return next((role for words, role in _ROLES.items() if words in line), "")


def _parent(pid: int) -> int:
    with suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0
