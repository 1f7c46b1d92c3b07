"""Whether a copy of the database may answer a search: only when it has all that the search needs.

A copy (`DATABASE_REPLICA_URL`) follows the primary by its log, some moments behind it. It is asked when it has applied
every revision that is searched, and all that the primary had written some seconds ago. Texts and labels of what it
finds are read from the primary, so that nothing comes back that is gone, or that a filter keeps out, by now.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from knowledge.search.revision_statistics import BaseRevision
from lexic.redis_cache import Outage
from lexic.sql_files import read_sql

REPLICA = "replica"
# How old the copy's labels of documents may be when it chooses among them.
MAX_LAG_SECONDS = 5.0
_SAMPLE_SECONDS = 1.0

outage = Outage("The replica of the database")


class _PrimaryLog:
    """How far the primary had written its log lately. One question a second for all threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._samples: deque[tuple[float, str]] = deque()  # when, and the position

    def position(self) -> str:
        """A position that the primary has reached within the last seconds, the earliest that is known. Whoever has
        applied the log up to there is no further behind."""
        with self._lock:
            now = time.monotonic()
            while self._samples and self._samples[0][0] <= now - MAX_LAG_SECONDS:
                self._samples.popleft()
            if not self._samples or self._samples[-1][0] <= now - _SAMPLE_SECONDS:
                self._samples.append((now, _written_position()))
            return self._samples[0][1]

    def forget(self) -> None:
        with self._lock:
            self._samples.clear()


primary_log = _PrimaryLog()


def can_answer(bases: Sequence[BaseRevision]) -> bool:
    """Whether there is a replica, it answers, and it has what a search of these revisions needs.

    Never inside a transaction: what that has written is nowhere else.
    """
    if REPLICA not in connections.databases or connections[DEFAULT_DB_ALIAS].in_atomic_block or outage.is_on():
        return False
    required: dict[str, Any] = {
        "knowledge_bases": [base.knowledge_base_id for base in bases],
        "revisions": [base.revision for base in bases],
        "position": primary_log.position(),
    }
    try:
        with connections[REPLICA].cursor() as cursor:
            cursor.execute(read_sql("knowledge", "replica_is_current"), required)
            (is_current,) = cursor.fetchone()
    except DatabaseError as error:
        mark_unavailable(error)
        return False
    outage.end()
    return bool(is_current)


def mark_unavailable(error: DatabaseError) -> None:
    """Ask the primary for some seconds, because the replica has failed."""
    connections[REPLICA].close()
    outage.begin(error)


def bytes_behind() -> int | None:
    """How many bytes of the primary's log the replica has not applied yet; None if it follows no primary. Raises the
    errors of the database."""
    with connections[REPLICA].cursor() as cursor:
        cursor.execute("SELECT pg_wal_lsn_diff(%s::pg_lsn, pg_last_wal_replay_lsn())", [_written_position()])
        (behind,) = cursor.fetchone()
    return None if behind is None else max(0, int(behind))


def _written_position() -> str:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        # Also what is committed and not yet written, where commits do not wait for the disk.
        cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
        return str(cursor.fetchone()[0])
