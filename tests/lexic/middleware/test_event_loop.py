"""Middleware on the event loop keeps what it kept before, and has a thread only where it waits for something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import SyncToAsync, async_to_sync
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import AsyncClient
from django.urls import path

import lexic.asgi  # noqa: F401 -- from here on the middleware stays on the loop
from api.compression import JsonCompressionMiddleware
from lexic.urls import handler404, handler500  # noqa: F401 -- Django looks for them beside the addresses

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


def remember(request: HttpRequest) -> HttpResponse:
    request.session["word"] = "kept"
    messages.info(request, "said")
    return HttpResponse("remembered")


def recall(request: HttpRequest) -> HttpResponse:
    said = [str(message) for message in messages.get_messages(request)]
    return JsonResponse({"word": request.session.get("word"), "said": said})


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse("plain")


def long_answer(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"text": "word " * 500})


urlpatterns = [
    path("remember", remember),
    path("recall", recall),
    path("plain", plain),
    path("api/long", long_answer),
]


@pytest.fixture
def on_threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods of middleware that were given a thread."""
    found: list[str] = []
    call: Callable[..., Any] = SyncToAsync.__call__

    async def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        name = getattr(self.func, "__qualname__", "")
        if name.endswith((".process_request", ".process_response")):
            found.append(name)
        return await call(self, *args, **kwargs)

    monkeypatch.setattr(SyncToAsync, "__call__", noted)
    return found


def ask(client: AsyncClient, path: str, **headers: str) -> Any:
    return async_to_sync(client.get)(path, headers=headers)


def test_what_is_written_into_a_session_is_there_with_the_next_request() -> None:
    client = AsyncClient()
    assert ask(client, "/remember").status_code == 200
    assert ask(client, "/recall").json() == {"word": "kept", "said": ["said"]}
    assert ask(client, "/recall").json() == {"word": "kept", "said": []}


def test_a_request_that_keeps_nothing_has_no_thread_for_its_middleware(on_threads: list[str]) -> None:
    response = ask(AsyncClient(), "/plain")
    assert response.content == b"plain"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "script-src" in response.headers["Content-Security-Policy"]
    assert not on_threads


def test_what_is_saved_is_saved_on_a_thread(on_threads: list[str]) -> None:
    ask(AsyncClient(), "/remember")
    assert sorted(on_threads) == ["MessageMiddleware.process_response", "SessionMiddleware.process_response"]


def test_a_long_answer_is_compressed_on_a_thread(on_threads: list[str]) -> None:
    response = ask(AsyncClient(), "/api/long", accept_encoding="gzip")
    assert response.headers["Content-Encoding"] == "gzip"
    assert on_threads == [f"{JsonCompressionMiddleware.__name__}.process_response"]
