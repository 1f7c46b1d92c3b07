"""Giving way: work that nobody waits for gets the processor time that answers leave.

A lower priority is not enough by itself. Where the kernel groups processes by session (autogroup, the default of most
desktops and of machines without containers), niceness counts only inside of a session, and each program of ours, each
reader of a document and each server process of PostgreSQL is a session of its own. So the group is lowered as well.

Everything here does what the kernel allows and says nothing about the rest: it is an improvement, never a condition.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

# What is left of a machine that is busy with answers: about a tenth, so that reading slows down and never stops.
READER_NICENESS = 10
# PostgreSQL's processes hold locks that answers wait for as well.
DATABASE_NICENESS = 5


def lower_priority(*, niceness: int, process: int = 0) -> None:
    """Lower the priority of a process (0: this one) and of its session, never raise it."""
    with suppress(OSError):
        niceness = max(niceness, os.getpriority(os.PRIO_PROCESS, process))
        os.setpriority(os.PRIO_PROCESS, process, niceness)
    with suppress(OSError):  # another system, or the kernel does not group by session
        Path(f"/proc/{process or 'self'}/autogroup").write_text(str(niceness))
