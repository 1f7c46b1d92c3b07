"""The format of the notes chat: an answer as plain text, as it comes, or a question back as JSON, never both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from lexic.database import release_connections
from querying import json_format, pipeline
from querying.answering.citation_styles import describe_citation
from querying.presentation.cited_pages import readable_page_ids
from querying.question.clarification_replies import pack_original
from querying.types.answer import Answer
from querying.types.events import Delta, Done, Event, Failed
from querying.types.question import Question

logger = logging.getLogger(__name__)
# A response whose caller has gone before its first byte may be dropped without a word.
UNREAD_SECONDS = 10.0
_INTERRUPTED_NOTE = "\n\nThe answer stopped early. What you see is verified; the rest was not sent."


class AnswerStream:
    """A question that is being answered, with the text of the answer as the body of a response. `first_event` is the
    first text, the whole answer, or the failure.

    The question holds one of the slots for questions that are answered at the same time. If the text is never read, the
    slot is freed when the response is closed, or soon after the response was dropped.
    """

    def __init__(self, question: Question, *, first_event: Event, events: AsyncGenerator[Event]) -> None:
        """Called on the event loop that the events come from."""
        self.question, self.first_event, self._events = question, first_event, events
        self._is_read, self._loop = False, asyncio.get_running_loop()
        self._loop.call_later(UNREAD_SECONDS, self._end_unread)

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """The text, followed by the sources of its marks. Closing it stops the model."""
        self._is_read = True
        async with aclosing(_encode(self.question, self._read_events())) as pieces:
            async for piece in pieces:
                yield piece

    def close(self) -> None:
        """Ends a stream that has not been read. May be called by any thread, and more than once."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_unread)

    def _end_unread(self) -> None:
        if not self._is_read:
            self._is_read = True
            self._ending = asyncio.ensure_future(self._events.aclose())

    async def _read_events(self) -> AsyncGenerator[Event]:
        async with aclosing(self._events) as events:
            yield self.first_event
            async for event in events:
                yield event

    @property
    def followup(self) -> dict[str, str] | None:
        """The question back, where there is one."""
        if not isinstance(self.first_event, Done) or self.first_event.answer.clarification is None:
            return None
        return {
            "type": "followup",
            "followupQuestion": self.first_event.answer.clarification.question,
            "originalQuestion": pack_original(self.question),
        }

    @property
    def failure(self) -> Failed | None:
        return self.first_event if isinstance(self.first_event, Failed) else None


async def open_answer_stream(question: Question) -> AnswerStream:
    """Waits for the first event that tells whether there will be text; a question back comes before any."""
    events = pipeline.stream(question)
    async for event in events:
        if isinstance(event, (Delta, Done, Failed)):
            if not isinstance(event, Delta):
                await events.aclose()
            return AnswerStream(question, first_event=event, events=events)
    raise AssertionError("the pipeline ends with an answer or a failure")


async def _encode(question: Question, events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    has_text = False
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Delta):
                has_text = True
                yield event.text.encode()
            elif isinstance(event, Done):
                # A refusal has sent no text yet; an answer has sent all of it.
                text = "" if has_text else event.answer.text
                try:
                    text += await sync_to_async(_sources_list)(event.answer)
                except DatabaseError:
                    logger.exception("the sources of query %s could not be listed", question.id)
                    text += _INTERRUPTED_NOTE
                yield text.encode()
            elif isinstance(event, Failed):
                yield _INTERRUPTED_NOTE.encode()


def _sources_list(answer: Answer) -> str:
    if not answer.citations:
        return ""
    with release_connections():
        readable = readable_page_ids({citation.passage.page_id for citation in answer.citations}, viewer=None)
    lines = []
    for citation in answer.citations:
        # The address stands there where anybody may read the page.
        url = f" {json_format.source_url(citation)}" if citation.passage.page_id in readable else ""
        lines.append(f"[Source {citation.number}] {describe_citation(citation)}{url}")
    return "\n\nSources:\n" + "\n".join(lines)
