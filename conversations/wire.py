"""The wire of the notes chat: an answer as plain text, as it comes, or a question back as JSON, never both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from asgiref.sync import sync_to_async

from knowledge.models import Page
from lexic.database import release_connections
from querying import composing, pipeline, wire
from querying.render import describe
from querying.types import Answer, Citation, Delta, Done, Event, Failed, Question

_BROKEN_OFF = "\n\nThe answer stopped early. What you see is verified; the rest was not sent."


@dataclass(frozen=True, kw_only=True)
class Opened:
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
            "originalQuestion": composing.as_original(self.question),
        }

    @property
    def failure(self) -> Failed | None:
        return self.first if isinstance(self.first, Failed) else None


async def opened(question: Question) -> Opened:
    """Waits until it is known whether there will be text: a question back is asked before any is written."""
    events = pipeline.stream(question)
    async for event in events:
        if isinstance(event, (Delta, Done, Failed)):
            if not isinstance(event, Delta):
                await events.aclose()
            return Opened(question=question, first=event, events=events)
    raise AssertionError("the pipeline ends with an answer or a failure")


async def body(opened: Opened) -> AsyncGenerator[bytes]:
    """The text, and under it what its marks stand for. Closing it stops the model."""
    said = False
    async with aclosing(_from_the_first(opened)) as events:
        async for event in events:
            if isinstance(event, Delta):
                said = True
                yield event.text.encode()
            elif isinstance(event, Done):
                # Of a refusal nothing has been said yet; of an answer, everything.
                text = "" if said else event.answer.text
                yield (text + await sync_to_async(_sources)(event.answer)).encode()
            elif isinstance(event, Failed):
                yield _BROKEN_OFF.encode()


async def _from_the_first(opened: Opened) -> AsyncGenerator[Event]:
    async with aclosing(opened.events) as events:
        yield opened.first
        async for event in events:
            yield event


def _sources(answer: Answer) -> str:
    if not answer.citations:
        return ""
    with release_connections():
        cited = {citation.passage.page_id for citation in answer.citations}
        readable = set(Page.objects.visible_to(None).filter(pk__in=cited).values_list("pk", flat=True))
    lines = [_source(one, is_open=one.passage.page_id in readable) for one in answer.citations]
    return "\n\nSources:\n" + "\n".join(lines)


def _source(citation: Citation, *, is_open: bool) -> str:
    """With its address where anybody may read the page."""
    address = f" {wire.source_url(citation)}" if is_open else ""
    return f"[Source {citation.number}] {describe(citation)}{address}"
