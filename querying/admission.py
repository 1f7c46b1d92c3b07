"""Admission control: limits how many questions are answered at once. The others wait in a queue."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from accounts.quotas import stream_slot
from lexic.concurrency import ConcurrencyLimit, Place
from lexic.middleware.request_limit import free_request_slot, request_slots
from querying.types.question import Question


@asynccontextmanager
async def admit(question: Question) -> AsyncIterator[Place]:
    """Waits for a slot among the questions that are answered at once, of the account and of this process. Golden
    questions and evaluations have a slot of their own, and do not wait. Raises `TooManyStreams`, `Overloaded`."""
    free_request_slot()
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
    """The limit of this process. Requests that wait to be read go first, so that their callers learn at once that they
    wait."""
    return ConcurrencyLimit(
        slots=settings.ANSWERS_AT_ONCE, queue=settings.ANSWER_QUEUE, kind="questions", first=request_slots()
    )
