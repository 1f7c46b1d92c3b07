"""Giving way: work that nobody waits for gets the processor time that answers leave.

A lower priority is not enough by itself. Where the kernel groups processes by session (autogroup, the default of most
desktops and of machines without containers), niceness counts only inside of a session, and each program of ours, each
reader of a document and each server process of PostgreSQL is a session of its own. So the group is lowered as well.

Nor must it be too much: beside many busy programs, what has a low priority gets next to nothing, and a document is read
for ever. `local.reader_cpu_share` raises the priority again for a while. A session's may be raised by anybody, a
process's only by who has the right, so a process without it is lowered less.

Everything here does what the kernel allows and says nothing about the rest: it is an improvement, never a condition.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from pathlib import Path

# What is left of a machine that is busy with answers: about a tenth, so that reading slows down and never stops.
READER_NICENESS = 10
# About a quarter, for a process that cannot take it back.
LASTING_NICENESS = 5
# PostgreSQL's processes hold locks that answers wait for as well.
DATABASE_NICENESS = 5
# The kernel counts the changes of all processes together, so another one's may have come first.
_SESSION_TRIES, _SESSION_PAUSE_SECONDS = 5, 0.11
_CAP_SYS_NICE = 1 << 23


def lower_priority(*, niceness: int, process: int = 0) -> None:
    """Lower the priority of a process (0: this one) and of its session, never raise it."""
    with suppress(OSError):
        niceness = max(niceness, os.getpriority(os.PRIO_PROCESS, process))
        os.setpriority(os.PRIO_PROCESS, process, niceness)
    _set_session(niceness, process)


def set_reader_priority(process: int, *, gives_way: bool) -> None:
    """Lowers the priority of a reading process in all its threads, and of its session, or restores both."""
    lowered = READER_NICENESS if _may_raise() else LASTING_NICENESS
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{process or 'self'}/task").iterdir():
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), lowered if gives_way else 0)
    _set_session(READER_NICENESS if gives_way else 0, process)


def _set_session(niceness: int, process: int) -> None:
    session = Path(f"/proc/{process or 'self'}/autogroup")
    for _ in range(_SESSION_TRIES):
        try:
            session.write_text(str(niceness))
            return
        except BlockingIOError:  # from who is not root, the kernel takes one change in a tenth of a second
            time.sleep(_SESSION_PAUSE_SECONDS)
        except OSError:  # another system, or the kernel does not group by session
            return


def _may_raise() -> bool:
    """Whether this process may raise its priority to what processes begin with."""
    if resource.getrlimit(resource.RLIMIT_NICE)[0] >= 20:
        return True
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return bool(int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16) & _CAP_SYS_NICE)
    return False
