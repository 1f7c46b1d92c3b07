from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
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
