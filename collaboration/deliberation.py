"""Runs a collaboration from its first question to its result, as one stream of events.

Each expert is asked by the pipeline that answers every question, so whatever it says is verified against its own
documents, and each time is a row of the log. With a language model a later round is the same question with what
the others said as material; without one the expert's documents are searched for these statements (`reactions`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from collaboration.collaboration_types import (
    MAX_ROUNDS,
    CollaborationDone,
    CollaborationEvent,
    CollaborationStatus,
    Expert,
    ExpertResponded,
    ExpertsResolved,
    ExpertThinking,
    Mode,
    Response,
    Round,
    RoundCompleted,
    RoundStarted,
    Statement,
)
from collaboration.consensus import build_consensus
from collaboration.expert_sources import count_sources
from collaboration.reactions import make_response, react, reactions_in
from collaboration.statements import statements_of
from lexic.database import in_thread
from lexic.errors import LexicError
from querying import pipeline
from querying.answering.guard import refusal_answer
from querying.answering.llms import get_llm
from querying.llm_interface import LLM
from querying.question import caller_access
from querying.question.caller_access import AccessEnded
from querying.types.answer import Outcome
from querying.types.events import AnswerFailed, Failed

T = TypeVar("T")
# Counts so many more questions of the caller. Raises `RateLimited`.
Count = Callable[[int], Awaitable[None]]


async def stream_collaboration(
    experts: Sequence[Expert], *, mode: Mode, max_rounds: int = MAX_ROUNDS, count: Count, llm: LLM | None = None
) -> AsyncGenerator[CollaborationEvent]:
    """The events of a collaboration. The last one is `CollaborationDone`, or `Failed` after an error.

    The caller has counted the questions of the first round. An expert that cannot be asked again, for example because
    the limit of the caller is used up, keeps its answer of the round before.
    """
    collaboration = _Collaboration(experts, mode=mode, max_rounds=max_rounds, count=count, llm=llm or get_llm())
    try:
        async with aclosing(collaboration.run()) as events:
            async for event in events:
                yield event
    except Exception as error:
        yield Failed.from_error(pipeline.as_lexic_error(error, experts[0].question))


async def run_collaboration(
    experts: Sequence[Expert], *, mode: Mode, max_rounds: int = MAX_ROUNDS, count: Count, llm: LLM | None = None
) -> CollaborationDone | Failed:
    """The last event of the collaboration."""
    last: CollaborationEvent | None = None
    async with aclosing(
        stream_collaboration(experts, mode=mode, max_rounds=max_rounds, count=count, llm=llm)
    ) as events:
        async for event in events:
            last = event
    assert isinstance(last, CollaborationDone | Failed)
    return last


class _Collaboration:
    def __init__(self, experts: Sequence[Expert], *, mode: Mode, max_rounds: int, count: Count, llm: LLM) -> None:
        self._experts, self._mode, self._llm, self._count = tuple(experts), mode, llm, count
        self._total = 1 if mode == Mode.CONSENSUS else max_rounds
        self._rounds: list[Round] = []
        self._latest: dict[Expert, Response] = {}
        # What each of them has been told, so that it is told nothing twice.
        self._heard: dict[Expert, set[str]] = {expert: set() for expert in experts}
        self._started = time.monotonic()

    async def run(self) -> AsyncGenerator[CollaborationEvent]:
        counts = await in_thread(lambda: tuple(count_sources(one.question) for one in self._experts))
        yield ExpertsResolved(experts=self._experts, source_counts=counts)
        for number in range(1, self._total + 1):
            if number > 1 and not any(self._news_for(expert, ()) for expert in self._experts):
                yield CollaborationStatus(status="settled", message="Nobody has anything new to regard")
                break
            if number > 1:
                await in_thread(self._check_access)
            async with aclosing(self._round(number)) as events:
                async for event in events:
                    yield event
        yield CollaborationStatus(status="synthesizing", message="Comparing what the experts say")
        rounds = tuple(self._rounds)
        consensus = await in_thread(build_consensus, rounds)
        elapsed = round(1000 * (time.monotonic() - self._started))
        yield CollaborationDone(rounds=rounds, consensus=consensus, latency_ms=elapsed)

    def _check_access(self) -> None:
        """Raises `AccessEnded` where the caller may not ask one of them any more."""
        for expert in self._experts:
            caller_access.check_access(expert.question)

    async def _round(self, number: int) -> AsyncGenerator[CollaborationEvent]:
        yield RoundStarted(number=number, total=self._total)
        responses: list[Response] = []
        for group in self._groups():
            for expert in group:
                yield ExpertThinking(expert=expert, message=self._thinking(expert, number))
            work = [self._ask_expert(expert, self._news_for(expert, responses), number) for expert in group]
            async with aclosing(_in_order(work, at_once=1 if self._llm.is_offline else len(work))) as done:
                async for response in done:
                    responses.append(response)
                    self._latest[response.expert] = response
                    yield ExpertResponded(number=number, response=response)
        if all(response.failed for response in responses):
            assert responses[0].failed is not None
            raise AnswerFailed(responses[0].failed)
        self._rounds.append(Round(number=number, responses=tuple(responses)))
        yield RoundCompleted(number=number)

    def _groups(self) -> list[tuple[Expert, ...]]:
        """Who is asked together. In a review the others hear the first one before they speak."""
        lead, *others = self._experts
        return [(lead,), tuple(others)] if self._mode == Mode.REVIEW else [self._experts]

    def _thinking(self, expert: Expert, number: int) -> str:
        if self._hears_others(expert, number):
            return f"{expert.name} holds what the others say against its documents"
        return f"{expert.name} reads its documents"

    def _hears_others(self, expert: Expert, number: int) -> bool:
        return number > 1 or (self._mode == Mode.REVIEW and expert is not self._experts[0])

    # --- What is said -------------------------------------------------------------------------------------------

    async def _ask_expert(self, expert: Expert, news: Sequence[Statement], number: int) -> Response:
        self._heard[expert].update(statement.text for statement in news)
        before = self._latest.get(expert)
        try:
            if not self._hears_others(expert, number):
                return await self._new_answer(expert, before, ())
            if not news:
                return _unchanged(before) if before else _silent(expert)
            if number > 1:
                await self._count(1)
            if self._llm.is_offline:
                return await react(expert, before=before, statements=news, llm=self._llm)
            return await self._new_answer(expert, before, news)
        except AccessEnded:
            raise
        except LexicError as error:
            return _failed(expert, before, Failed.from_error(error))

    async def _new_answer(self, expert: Expert, before: Response | None, news: Sequence[Statement]) -> Response:
        """Raises `AnswerFailed`, `AccessEnded`."""
        question = expert.ask_again([statement.as_peer() for statement in news]) if news else expert.question
        last = await pipeline.answer(question, llm=self._llm)
        if isinstance(last, Failed):
            raise AccessEnded if last.code == AccessEnded.code else AnswerFailed(last)
        answer = last.answer
        if before and before.is_answered and answer.outcome != Outcome.ANSWERED:
            return _unchanged(before, "Nothing of its second answer could be verified; the first one stands.")
        reactions = await in_thread(reactions_in, answer, expert, news)
        return make_response(question, answer, expert=expert, before=before, reactions=reactions)

    def _news_for(self, expert: Expert, now: Sequence[Response]) -> list[Statement]:
        """What others say by now that this expert has not heard. In a review the reviewers hear the first one only."""
        lead = self._experts[0]
        speakers = (lead,) if self._mode == Mode.REVIEW and expert is not lead else self._experts
        others = [one for one in speakers if one is not expert]
        latest = {**self._latest, **{response.expert: response for response in now}}
        said = [statement for one in others if one in latest for statement in statements_of(latest[one].answer, one)]
        return [statement for statement in said if statement.text not in self._heard[expert]]


def _silent(expert: Expert) -> Response:
    """Of an expert that was told nothing, because the first one has said nothing."""
    answer = refusal_answer("nothing_to_review", text="There is no verified answer to review.")
    return Response(expert=expert, question_id=expert.question.id, answer=answer)


def _unchanged(before: Response, note: str = "") -> Response:
    return Response(expert=before.expert, question_id=before.question_id, answer=before.answer, note=note)


def _failed(expert: Expert, before: Response | None, failed: Failed) -> Response:
    """What it said before stands."""
    if before and before.failed is None:
        return _unchanged(before, f"It could not be asked again: {failed.error}")
    answer = refusal_answer(failed.code, text=failed.error)
    return Response(expert=expert, question_id=expert.question.id, answer=answer, failed=failed)


async def _in_order(work: Sequence[Coroutine[Any, Any, T]], *, at_once: int) -> AsyncGenerator[T]:
    """What the work gives, in its order, done by so many at once. Closing it stops what is under way."""
    slots = asyncio.Semaphore(at_once)

    async def in_slot(one: Coroutine[Any, Any, T]) -> T:
        async with slots:
            return await one

    tasks = [asyncio.ensure_future(in_slot(one)) for one in work]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for one in work:
            one.close()
