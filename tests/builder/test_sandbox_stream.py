"""The sandbox's stream over a real server: the events of the engine, and at the end the turn as the page shows it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from django.conf import settings as django_settings
from django.test import Client

from accounts.models import User
from plugins.models import Plugin
from querying.models import Query
from tests.openai_stub import OpenAIStub, SlowStream, Status

pytestmark = pytest.mark.django_db(transaction=True)

WORN = "What is worn on every site?"
CITED = "Safety boots with a steel toe are worn on every site [Source 1]. "


@pytest.fixture
def signed_in(server: str, browsing: Callable[[User], Client]) -> Iterator[Callable[[User], httpx2.Client]]:
    """A client with the person's session and the token that forms carry."""
    opened: list[httpx2.Client] = []

    def sign_in(user: User) -> httpx2.Client:
        session = browsing(user).cookies[django_settings.SESSION_COOKIE_NAME].value
        token = "a" * 32
        client = httpx2.Client(
            base_url=server,
            trust_env=False,
            timeout=30,
            headers={"X-CSRFToken": token, "Accept": "text/event-stream"},
            cookies={"sessionid": session, "csrftoken": token},
        )
        opened.append(client)
        return client

    yield sign_in
    for client in opened:
        client.close()


def address(plugin: Plugin) -> str:
    return f"/admin/plugins/plugin/{plugin.pk}/sandbox/ask/"


def said(**fields: str) -> dict[str, str]:
    return {"question": WORN, "version": "draft", **fields}


def read(client: httpx2.Client, plugin: Plugin, **fields: str) -> list[dict[str, Any]]:
    with client.stream("POST", address(plugin), data=said(**fields)) as response:
        assert response.headers["content-type"] == "text/event-stream"
        assert "no-transform" in response.headers["cache-control"]
        return [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass within half a minute")


def test_the_events_are_those_of_the_engine_and_then_the_turn(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client]
) -> None:
    events = read(signed_in(alice), plugin)
    kinds = [event["type"] for event in events]
    assert kinds[0] == "status"
    assert kinds[-2:] == ["done", "turn"]
    done, turn = events[-2:]
    assert "".join(event["text"] for event in events if event["type"] == "delta") == done["answer"]
    query = Query.objects.get()
    assert turn["id"] == done["queryId"] == str(query.pk)
    assert "<mark>Safety boots with a steel toe are worn on every site.</mark>" in turn["html"]


def test_a_viewer_streams_the_draft_and_a_stranger_nothing(
    bob: User, charlie: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client]
) -> None:
    plugin.viewers.add(bob)
    turn = read(signed_in(bob), plugin)[-1]
    assert "You are a safety engineer." not in turn["html"]
    assert signed_in(charlie).post(address(plugin), data=said()).status_code == 404
    assert Query.objects.count() == 1


def test_an_error_before_the_first_event_is_json(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client]
) -> None:
    response = signed_in(alice).post(address(plugin), data=said(question=""))
    assert (response.status_code, response.json()["error"]) == (400, "Write a question first.")
    response = signed_in(alice).post(address(plugin), data=said(token="forged", answer="x"))
    assert (response.status_code, response.json()["code"]) == (400, "invalid_followup")


def test_a_post_without_the_token_of_forms_is_refused(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client]
) -> None:
    response = signed_in(alice).post(address(plugin), data=said(), headers={"X-CSRFToken": ""})
    assert response.status_code == 403
    assert not Query.objects.exists()


def test_what_the_model_was_sent_is_shown_as_it_was_sent(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client], stub: OpenAIStub
) -> None:
    stub.answer = lambda request: CITED
    turn = read(signed_in(alice), plugin)[-1]
    assert "The prompt that was sent" in turn["html"]
    assert "Question: What is worn on every site?" in turn["html"]
    assert "tokens read" in turn["html"]


def test_whoever_may_read_the_prompt_sees_what_was_left_out_and_why(
    alice: User, bob: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client], stub: OpenAIStub
) -> None:
    stub.answer = lambda request: f"{CITED}Safety boots with a steel toe cost 90 euros [Source 1]."
    done, turn = read(signed_in(alice), plugin)[-2:]
    assert "90 euros" not in done["answer"]
    assert "Sentences that were left out" in turn["html"]
    assert "<q>Safety boots with a steel toe cost 90 euros.</q>" in turn["html"]
    assert "No passage that was read has “90 euros” as it says." in turn["html"]
    plugin.viewers.add(bob)
    assert "90 euros" not in read(signed_in(bob), plugin)[-1]["html"]


def test_a_provider_that_is_down_is_said_with_what_to_do(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client], stub: OpenAIStub
) -> None:
    stub.script += [Status(500)] * 10
    events = read(signed_in(alice), plugin)
    assert [event["type"] for event in events][-2:] == ["error", "turn"]
    assert events[-2]["hint"] in events[-1]["html"]
    assert Query.objects.get().outcome == "failed"


def test_who_leaves_stops_the_model_and_leaves_one_abandoned_row(
    alice: User, plugin: Plugin, signed_in: Callable[[User], httpx2.Client], stub: OpenAIStub
) -> None:
    stub.answer = lambda request: CITED * 200
    stub.script.append(SlowStream(0.05))
    with signed_in(alice).stream("POST", address(plugin), data=said()) as response:
        lines = response.iter_lines()  # kept: a dropped iterator would hang up
        next(line for line in lines if '"generating"' in line)
        wait_until(lambda: bool(stub.calls))
    assert stub.wait_for_disconnect()
    wait_until(lambda: Query.objects.filter(outcome="abandoned").exists())
    assert Query.objects.count() == 1
