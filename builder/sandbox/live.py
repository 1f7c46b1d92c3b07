"""One question on its way: the events of the pipeline as they come, then the finished turn as it is shown.

The stream is `querying`'s own, with one event more at the end: `{"type": "turn", "id", "html"}`, which is what the
page without JavaScript shows as well.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from asgiref.sync import async_to_sync, sync_to_async

from lexic.database import release_connections
from querying import pipeline, sse, wire
from querying.llms import get_llm
from querying.llms.overheard import Overheard
from querying.types import Clarification, Done, Event, Failed, Prompt, Question


@dataclass
class Asked:
    """A question, and what is known of its answer that the audit row does not keep."""

    question: Question
    llm: Overheard = field(default_factory=lambda: Overheard(get_llm()))
    last: Event | None = None

    @property
    def prompt(self) -> Prompt | None:
        return self.llm.prompt

    @property
    def failure(self) -> Failed | None:
        return self.last if isinstance(self.last, Failed) else None

    @property
    def clarification(self) -> Clarification | None:
        return self.last.answer.clarification if isinstance(self.last, Done) else None

    async def events(self) -> AsyncGenerator[Event]:
        async with aclosing(pipeline.stream(self.question, llm=self.llm)) as events:
            async for event in events:
                self.last = event
                yield event


def answered(question: Question) -> Asked:
    """The question, asked to the end."""
    asked = Asked(question)
    async_to_sync(_exhaust)(asked)
    return asked


async def _exhaust(asked: Asked) -> None:
    async with aclosing(asked.events()) as events:
        async for _ in events:
            pass


async def body(question: Question, *, render: Callable[[Asked], str]) -> AsyncGenerator[bytes]:
    """The response's body. Closing it stops the model; the audit row is written before the turn is rendered."""
    asked = Asked(question)
    async with aclosing(sse.with_pings(asked.events())) as events:
        async for event in events:
            yield sse.PING if event is None else sse.encode(wire.event_as_json(event, question=question))
    html = await sync_to_async(_rendered)(render, asked)
    yield sse.encode({"type": "turn", "id": str(question.id), "html": html})


def _rendered(render: Callable[[Asked], str], asked: Asked) -> str:
    with release_connections():
        return render(asked)
