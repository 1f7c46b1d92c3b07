"""Readers follow a run: its journal from any event on, as it is written, and without what was closed to them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError

from accounts.quotas import FOLLOWERS, stream_slot
from agents.execution import background_runs
from agents.journal.read_access import UnknownRun, may_read_content
from agents.models import AgentEvent, AgentRun, EventKind
from lexic.database import in_thread
from lexic.errors import LexicError
from lexic.http.error_handlers import to_lexic_error
from querying.private_layers import find_principal
from querying.query_log.quotations import WITHHELD_TEXT
from querying.question.caller_access import CHECK_SECONDS, AccessEnded
from querying.types.question import Caller

logger = logging.getLogger(__name__)
# Seconds between two looks into a journal that is being written: soon after an event, later where none comes.
_LEAST_POLL_SECONDS, _MOST_POLL_SECONDS, _POLL_GROWTH = 0.15, 0.6, 1.3
# Seconds that a reader waits for a database that is away.
_OUTAGE_SECONDS = 20.0
# What anybody may see who may see the run.
_WITHOUT_CONTENT = {EventKind.RUN, EventKind.AGENT_TYPE, EventKind.DONE, EventKind.ERROR}


@dataclass(frozen=True, kw_only=True)
class JournalEvent:
    """An event as it is sent to clients. An event without a number is not in the journal."""

    number: int | None
    kind: str
    data: dict[str, Any]


async def follow(run_id: UUID, *, caller: Caller, after: int = 0) -> AsyncGenerator[JournalEvent]:
    """Yields the events after this number until the run ends, the last one being `done` or `error`
    (`too_many_followers` where the person follows too many runs). Resumes a run whose process has died. Closing the
    iterator does not stop the run."""
    reader = _Reader(run_id=run_id, caller=caller, after=after)
    pause = _LEAST_POLL_SECONDS
    try:
        async with stream_slot(str(caller.user_id), quota=FOLLOWERS):
            while True:
                events, has_ended = await reader.look_when_reachable()
                for event in events:
                    yield event
                if has_ended:
                    return
                pause = _LEAST_POLL_SECONDS if events else min(pause * _POLL_GROWTH, _MOST_POLL_SECONDS)
                await asyncio.sleep(pause)
    except LexicError as error:
        yield _error_event(error)
    except Exception as error:
        logger.exception("the journal of run %s could not be read", run_id)
        yield _error_event(to_lexic_error(error))


@dataclass
class _Reader:
    """Where a reader is in the journal, and whether its content was closed to them when that was last looked up."""

    run_id: UUID
    caller: Caller
    after: int
    is_withheld: bool = False
    looked_up: float = -CHECK_SECONDS
    has_said_so: bool = False

    async def look_when_reachable(self) -> tuple[list[JournalEvent], bool]:
        """`look`, again where the connection was lost: the journal is still there when the database is back."""
        end = time.monotonic() + _OUTAGE_SECONDS
        while True:
            try:
                return await in_thread(self.look)
            except (OperationalError, InterfaceError):
                if time.monotonic() >= end:
                    raise
                await asyncio.sleep(_MOST_POLL_SECONDS)

    def look(self) -> tuple[list[JournalEvent], bool]:
        """What is new, and whether nothing follows: one small statement where nothing is new. Raises `AccessEnded`,
        `UnknownRun`."""
        if time.monotonic() - self.looked_up >= CHECK_SECONDS:
            self._look_up_access()
        run = AgentRun.objects.with_newest_event().filter(pk=self.run_id).first()
        if run is None:
            raise UnknownRun
        if run.is_interrupted:
            background_runs.resume_if_abandoned(self.run_id)
        rows = list(AgentEvent.objects.filter(run=run).after(self.after)) if run.newest_event > self.after else []
        self.after = rows[-1].number if rows else self.after
        return list(self._visible_events(rows)), run.has_ended

    def _look_up_access(self) -> None:
        run = AgentRun.objects.select_related("session").filter(pk=self.run_id).first()
        if run is None:
            raise UnknownRun
        principal = find_principal(self.caller)
        if principal is None:
            raise AccessEnded
        if not AgentRun.objects.visible_to(principal).filter(pk=run.pk).exists():
            raise UnknownRun
        self.is_withheld, self.looked_up = not may_read_content(run, principal), time.monotonic()

    def _visible_events(self, rows: Sequence[AgentEvent]) -> Iterator[JournalEvent]:
        for row in rows:
            if not self.is_withheld or row.kind in _WITHOUT_CONTENT:
                yield JournalEvent(number=row.number, kind=row.kind, data=row.data)
            elif row.kind == EventKind.CONTENT and not self.has_said_so:
                self.has_said_so = True
                yield JournalEvent(number=row.number, kind=row.kind, data={"text": WITHHELD_TEXT})


def _error_event(error: LexicError) -> JournalEvent:
    data = {"message": error.message, "code": error.code, "hint": error.hint}
    return JournalEvent(number=None, kind=EventKind.ERROR, data=data)
