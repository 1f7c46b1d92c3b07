"""The limits of a key at the doors: every answer says what is left."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.db import connections
from rest_framework.test import APIClient

from accounts import rate_limits
from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.servers import asgi_server

NAMES = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: Any) -> None:
    """The clock of the limits stands still, far in the future."""
    stopped = time.time() // 60 * 60 + 30 + 365 * rate_limits.DAY
    clock = SimpleNamespace(time=lambda: stopped, monotonic=time.monotonic)
    monkeypatch.setattr(rate_limits, "time", clock)


def client_of(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def ask(secret: str, **body: Any) -> Any:
    asked = {"plugin": "cover", "query": "What is the nominal cover of a footing?", **body}
    return client_of(secret).post("/api/v1/query", asked, format="json")


def told(response: Any) -> list[str | None]:
    return [response.headers.get(name) for name in NAMES]


@pytest.fixture
def slow(alice: User) -> str:
    return ApiKey.objects.issue(owner=alice, name="slow", per_minute=3)[1]


@pytest.mark.django_db
def test_an_answer_says_what_is_left(published: Plugin, slow: str) -> None:
    response = ask(slow)
    assert (response.status_code, told(response)) == (200, ["3", "2", "60"])
    assert "Retry-After" not in response.headers


@pytest.mark.django_db
def test_so_does_a_stream(published: Plugin, slow: str) -> None:
    response = ask(slow, stream=True)
    assert response.streaming
    assert told(response) == ["3", "2", "60"]


@pytest.mark.django_db
def test_so_do_errors_and_refusals(slow: str) -> None:
    answers = [ask(slow, plugin="nothing"), ask(slow, query=[]), client_of(slow).get("/api/v1/query"), ask(slow)]
    assert [answer.status_code for answer in answers] == [404, 400, 405, 429]
    assert [told(answer) for answer in answers] == [
        ["3", "2", "60"],
        ["3", "1", "60"],
        ["3", "0", "60"],
        ["3", "0", "60"],
    ]
    assert answers[-1].headers["Retry-After"] == "60"
    assert answers[-1].json() == {
        "error": "Too many requests. Try again in 60 seconds.",
        "code": "rate_limited",
        "hint": "Wait as long as the header Retry-After says.",
    }


@pytest.mark.django_db
def test_a_stranger_is_told_nothing(alice: User) -> None:
    assert told(client_of("lx_" + "A" * 43).get("/api/v1/me")) == [None] * 3


@pytest.mark.django_db
def test_a_person_who_has_signed_in_is_not_counted(alice: User) -> None:
    client = APIClient()
    client.force_login(alice)
    assert told(client.get("/api/v1/me")) == [None] * 3


@pytest.mark.django_db(transaction=True)
def test_of_1000_requests_from_50_threads_against_a_real_server_exactly_100_pass(alice: User, monkeypatch: Any) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="busy", per_minute=100)
    # However busy this machine is, Redis does not forget the counter meanwhile; the clock of the limits stands still.
    monkeypatch.setattr(rate_limits, "MINUTE", 3600)
    connections.close_all()
    with (
        asgi_server() as server,
        httpx.Client(
            base_url=server,
            headers={"Authorization": f"Bearer {secret}"},
            limits=httpx.Limits(max_connections=50),
            timeout=120,
        ) as client,
        ThreadPoolExecutor(50) as threads,
    ):
        statuses = list(threads.map(lambda _: client.get("/api/v1/me").status_code, range(1000)))
    assert {status: statuses.count(status) for status in set(statuses)} == {200: 100, 429: 900}
