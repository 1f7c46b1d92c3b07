"""Who is answered now, and who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from lexic.concurrency import Place
from plugins.models import Plugin
from querying import admission, pipeline, releases
from querying.models import Query
from querying.types.events import Done, Event, Failed, Status
from querying.types.question import Caller, Question
from tests.querying.scripted import Scripted

pytestmark = pytest.mark.django_db

TEXT = "What is the minimum cover for a beam exposed to weather?"
WRITTEN = "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 3


@pytest.fixture(autouse=True)
def one_at_a_time(settings: Any) -> Iterator[None]:
    settings.ANSWERS_AT_ONCE, settings.ANSWER_QUEUE = 1, 2
    admission.answer_limit.cache_clear()
    yield
    limit = admission.answer_limit()
    admission.answer_limit.cache_clear()
    assert (limit._working, limit._entered) == (0, 0)


def asked(plugin: Plugin, **caller: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=TEXT, release=release, caller=Caller(name="test", **caller))


async def somebody_at_work() -> Place:
    place = admission.answer_limit().enter()
    await place.take_slot()
    return place


def test_a_question_waits_for_those_before_it_and_says_so(published: Plugin) -> None:
    first, second = asked(published), asked(published)

    @async_to_sync
    async def run() -> tuple[list[Event], list[Event]]:
        holding = await somebody_at_work()
        waiting = asyncio.ensure_future(events_of(first))
        await until(lambda: admission.answer_limit()._count_waiting() == 1)
        last = asyncio.ensure_future(events_of(second))
        await until(lambda: admission.answer_limit()._count_waiting() == 2)
        assert not waiting.done()
        await asyncio.sleep(0.01)
        holding.leave()
        return await waiting, await last

    events, last = run()
    assert isinstance(events[-1], Done)
    assert isinstance(last[-1], Done)
    messages = [event.message for event in last if isinstance(event, Status)]
    assert messages[:2] == ["Reading the question", "Waiting for 1 question asked before"]
    assert all(query.timings["wait"] >= 10 for query in Query.objects.all())


def test_a_stream_that_nobody_reads_holds_up_nobody(published: Plugin) -> None:
    first, second = asked(published), asked(published)

    @async_to_sync
    async def run() -> Event:
        async with aclosing(pipeline.stream(first, llm=Scripted(WRITTEN))) as unread:
            while (await anext(unread)).__class__ is Status:  # the first words have come; nobody asks for the next ones
                pass
            return await pipeline.answer(second, llm=Scripted(WRITTEN))

    assert isinstance(run(), Done)


def test_a_full_line_refuses_and_says_when_to_come_back(published: Plugin) -> None:
    questions = [asked(published) for _ in range(3)]

    @async_to_sync
    async def run() -> Event:
        holding = await somebody_at_work()
        waiting = [asyncio.ensure_future(events_of(question)) for question in questions[:2]]
        await until(lambda: admission.answer_limit()._entered == 3)
        refused = await pipeline.answer(questions[2], llm=Scripted(WRITTEN))
        holding.leave()
        await asyncio.gather(*waiting)
        return refused

    refused = run()
    assert isinstance(refused, Failed)
    assert (refused.code, refused.status) == ("overloaded", 503)
    assert refused.retry_after
    assert sorted(Query.objects.values_list("outcome", flat=True)) == ["answered", "answered", "failed"]


def test_a_caller_who_leaves_the_line_holds_up_nobody(published: Plugin) -> None:
    first, second = asked(published), asked(published)

    @async_to_sync
    async def run() -> Event:
        holding = await somebody_at_work()
        leaving = asyncio.ensure_future(events_of(first))
        await until(lambda: admission.answer_limit()._count_waiting() == 1)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        holding.leave()
        return await pipeline.answer(second, llm=Scripted(WRITTEN))

    assert isinstance(run(), Done)


def test_golden_questions_wait_for_nobody(published: Plugin) -> None:
    golden = asked(published, is_evaluation=True)

    @async_to_sync
    async def run() -> Event:
        holding = await somebody_at_work()
        last = await pipeline.answer(golden, llm=Scripted(WRITTEN))
        holding.leave()
        return last

    assert isinstance(run(), Done)


async def events_of(question: Question) -> list[Event]:
    async with aclosing(pipeline.stream(question, llm=Scripted(WRITTEN))) as events:
        return [event async for event in events]


async def until(is_true: Any) -> None:
    async with asyncio.timeout(20):
        while not is_true():
            await asyncio.sleep(0.005)
