"""A question that is asked on a page: the events of the pipeline, and a last one with what the page shows."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.utils.formats import number_format

from accounts.models import User
from knowledge.models import KnowledgeBase
from lexic.database import release_connections
from lexic.http.error_handlers import to_lexic_error
from querying import json_format, pipeline
from querying.answering.drop_reasons import DropExplanation, explain_drops
from querying.answering.llms import get_llm
from querying.answering.llms.recording import RecordingLLM
from querying.presentation import sse
from querying.types.answer import Answer, Clarification
from querying.types.events import Delta, Done, Event, Failed, Status, Step
from querying.types.prompt import Prompt
from querying.types.question import Question

logger = logging.getLogger(__name__)


def format_duration(ms: int) -> str:
    """A duration in words: `62 ms`, or from one second on `13.8 s`."""
    return f"{ms} ms" if ms < 1000 else f"{number_format(float(f'{ms / 1000:.1f}'), decimal_pos=1)} s"


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
    """A question, and what is known of its answer, also what the query row does not keep."""

    question: Question
    llm: RecordingLLM = field(default_factory=lambda: RecordingLLM(get_llm()))
    last_event: Event | None = None
    steps: list[TimedStep] = field(default_factory=list)

    @property
    def prompt(self) -> Prompt | None:
        return self.llm.prompt

    @property
    def failure(self) -> Failed | None:
        return self.last_event if isinstance(self.last_event, Failed) else None

    @property
    def answer(self) -> Answer | None:
        return self.last_event.answer if isinstance(self.last_event, Done) else None

    @property
    def clarification(self) -> Clarification | None:
        return self.answer.clarification if self.answer else None

    async def events(self) -> AsyncGenerator[Event]:
        """The events of the pipeline. Each step is timed until the event that follows it."""
        since = time.monotonic()
        async with aclosing(pipeline.stream(self.question, llm=self.llm)) as events:
            async for event in events:
                self.last_event = event
                if self.steps and not isinstance(event, Delta):
                    self.steps[-1].ms += round((time.monotonic() - since) * 1000)
                    since = time.monotonic()
                if isinstance(event, Status) and event.step == Step.FOUND and self.steps:
                    # What was found belongs to the search that found it.
                    self.steps[-1].message += f": {event.message}"
                elif isinstance(event, Status):
                    self.steps.append(TimedStep(message=event.message))
                yield event


def run_to_end(question: Question) -> QuestionRun:
    """Asks the question and waits for its answer."""
    run = QuestionRun(question)

    async def consume_events() -> None:
        async with aclosing(run.events()) as events:
            async for _ in events:
                pass

    async_to_sync(consume_events)()
    return run


async def stream_with_final_event(
    question: Question, *, build_final_event: Callable[[QuestionRun], Mapping[str, Any]]
) -> AsyncGenerator[bytes]:
    """The response's body. `build_final_event` makes the last event, once the query row is written; where that fails,
    the last event is the error. Closing the body stops the language model."""
    run = QuestionRun(question)
    async with aclosing(sse.encode_events(run.events(), question=question)) as body:
        async for block in body:
            yield block
    try:
        last = await sync_to_async(release_connections()(build_final_event))(run)
    except Exception as raised:
        logger.exception("the last event of query %s could not be made", question.id)
        if run.failure:  # the caller has been told
            return
        last = json_format.event_as_json(Failed.from_error(to_lexic_error(raised)), question=question)
    yield sse.encode_sse(last)


@dataclass(frozen=True, kw_only=True)
class ModelWork:
    """What a language model was sent, and what it wrote that no passage supports. `prompt` is None where none was made,
    and where it is withheld; then nothing is told of what was dropped either."""

    prompt: Sequence[Mapping[str, str]] | None
    prompt_withheld: bool
    dropped: Sequence[DropExplanation]


def model_work(run: QuestionRun, *, user: User, may_change: bool) -> ModelWork:
    """The model's work as this person may see it."""
    may_read = _may_read_prompt(run, user=user, may_change=may_change)
    return ModelWork(
        prompt=run.prompt.messages if run.prompt and may_read else None,
        prompt_withheld=run.prompt is not None and not may_read,
        dropped=explain_drops(run.answer.dropped) if run.answer and may_read else (),
    )


def _may_read_prompt(run: QuestionRun, *, user: User, may_change: bool) -> bool:
    """Whether this person may read the prompt, which holds the persona and whole passages: who may change the plugin,
    and may open every knowledge base that it quotes. A plugin may read knowledge that belongs to somebody else."""
    if run.prompt is None or not may_change:
        return False
    needed = {passage.knowledge_base_id for passage in run.prompt.evidence.passages}
    return KnowledgeBase.objects.visible_to(user).filter(pk__in=needed).distinct().count() == len(needed)
