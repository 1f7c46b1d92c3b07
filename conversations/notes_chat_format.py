"""The wire of the notes chat: an answer as plain text, as it comes, or a question back as JSON, never both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from asgiref.sync import sync_to_async

from knowledge.models import Page
from lexic.database import release_connections
from querying import json_format, pipeline
from querying.answering.citation_styles import describe_citation
from querying.question.followups import pack_original
from querying.types import Answer, Citation, Delta, Done, Event, Failed, Question

_INTERRUPTED_NOTE = "\n\nThe answer stopped early. What you see is verified; the rest was not sent."


@dataclass(frozen=True, kw_only=True)
class AnswerStream:
    """A question that is being answered, up to its first words, its whole answer or its failure (`first`)."""

    question: Question
    first: Event
    events: AsyncGenerator[Event]

    @property
    def followup(self) -> dict[str, str] | None:
        """The question back, where there is one."""
        if not isinstance(self.first, Done) or self.first.answer.clarification is None:
            return None
        return {
            "type": "followup",
            "followupQuestion": self.first.answer.clarification.question,
            "originalQuestion": pack_original(self.question),
        }

    @property
    def failure(self) -> Failed | None:
        return self.first if isinstance(self.first, Failed) else None


async def open_answer_stream(question: Question) -> AnswerStream:
    """Waits until it is known whether there will be text: a question back is asked before any is written."""
    events = pipeline.stream(question)
    async for event in events:
        if isinstance(event, (Delta, Done, Failed)):
            if not isinstance(event, Delta):
                await events.aclose()
            return AnswerStream(question=question, first=event, events=events)
    raise AssertionError("the pipeline ends with an answer or a failure")


async def stream_text(opened: AnswerStream) -> AsyncGenerator[bytes]:
    """The text, and under it what its marks stand for. Closing it stops the model."""
    said = False
    async with aclosing(_with_first_event(opened)) as events:
        async for event in events:
            if isinstance(event, Delta):
                said = True
                yield event.text.encode()
            elif isinstance(event, Done):
                # Of a refusal nothing has been said yet; of an answer, everything.
                text = "" if said else event.answer.text
                yield (text + await sync_to_async(_sources_list)(event.answer)).encode()
            elif isinstance(event, Failed):
                yield _INTERRUPTED_NOTE.encode()


async def _with_first_event(opened: AnswerStream) -> AsyncGenerator[Event]:
    async with aclosing(opened.events) as events:
        yield opened.first
        async for event in events:
            yield event


def _sources_list(answer: Answer) -> str:
    if not answer.citations:
        return ""
    with release_connections():
        cited = {citation.passage.page_id for citation in answer.citations}
        readable = set(Page.objects.visible_to(None).filter(pk__in=cited).values_list("pk", flat=True))
    lines = [_source_line(one, is_open=one.passage.page_id in readable) for one in answer.citations]
    return "\n\nSources:\n" + "\n".join(lines)


def _source_line(citation: Citation, *, is_open: bool) -> str:
    """With its address where anybody may read the page."""
    address = f" {json_format.source_url(citation)}" if is_open else ""
    return f"[Source {citation.number}] {describe_citation(citation)}{address}"
