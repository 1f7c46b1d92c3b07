"""PostgreSQL is lost in the middle of a question: every door says 503, or ends its stream with an error event."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from typing import Any
from uuid import UUID

import httpx2
import pytest
from django.db import OperationalError, connections

from plugins.models import Plugin
from querying.models import Query
from querying.query_log import record_query
from querying.retrieval import retriever
from tests.lost_database import database_away, end_own_session

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "What is the minimum cover for a beam exposed to weather?"
TOLD = {
    "error": "The database cannot be reached at the moment.",
    "code": "unavailable",
    "hint": "Try again in a moment.",
}


@pytest.fixture(params=["gone", "session ended"])
def lost(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The database is there until passages are searched: then it is gone for good, or ends the session."""
    with ExitStack() as until_the_end:
        really_retrieve = retriever.retrieve

        def retrieve(*args: Any, **kwargs: Any) -> Any:
            if request.param == "gone":
                until_the_end.enter_context(database_away())
            else:
                end_own_session()
            return really_retrieve(*args, **kwargs)

        monkeypatch.setattr(retriever, "retrieve", retrieve)
        yield request.param
    connections.close_all()


@pytest.fixture
def ask(server: str, key: str, published: Plugin, lost: str) -> Iterator[Callable[..., httpx2.Response]]:
    with httpx2.Client(trust_env=False, timeout=60, headers={"Authorization": f"Bearer {key}"}) as client:
        yield lambda path, **options: client.post(f"{server}{path}", **options)


def events(response: httpx2.Response) -> list[dict[str, Any]]:
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_rest(ask: Callable[..., httpx2.Response], lost: str) -> None:
    response = ask("/api/v1/query", json={"plugin": "cover", "query": QUESTION})
    assert (response.status_code, response.json(), response.headers["Retry-After"]) == (503, TOLD, "2")


def test_rest_stream(ask: Callable[..., httpx2.Response], lost: str) -> None:
    response = ask("/api/v1/query", json={"plugin": "cover", "query": QUESTION, "stream": True})
    assert (response.status_code, events(response)[-1]) == (200, {"type": "error", **TOLD})
    if lost == "session ended":
        assert Query.objects.get().reason == "unavailable"


def test_openai(ask: Callable[..., httpx2.Response]) -> None:
    body = {"model": "cover", "messages": [{"role": "user", "content": QUESTION}]}
    response = ask("/v1/chat/completions", json=body)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "2")
    assert response.json()["error"]["code"] == "unavailable"
    assert response.json()["error"]["type"] == "server_error"


def test_openai_stream(ask: Callable[..., httpx2.Response]) -> None:
    body = {"model": "cover", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
    *_, last = events(ask("/v1/chat/completions", json=body))
    assert last["error"]["code"] == "unavailable"


def test_mcp(ask: Callable[..., httpx2.Response]) -> None:
    call = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": QUESTION}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    response = ask("/mcp", json=message, headers=headers)
    assert response.status_code == 200
    result = events(response)[-1]["result"]
    assert (result["isError"], TOLD["error"] in result["content"][0]["text"]) == (True, True)


def ask_as_visitor(url: str, *, accept: str) -> httpx2.Response:
    Plugin.objects.update(public_chat=True)
    with httpx2.Client(trust_env=False, timeout=60) as client:
        client.get(httpx2.URL(url).join("/marketplace/cover"))
        headers = {"Accept": accept, "X-CSRFToken": client.cookies["csrftoken"]}
        return client.post(url, data={"question": QUESTION, "message": QUESTION}, headers=headers)


@pytest.mark.parametrize("address", ["/marketplace/cover/try", "/chat/cover/ask"])
def test_visitors(server: str, published: Plugin, lost: str, address: str) -> None:
    streamed = ask_as_visitor(f"{server}{address}", accept="text/event-stream")
    assert (streamed.status_code, TOLD["error"] in streamed.text) == (200, True)


@pytest.mark.parametrize("address", ["/marketplace/cover/try", "/chat/cover/ask"])
def test_visitors_without_a_stream(server: str, published: Plugin, lost: str, address: str) -> None:
    page = ask_as_visitor(f"{server}{address}", accept="text/html")
    assert (page.status_code, page.headers["Retry-After"]) == (503, "2")
    assert page.headers["Content-Type"].startswith("text/html")
    assert "The database cannot be reached at the moment." in page.text


def test_an_answer_has_its_row_although_the_database_was_away_when_it_was_given(
    server: str, key: str, published: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is started again meanwhile, as the built-in one is."""
    really_save, attempts = record_query._save_row, []

    def save(record: record_query.QueryRecord) -> None:
        attempts.append(record)
        with database_away() if len(attempts) == 1 else nullcontext():
            really_save(record)

    monkeypatch.setattr(record_query, "_save_row", save)
    with httpx2.Client(trust_env=False, timeout=60, headers={"Authorization": f"Bearer {key}"}) as client:
        response = client.post(f"{server}/api/v1/query", json={"plugin": "cover", "query": QUESTION})
    assert response.status_code == 200
    assert Query.objects.get().pk == UUID(response.json()["queryId"])
    assert len(attempts) == 2


def test_a_row_that_was_committed_as_the_connection_was_lost_is_written_once(
    server: str, key: str, published: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_save, attempts = record_query._save_row, []

    def save(record: record_query.QueryRecord) -> None:
        attempts.append(record)
        really_save(record)
        if len(attempts) == 1:
            raise OperationalError("the connection was lost")

    monkeypatch.setattr(record_query, "_save_row", save)
    with httpx2.Client(trust_env=False, timeout=60, headers={"Authorization": f"Bearer {key}"}) as client:
        assert client.post(f"{server}/api/v1/query", json={"plugin": "cover", "query": QUESTION}).status_code == 200
    assert (Query.objects.count(), len(attempts)) == (1, 2)
