"""Streaming over a real server: what an agent's client sees, byte by byte."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import ApiKey
from plugins.models import Plugin
from querying.models import Query
from querying.types.refusals import REFUSAL
from tests.openai_stub import OpenAIStub, SlowStream, Status

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What is the minimum cover for a beam exposed to weather?"
SEVERE = "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. "
MILD = "For mild exposure the nominal cover of a beam is 20 mm [Source 1]. "
FOOTINGS = "Footings have a nominal cover of at least 50 mm [Source 1]. "


@pytest.fixture
def client(key: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(trust_env=False, timeout=30, headers=headers) as client:
        yield client


def body(**extra: Any) -> dict[str, Any]:
    return {"plugin": "cover", "query": WEATHER, "stream": True, **extra}


def read(client: httpx2.Client, server: str, **extra: Any) -> list[dict[str, Any]]:
    """Events as the published client reads them: lines that begin with `data: `, all others skipped."""
    with client.stream("POST", f"{server}/api/v1/query", json=body(**extra)) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream"
        return [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass within half a minute")


def wait_for_row(outcome: str) -> None:
    """The row is written after the answer has gone out."""
    wait_until(lambda: Query.objects.filter(outcome=outcome).exists())


def test_lx_073_the_stream_and_the_json_are_the_same_answer(published: Plugin, server: str, client: httpx2.Client):
    *others, done = read(client, server)
    assert done.pop("type") == "done"
    collected = client.post(f"{server}/api/v1/query", json=body(stream=False)).json()
    for answer in (done, collected):
        answer.pop("queryId")
    assert done == collected
    assert others[0] == {"type": "status", "status": "planning", "message": "Reading the question"}
    assert "".join(event["text"] for event in others if event["type"] == "delta") == done["answer"]


def test_lx_082_accepting_an_event_stream_asks_for_one(published: Plugin, server: str, client: httpx2.Client):
    response = client.post(
        f"{server}/api/v1/query",
        json={"plugin": "cover", "query": WEATHER},
        headers={"Accept": "text/event-stream"},
    )
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["cache-control"] == "no-cache, no-transform"


def test_an_error_before_the_first_event_is_json_with_its_status(published: Plugin, server: str, client: httpx2.Client):
    response = client.post(f"{server}/api/v1/query", json=body(plugin="nothing"))
    assert response.status_code == 404
    assert response.json()["error"]


def test_sentences_arrive_as_they_are_made(published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub):
    """The model is kept waiting after two sentences; the first must have arrived by then."""
    stub.answer = lambda request: SEVERE + MILD + FOOTINGS + "word " * 400
    stub.script.append(SlowStream(0.02))
    with client.stream("POST", f"{server}/api/v1/query", json=body()) as response:
        for line in response.iter_lines():
            if line.startswith("data: ") and json.loads(line[6:])["type"] == "delta":
                break
        else:
            pytest.fail("no delta before the end")
        assert stub.disconnected == 0
    assert stub.wait_for_disconnect()


def test_a_client_that_leaves_stops_the_model_and_leaves_one_abandoned_row(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
):
    stub.answer = lambda request: (SEVERE + MILD) * 100
    stub.script.append(SlowStream(0.05))
    with client.stream("POST", f"{server}/api/v1/query", json=body()) as response:
        lines = response.iter_lines()  # kept: a dropped iterator would hang up
        next(line for line in lines if '"generating"' in line)
        wait_until(lambda: bool(stub.calls))
    assert stub.wait_for_disconnect()
    wait_for_row("abandoned")
    assert Query.objects.count() == 1


def test_what_is_refused_is_never_shown_first(published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub):
    stub.answer = lambda request: "The cover is 54 mm [Source 1]. Paint it red [Source 9]. Trust me [Source 8]."
    events = read(client, server)
    assert not [event for event in events if event["type"] == "delta"]
    assert (events[-1]["answer"], events[-1]["outcome"]) == (REFUSAL, "refused")


def test_a_provider_that_fails_after_the_first_event_is_an_error_event(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
):
    stub.script += [Status(500)] * 3
    events = read(client, server)
    assert events[-1]["type"] == "error"
    assert set(events[-1]) == {"type", "error", "code", "hint"}
    wait_for_row("failed")


def test_a_provider_that_fails_is_a_502_or_503_in_the_blocking_form(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
):
    stub.script += [Status(500)] * 3
    response = client.post(f"{server}/api/v1/query", json=body(stream=False))
    assert response.status_code == 503
    assert response.json()["code"] == "provider_busy"


def test_the_models_facts_reach_the_tree(published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub):
    from tests.openai_stub import tool_call

    def answer(request: dict[str, Any]):
        if tools := request.get("tools"):
            return None, [tool_call(tools[0]["function"]["name"], {"exposure": "severe"})]
        return SEVERE

    stub.answer = answer
    done = read(client, server, query="Nominal cover of a beam on the pier?")[-1]
    assert [step["node"] for step in done["decisionPath"]] == ["exposure_check", "cover_severe"]
    assert "45 mm" in done["answer"]
    assert done["usage"]["promptTokens"] == 22


def _others_connected() -> set[int]:
    """The process ids of all other connections to this database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        return {pid for (pid,) in cursor.fetchall()}


def test_no_database_connection_is_held_while_the_model_talks(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
):
    stub.answer = lambda request: SEVERE * 400
    stub.script.append(SlowStream(0.05))
    # A thread of an earlier test may still be connected; this question must hold no other one.
    before = _others_connected()
    with client.stream("POST", f"{server}/api/v1/query", json=body()) as response:
        lines = response.iter_lines()  # kept: a dropped iterator would hang up
        next(line for line in lines if '"generating"' in line)
        wait_until(lambda: bool(stub.calls))
        wait_until(lambda: not _others_connected() - before)
        assert not Query.objects.exists()  # it is still talking
    wait_for_row("abandoned")


def test_a_key_that_is_revoked_stops_its_stream_and_the_model(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
):
    stub.answer = lambda request: SEVERE * 400
    stub.script.append(SlowStream(0.02))
    events: list[dict[str, Any]] = []
    with client.stream("POST", f"{server}/api/v1/query", json=body()) as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
                if events[-1]["type"] == "delta":
                    ApiKey.objects.update(revoked_at=timezone.now())
    assert (events[-1]["type"], events[-1]["code"]) == ("error", "access_ended")
    assert stub.wait_for_disconnect()
    wait_for_row("failed")
