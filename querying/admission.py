"""Who is answered now, and who waits: a question holds one of this process's slots while it is worked on, and none
while a language model elsewhere works on it."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from django.conf import settings

from accounts.quotas import stream_slot
from lexic.concurrency import ConcurrencyLimit, Place
from lexic.middleware.request_limit import leave_request_slot
from querying.answering.llms.delegating import DelegatingLLM
from querying.llm_interface import LLM
from querying.types import Prompt, Question, Turn, Usage


@asynccontextmanager
async def admit(question: Question) -> AsyncIterator[Place]:
    """A place among the questions that are answered at once, of the account and of this process. Golden questions and
    evaluations have a limit of their own, which nobody else shares. Raises `TooManyStreams`, `Overloaded`."""
    leave_request_slot()
    caller = question.caller
    if caller.is_evaluation:
        yield ConcurrencyLimit(slots=1, queue=0).enter()
        return
    account = str(caller.user_id or f"visitors:{question.release.plugin_id}")
    async with stream_slot(account, visitor=caller.visitor):
        place = answer_limit().enter()
        try:
            yield place
        finally:
            place.leave()


@functools.cache
def answer_limit() -> ConcurrencyLimit:
    """That of this process."""
    return ConcurrencyLimit(slots=settings.ANSWERS_AT_ONCE, queue=settings.ANSWER_QUEUE)


class OutsideLLM(DelegatingLLM):
    """A model elsewhere, as one question asks it: the question holds no slot while it waits for the model, and none any
    more once the model writes."""

    def __init__(self, llm: LLM, place: Place) -> None:
        super().__init__(llm)
        self._place = place

    def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        self._place.leave()
        return super().generate(prompt)

    async def extract_facts(
        self, *, schema: Mapping[str, Any], question: str, context: Sequence[Turn]
    ) -> tuple[dict[str, Any], Usage]:
        async with self._place.paused():
            return await super().extract_facts(schema=schema, question=question, context=context)

    async def plan(
        self, *, instruction: str, schema: Mapping[str, Any], question: str
    ) -> tuple[dict[str, Any] | None, Usage]:
        async with self._place.paused():
            return await super().plan(instruction=instruction, schema=schema, question=question)
