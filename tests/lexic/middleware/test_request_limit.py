from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.test import AsyncRequestFactory

from lexic.middleware import request_limit


@pytest.fixture(autouse=True)
def one_at_a_time(settings: Any) -> Iterator[None]:
    settings.REQUESTS_AT_ONCE, settings.REQUEST_QUEUE = 1, 1
    request_limit._limit.cache_clear()
    yield
    request_limit._limit.cache_clear()


def request(path: str = "/") -> HttpRequest:
    return AsyncRequestFactory().get(path)


def test_a_request_waits_until_the_view_before_it_has_returned() -> None:
    async def run() -> None:
        begun, go_on = [], asyncio.Event()

        async def view(asked: HttpRequest) -> HttpResponse:
            begun.append(asked.path)
            await go_on.wait()
            return HttpResponse()

        limited: Any = request_limit.request_limit(view)
        tasks = [asyncio.ensure_future(limited(request(path))) for path in ("/a", "/b", "/healthz")]
        await asyncio.sleep(0.01)
        assert begun == ["/a", "/healthz"]
        refused = await limited(request("/c"))
        assert refused.status_code == 503
        assert int(refused["Retry-After"]) >= 1
        assert json.loads(refused.content)["code"] == "overloaded"
        go_on.set()
        await asyncio.gather(*tasks)
        assert begun == ["/a", "/healthz", "/b"]

    asyncio.run(run())


def test_a_view_that_leaves_its_slot_lets_the_next_in() -> None:
    async def run() -> list[str]:
        begun, go_on = [], asyncio.Event()

        async def view(asked: HttpRequest) -> HttpResponse:
            begun.append(asked.path)
            request_limit.leave_request_slot()
            await go_on.wait()
            return HttpResponse()

        limited: Any = request_limit.request_limit(view)
        tasks = [asyncio.ensure_future(limited(request(path))) for path in ("/a", "/b")]
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(*tasks)
        return begun

    assert asyncio.run(run()) == ["/a", "/b"]


def test_a_view_that_fails_frees_its_slot() -> None:
    async def run() -> None:
        async def view(asked: HttpRequest) -> HttpResponse:
            raise ValueError(asked.path)

        limited: Any = request_limit.request_limit(view)
        for path in ("/a", "/b"):
            with pytest.raises(ValueError, match=path):
                await limited(request(path))

    asyncio.run(run())


def test_the_slot_of_a_caller_who_has_gone_is_free_when_the_view_has_ended() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def view(asked: HttpRequest) -> HttpResponse:
        begun.set()
        go_on.wait(20)
        return HttpResponse()

    async def run() -> None:
        limited: Any = request_limit.request_limit(sync_to_async(view))
        async with ThreadSensitiveContext():
            leaving = asyncio.ensure_future(limited(request("/a")))
            assert await asyncio.to_thread(begun.wait, 20)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            assert request_limit._limit()._working == 1
            go_on.set()
            async with asyncio.timeout(20):
                while request_limit._limit()._working:
                    await asyncio.sleep(0.002)

    asyncio.run(run())
