from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, AsyncRequestFactory

from accounts.adapters import SocialAdapter
from api.oauth.client_documents import ClientDocumentFetcher
from lexic import egress
from lexic.egress import FetchFailed
from lexic.middleware import request_limit
from organisations.domains import verify_domain
from organisations.models import OrganisationDomain
from organisations.provider_requests import provider_session


@pytest.fixture(autouse=True)
def one_at_a_time(settings: Any) -> Iterator[None]:
    settings.REQUESTS_AT_ONCE, settings.REQUEST_QUEUE = 1, 1
    request_limit.request_slots.cache_clear()
    yield
    request_limit.request_slots.cache_clear()


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
        request_limit.request_slots()._mean_seconds = 14.0
        refused = await limited(request("/api/c"))
        assert (refused.status_code, refused["Retry-After"]) == (503, "7")
        assert json.loads(refused.content)["code"] == "overloaded"
        go_on.set()
        await asyncio.gather(*tasks)
        assert begun == ["/a", "/healthz", "/b"]

    asyncio.run(run())


def test_a_refusal_has_the_form_of_its_address() -> None:
    async def refusal(path: str) -> HttpResponse:
        limited: Any = request_limit.request_limit(sync_to_async(HttpResponse))
        return await limited(request(path))

    for _ in range(2):
        request_limit.request_slots().enter()
    page = asyncio.run(refusal("/marketplace"))
    assert (page.status_code, page["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert "Too many wait for this server at the moment." in page.content.decode()
    openai_form = json.loads(asyncio.run(refusal("/v1/chat/completions")).content)["error"]
    assert openai_form["message"].startswith("Too many wait for this server at the moment.")
    assert set(json.loads(asyncio.run(refusal("/api/plugins")).content)) == {"error", "code", "hint"}


def test_static_files_and_refusals_wait_for_nobody_and_have_the_headers_of_every_response() -> None:
    async def run() -> None:
        limit = request_limit.request_slots()
        await limit.enter().take_slot()
        limit.enter()
        for path, status in (("/static/common.js", 200), ("/marketplace", 503)):
            response = await AsyncClient().get(path)
            assert (path, response.status_code) == (path, status)
            assert response["X-Content-Type-Options"] == "nosniff"
            assert "default-src 'none'" in response["Content-Security-Policy"]

    asyncio.run(run())


def test_a_view_that_frees_its_slot_lets_the_next_in_and_is_still_one_of_those_who_are_here() -> None:
    async def run() -> list[str]:
        begun, go_on = [], asyncio.Event()

        async def view(asked: HttpRequest) -> HttpResponse:
            begun.append(asked.path)
            request_limit.free_request_slot()
            await go_on.wait()
            return HttpResponse()

        limited: Any = request_limit.request_limit(view)
        tasks = [asyncio.ensure_future(limited(request(path))) for path in ("/a", "/b")]
        await asyncio.sleep(0.01)
        assert (await limited(request("/api/c"))).status_code == 503
        go_on.set()
        await asyncio.gather(*tasks)
        assert (request_limit.request_slots()._working, request_limit.request_slots()._entered) == (0, 0)
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
            assert request_limit.request_slots()._working == 1
            go_on.set()
            async with asyncio.timeout(20):
                while request_limit.request_slots()._working:
                    await asyncio.sleep(0.002)

    asyncio.run(run())


@pytest.mark.parametrize(
    "wait",
    [
        lambda: verify_domain(OrganisationDomain(name="example.org")),
        lambda: provider_session().get("https://login.example.org/.well-known/openid-configuration"),
        lambda: ClientDocumentFetcher().fetch("https://agent.example.org/client.json"),
        lambda: SocialAdapter().get_requests_session().get("https://login.example.org/token"),
    ],
    ids=["proof of a domain", "provider of an organisation", "document of a client", "provider of the site"],
)
def test_a_request_that_waits_for_another_site_holds_no_slot(
    monkeypatch: pytest.MonkeyPatch, wait: Callable[[], object]
) -> None:
    """Whoever signs in, or asks to be let in, may have named one that hangs."""
    working: list[int] = []

    def hang(*args: Any, **kwargs: Any) -> None:
        working.append(request_limit.request_slots()._working)
        raise FetchFailed("It hangs.")

    for name in ("fetch", "get"):
        monkeypatch.setattr(egress, name, hang)
    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", hang)
    place = request_limit.request_slots().enter()
    asyncio.run(place.take_slot())
    asked = request_limit._place.set(place)
    with suppress(Exception):
        wait()
    request_limit._place.reset(asked)
    place.leave()
    assert working == [0]


@pytest.mark.django_db
def test_a_request_that_waits_inside_a_transaction_keeps_its_slot_because_it_keeps_its_connection() -> None:
    """Without its slot the next request would get one, and no connection."""
    place = request_limit.request_slots().enter()
    asyncio.run(place.take_slot())
    asked = request_limit._place.set(place)
    with transaction.atomic():
        request_limit.free_slot_and_connections()
        assert request_limit.request_slots().counts()["working"] == 1
    request_limit._place.reset(asked)
    place.leave()
