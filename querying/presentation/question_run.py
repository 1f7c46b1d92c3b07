"""One question on its way, for those who try a plugin out: the events of the pipeline as they come, and one more at
the end with what only they are shown."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async

from accounts.models import User
from knowledge.models import KnowledgeBase
from lexic.database import release_connections
from querying import json_format, pipeline
from querying.answering.llms import get_llm
from querying.answering.llms.recording import RecordingLLM
from querying.presentation import sse
from querying.types import Answer, Clarification, Delta, Done, Event, Failed, Prompt, Question, Status, Step


def format_duration(ms: int) -> str:
    """How people read a time: `62 ms`, `13.8 s`."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


@dataclass
class TimedStep:
    """A step of an answer: what was done, and for how many milliseconds."""

    message: str
    ms: int = 0

    @property
    def duration_text(self) -> str:
        return format_duration(self.ms)


@dataclass
class QuestionRun:
    """A question, and what is known of its answer that the audit row does not keep."""

    question: Question
    llm: RecordingLLM = field(default_factory=lambda: RecordingLLM(get_llm()))
    last: Event | None = None
    steps: list[TimedStep] = field(default_factory=list)

    @property
    def prompt(self) -> Prompt | None:
        return self.llm.prompt

    @property
    def failure(self) -> Failed | None:
        return self.last if isinstance(self.last, Failed) else None

    @property
    def answer(self) -> Answer | None:
        return self.last.answer if isinstance(self.last, Done) else None

    @property
    def clarification(self) -> Clarification | None:
        return self.answer.clarification if self.answer else None

    async def events(self) -> AsyncGenerator[Event]:
        since = time.monotonic()
        async with aclosing(pipeline.stream(self.question, llm=self.llm)) as events:
            async for event in events:
                self.last = event
                if self.steps and not isinstance(event, Delta):
                    self.steps[-1].ms += round((time.monotonic() - since) * 1000)
                    since = time.monotonic()
                if isinstance(event, Status):
                    self._begin(event)
                yield event

    def _begin(self, status: Status) -> None:
        """What was found belongs to the search that found it."""
        if status.step == Step.FOUND and self.steps:
            self.steps[-1].message += f": {status.message}"
        else:
            self.steps.append(TimedStep(message=status.message))


def run_to_end(question: Question) -> QuestionRun:
    """The question, asked to the end."""
    asked = QuestionRun(question)
    async_to_sync(_consume_events)(asked)
    return asked


async def _consume_events(asked: QuestionRun) -> None:
    async with aclosing(asked.events()) as events:
        async for _ in events:
            pass


async def stream_with_final_event(
    question: Question, *, build_final_event: Callable[[QuestionRun], Mapping[str, Any]]
) -> AsyncGenerator[bytes]:
    """The response's body; `conclude` makes its last event. Closing it stops the model. The audit row is written
    before `conclude` is called."""
    asked = QuestionRun(question)
    async with aclosing(sse.with_pings(asked.events())) as events:
        async for event in events:
            yield sse.PING if event is None else sse.encode_sse(json_format.event_as_json(event, question=question))
    yield sse.encode_sse(await sync_to_async(_build_final_event)(build_final_event, asked))


def _build_final_event(
    build_final_event: Callable[[QuestionRun], Mapping[str, Any]], asked: QuestionRun
) -> Mapping[str, Any]:
    with release_connections():
        return build_final_event(asked)


def may_read_prompt(asked: QuestionRun, *, user: User, may_change: bool) -> bool:
    """A prompt holds the persona and whole passages. It is for those who may change the plugin, and who may open
    every document that it quotes: a plugin may read knowledge that belongs to somebody else."""
    if asked.prompt is None or not may_change:
        return False
    needed = {passage.knowledge_base_id for passage in asked.prompt.evidence.passages}
    return KnowledgeBase.objects.visible_to(user).filter(pk__in=needed).distinct().count() == len(needed)
