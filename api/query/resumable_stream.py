"""A streamed answer that can be resumed after a broken connection, by the id of the last event that arrived.

The answer is made in a task of its own. When its reader is gone it goes on for `LEXIC_RESUME_SECONDS`, and for as long
as somebody has come back for it; then it is stopped, and the language model with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import UUID

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from accounts.models import ApiKey
from api.query.event_journal import EventJournal
from lexic.database import release_connections
from lexic.errors import LexicError, NotFound
from lexic.http.parameters import parse_natural
from plugins.slugs import parse_id
from querying import json_format, pipeline
from querying.presentation import sse
from querying.types.events import Event, Failed
from querying.types.question import Question

E = TypeVar("E")
LAST_EVENT = OpenApiParameter(
    "Last-Event-ID",
    str,
    OpenApiParameter.HEADER,
    description="Of a stream: continue after this event; possible for two minutes.",
)
# How often an answer without a reader looks whether somebody has come back, and a reader whether there is more.
_CHECK_SECONDS, _POLL_SECONDS = 1.0, 0.1
# How often an answer that is being made says so in its journal, where the word counts for three times as long. Of many
# that wait, each would keep a thread and Redis busy with it.
_SIGN_SECONDS = 3.0
# How long an event waits for others that are written down with it, in one message to Redis.
_GATHER_SECONDS = 0.02
# An event reaches its reader before it is written down, so one who comes back at once may be too early by this much.
_UNWRITTEN_SECONDS = 1.0
_MAX_NUMBER_DIGITS = 6
# The loop keeps only weak references to its tasks.
_tasks: set[asyncio.Task[None]] = set()


class UnknownStreamEvent(NotFound):
    """There is no such event to continue behind."""

    code = "unknown_stream_event"
    hint = "Events are kept for two minutes, for the same key and the same body. Ask again without Last-Event-ID."


class StreamInterrupted(LexicError):
    """The answer was not finished."""

    code = "answer_interrupted"
    status = 503
    hint = "Ask again without Last-Event-ID."


def parse_event_id(text: str) -> tuple[UUID, int]:
    """The answer and the number of an event's id, `{queryId}:{n}`. Raises `UnknownStreamEvent`."""
    name, _, number = text.rpartition(":")
    question_id, after = parse_id(name), parse_natural(number, max_digits=_MAX_NUMBER_DIGITS)
    if question_id is None or after is None:
        raise UnknownStreamEvent
    return question_id, after


@dataclass(frozen=True, kw_only=True)
class EventSource(Generic[E]):
    """What a stream is made of: its events, how each looks in JSON, and the id by which the stream is resumed."""

    id: UUID
    events: AsyncGenerator[E]
    encode: Callable[[E], Mapping[str, Any]]


def events_of_question(question: Question) -> EventSource[Event]:
    encode = partial(json_format.event_as_json, question=question)
    return EventSource(id=question.id, events=pipeline.stream(question), encode=encode)


async def stream_events(source: EventSource[Any], *, journal: EventJournal) -> AsyncGenerator[bytes]:
    """The response's body: events with ids, and pings between them."""
    run = _AnswerRun(source, journal=journal)
    task = asyncio.create_task(run.make())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    try:
        async with aclosing(sse.with_pings(run.blocks())) as timed:
            async for block in timed:
                yield sse.PING if block is None else block
        await task
    finally:
        run.left_at = time.monotonic()
        if settings.RESUME_SECONDS == 0:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def stream_response(
    request: Request, make_source: Callable[[], EventSource[Any]], *, check_access: Callable[[Request], None]
) -> HttpResponseBase:
    """The events as a response, or those behind the one that the request names, where the key still may: raises what
    `check_access` raises. Raises `UnknownStreamEvent`, and what making the source raises."""
    assert isinstance(request.auth, ApiKey)
    if last := request.headers.get("Last-Event-ID"):
        with release_connections():
            check_access(request)
        stream_id, after = parse_event_id(last)
        journal = EventJournal.of(stream_id, key=request.auth, body=request.data)
        if not _is_soon_known(journal):
            raise UnknownStreamEvent
        return sse.event_stream_response(stream_rest(journal, after=after))
    source = make_source()
    journal = EventJournal.of(source.id, key=request.auth, body=request.data)
    return sse.event_stream_response(stream_events(source, journal=journal))


def _is_soon_known(journal: EventJournal) -> bool:
    """Whether the journal has an event, or gets one in a moment."""
    deadline = time.monotonic() + _UNWRITTEN_SECONDS
    while not journal.is_known():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


async def stream_rest(journal: EventJournal, *, after: int) -> AsyncGenerator[bytes]:
    """The response's body: the events behind this number that are kept, and those to come."""
    async with aclosing(sse.with_pings(_read_rest(journal, after=after))) as timed:
        async for block in timed:
            yield sse.PING if block is None else block


async def _read_rest(journal: EventJournal, *, after: int) -> AsyncGenerator[bytes]:
    while True:
        kept = await asyncio.to_thread(journal.read, after=after)
        for block in kept.blocks:
            yield block
        after += len(kept.blocks)
        if kept.has_ended:
            return
        if not kept.is_alive:  # its process is gone, or it was stopped
            failed = Failed.from_error(StreamInterrupted())
            yield sse.encode_sse(json_format.failed_as_json(failed))
            return
        await asyncio.sleep(_POLL_SECONDS)


class _AnswerRun:
    """An answer that is being made. `left_at`: when its first reader went away."""

    def __init__(self, source: EventSource[Any], *, journal: EventJournal) -> None:
        self._source, self._journal = source, journal
        self._live: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._unkept: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._is_given_up = False
        self.left_at: float | None = None

    async def blocks(self) -> AsyncGenerator[bytes]:
        while (block := await self._live.get()) is not None:
            yield block

    async def make(self) -> None:
        """Makes the answer to its end, or until no reader is left."""
        keeping = asyncio.create_task(self._keep())
        number = 0
        try:
            timed = sse.with_pings(self._source.events, seconds=_CHECK_SECONDS)
            async with ThreadSensitiveContext(), aclosing(timed) as events:
                async for event in events:
                    if event is not None:
                        number += 1
                        self._add_event(event, number)
                    if await self._is_abandoned():
                        await self._give_up(keeping)
                        return
        except BaseException:
            keeping.cancel()
            raise
        finally:
            self._live.put_nowait(None)
            self._unkept.put_nowait(None)
        await keeping

    def _add_event(self, event: Any, number: int) -> None:
        block = sse.encode_sse(self._source.encode(event), event_id=f"{self._source.id}:{number}")
        self._live.put_nowait(block)
        self._unkept.put_nowait(block)

    async def _give_up(self, keeping: asyncio.Task[None]) -> None:
        """Deletes the journal: an answer that was stopped half-way cannot be resumed. The task that writes also
        deletes, so that nothing is written afterwards."""
        self._is_given_up = True
        self._unkept.put_nowait(None)
        await keeping

    async def _keep(self) -> None:
        """Writes the events down beside the answer, which does not wait for it."""
        while True:
            blocks = await self._next_unkept()
            if not blocks:
                await asyncio.to_thread(self._journal.keep_alive)
                continue
            if self._is_given_up:
                await asyncio.to_thread(self._journal.forget)
                return
            if events := [block for block in blocks if block is not None]:
                await asyncio.to_thread(self._journal.append, events)
            if None in blocks:
                await asyncio.to_thread(self._journal.finish)
                return

    async def _next_unkept(self) -> list[bytes | None]:
        """The events that come one soon after the other, with None at their end; empty where none comes."""
        blocks: list[bytes | None] = []
        with suppress(TimeoutError):
            blocks.append(await asyncio.wait_for(self._unkept.get(), timeout=_SIGN_SECONDS))
            async with asyncio.timeout(_GATHER_SECONDS):
                while blocks[-1] is not None:
                    blocks.append(await self._unkept.get())
        return blocks

    async def _is_abandoned(self) -> bool:
        if self.left_at is None:
            return False
        if await asyncio.to_thread(self._journal.is_being_read):
            self.left_at = time.monotonic()
        return time.monotonic() - self.left_at >= settings.RESUME_SECONDS
