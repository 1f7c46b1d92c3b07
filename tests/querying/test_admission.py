"""Who is answered now, and who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from plugins.models import Plugin
from querying import admission, pipeline, releases
from querying.models import Query
from querying.types import Caller, Delta, Done, Event, Failed, Question, Status
from tests.querying.scripted import Scripted

pytestmark = pytest.mark.django_db

TEXT = "What is the minimum cover for a beam exposed to weather?"
WRITTEN = "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 3


@pytest.fixture(autouse=True)
def one_at_a_time(settings: Any) -> Iterator[None]:
    settings.ANSWERS_AT_ONCE, settings.ANSWER_QUEUE = 1, 2
    admission.answer_limit.cache_clear()
    yield
    admission.answer_limit.cache_clear()


def asked(plugin: Plugin, **caller: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=TEXT, release=release, caller=Caller(name="test", **caller))


def test_a_question_waits_for_the_one_before_it_and_says_so(published: Plugin) -> None:
    first, second, third = (asked(published) for _ in range(3))

    @async_to_sync
    async def run() -> tuple[list[Event], list[Event]]:
        holding = pipeline.stream(first, llm=Scripted(WRITTEN))
        while not isinstance(await anext(holding), Delta):
            pass
        waiting = asyncio.ensure_future(events_of(second))
        await until(lambda: admission.answer_limit()._count_waiting() == 1)
        last = asyncio.ensure_future(events_of(third))
        await until(lambda: admission.answer_limit()._count_waiting() == 2)
        assert not waiting.done()
        await holding.aclose()
        return await waiting, await last

    events, last = run()
    assert isinstance(events[-1], Done)
    assert isinstance(last[-1], Done)
    messages = [event.message for event in last if isinstance(event, Status)]
    assert messages[:2] == ["Reading the question", "Waiting for 1 question asked before"]


def test_a_model_elsewhere_holds_no_slot_while_it_writes(published: Plugin) -> None:
    first, second = asked(published), asked(published)

    class Elsewhere(Scripted):
        is_offline = False

    @async_to_sync
    async def run() -> Event:
        async with aclosing(pipeline.stream(first, llm=Elsewhere(WRITTEN))) as writing:
            while not isinstance(await anext(writing), Delta):
                pass
            return await pipeline.answer(second, llm=Scripted(WRITTEN))

    assert isinstance(run(), Done)


def test_a_full_line_refuses_and_says_when_to_come_back(published: Plugin) -> None:
    questions = [asked(published) for _ in range(4)]

    @async_to_sync
    async def run() -> Event:
        holding = pipeline.stream(questions[0], llm=Scripted(WRITTEN))
        while not isinstance(await anext(holding), Delta):
            pass
        waiting = [asyncio.ensure_future(events_of(question)) for question in questions[1:3]]
        await until(lambda: admission.answer_limit()._count_waiting() == 2)
        refused = await pipeline.answer(questions[3], llm=Scripted(WRITTEN))
        await holding.aclose()
        await asyncio.gather(*waiting)
        return refused

    refused = run()
    assert isinstance(refused, Failed)
    assert (refused.code, refused.status) == ("overloaded", 503)
    assert refused.retry_after
    assert sorted(Query.objects.values_list("outcome", flat=True)) == ["abandoned", "answered", "answered", "failed"]


def test_a_caller_who_leaves_the_line_holds_up_nobody(published: Plugin) -> None:
    questions = [asked(published) for _ in range(3)]

    @async_to_sync
    async def run() -> Event:
        holding = pipeline.stream(questions[0], llm=Scripted(WRITTEN))
        while not isinstance(await anext(holding), Delta):
            pass
        leaving = asyncio.ensure_future(events_of(questions[1]))
        await until(lambda: admission.answer_limit()._count_waiting() == 1)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await holding.aclose()
        return await pipeline.answer(questions[2], llm=Scripted(WRITTEN))

    assert isinstance(run(), Done)
    assert admission.answer_limit()._working == 0


def test_golden_questions_wait_for_nobody(published: Plugin) -> None:
    first, golden = asked(published), asked(published, is_evaluation=True)

    @async_to_sync
    async def run() -> Event:
        async with aclosing(pipeline.stream(first, llm=Scripted(WRITTEN))) as holding:
            while not isinstance(await anext(holding), Delta):
                pass
            return await pipeline.answer(golden, llm=Scripted(WRITTEN))

    assert isinstance(run(), Done)


async def events_of(question: Question) -> list[Event]:
    async with aclosing(pipeline.stream(question, llm=Scripted(WRITTEN))) as events:
        return [event async for event in events]


async def until(is_true: Any) -> None:
    async with asyncio.timeout(20):
        while not is_true():
            await asyncio.sleep(0.005)
