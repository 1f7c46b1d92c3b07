"""`POST /api/sandbox/{plugin}`: the draft, tried out by those who work on it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from rest_framework.test import APIClient

from accounts.models import User
from knowledge.models import KnowledgeBase
from plugins.models import Plugin
from querying.answering.llms import recording
from querying.models import Query
from querying.question import user_limits
from tests.api.people import code_of, keyed, signed_in
from tests.knowledge.bases import attach
from tests.openai_stub import OpenAIStub

pytestmark = pytest.mark.django_db
SANDBOX = "/api/sandbox/cover"
WEATHER = "What is the minimum cover for a beam exposed to weather?"


def ask(client: APIClient, *, plugin: str = "cover", **said: Any) -> Any:
    body = {"query": WEATHER, "stream": False, **said}
    return client.post(f"/api/sandbox/{plugin}", body, format="json")


def events_of(response: Any) -> list[dict[str, Any]]:
    async def whole() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    lines = async_to_sync(whole)().decode().split("\n\n")
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


@pytest.mark.parametrize("enter", [signed_in, keyed], ids=["session", "key"])
def test_it_streams_the_draft_and_at_the_end_the_details(plugin: Plugin, alice: User, enter: Any) -> None:
    response = enter(alice).post(SANDBOX, {"query": WEATHER}, format="json")
    assert response["Content-Type"] == "text/event-stream"
    events = events_of(response)
    kinds = list(dict.fromkeys(event["type"] for event in events))
    assert kinds == ["status", "delta", "done", "details"]
    done, details = events[-2:]
    assert (done["outcome"], done["release"]) == ("answered", "cover@draft")
    assert "".join(event["text"] for event in events if event["type"] == "delta") == done["answer"]
    assert details["queryId"] == done["queryId"] == str(Query.objects.get().pk)
    assert {"retrieve", "tree", "weigh", "generate"} <= details["timings"].keys()
    assert (details["model"], details["promptWithheld"]) == ("extractive", False)
    assert details["prompt"][0]["content"].startswith("You are an engineer.")


def test_the_whole_answer_as_json(plugin: Plugin, alice: User) -> None:
    shown = ask(signed_in(alice)).json()
    assert shown["citations"][0]["document"] == "Cover handbook"
    assert shown["details"]["release"] == "cover@draft"


def test_what_a_model_wrote_and_no_page_supports_is_told_to_whoever_may_read_the_prompt(
    plugin: Plugin, alice: User, bob: User, stub: OpenAIStub
) -> None:
    wrong = "Beams exposed to weather need a nominal cover of 99 mm"
    stub.answer = lambda request: f"{wrong} [Source 1]."
    [dropped] = ask(signed_in(alice)).json()["details"]["dropped"]
    assert (dropped["sentence"], dropped["reason"]) == (f"{wrong}.", "number")
    assert "99 mm" in dropped["explanation"]
    plugin.viewers.add(bob)
    assert ask(signed_in(bob)).json()["details"]["dropped"] == []


def test_who_accepts_events_gets_events_as_at_the_door_of_agents(plugin: Plugin, alice: User) -> None:
    said = {"query": WEATHER, "stream": False}
    response = signed_in(alice).post(SANDBOX, said, format="json", headers={"Accept": "text/event-stream"})
    assert [event["type"] for event in events_of(response)][-2:] == ["done", "details"]


def test_a_release_is_asked_as_well(published: Plugin, alice: User) -> None:
    assert ask(signed_in(alice), version="1.0.0").json()["release"] == "cover@1.0.0"
    assert ask(signed_in(alice), version="latest").json()["release"] == "cover@1.0.0"
    assert ask(signed_in(alice), version="draft").json()["release"] == "cover@draft"
    assert code_of(ask(signed_in(alice), version="9.9.9"), 404) == "unknown_release"


def test_what_it_asks_back_can_be_answered(plugin: Plugin, alice: User) -> None:
    client = signed_in(alice)
    asked = ask(client, query="What is the nominal cover of a beam?").json()
    assert asked["outcome"] == "clarify"
    token = asked["clarification"]["token"]
    answered = ask(client, query="", followup={"token": token, "answer": "mild"}).json()
    assert answered["decisionPath"][-1]["result"] == "20 mm nominal cover"


def test_a_viewer_asks_and_sees_no_prompt(plugin: Plugin, bob: User) -> None:
    plugin.viewers.add(bob)
    details = ask(signed_in(bob)).json()["details"]
    assert (details["prompt"], details["promptWithheld"]) == (None, True)


def test_who_was_an_editor_sees_no_prompt_in_an_answer_that_is_sent_again(plugin: Plugin, bob: User) -> None:
    client, body = keyed(bob), {"query": WEATHER, "stream": False}
    plugin.editors.add(bob)
    first, again = (client.post(SANDBOX, body, format="json", HTTP_IDEMPOTENCY_KEY="a").json() for _ in range(2))
    assert first == again
    assert first["details"]["prompt"]
    plugin.editors.remove(bob)
    plugin.viewers.add(bob)
    later = client.post(SANDBOX, body, format="json", HTTP_IDEMPOTENCY_KEY="a").json()
    assert (later["details"]["prompt"], later["details"]["promptWithheld"]) == (None, True)
    assert later == {**first, "details": {**first["details"], "prompt": None, "promptWithheld": True}}


def test_an_editor_sees_no_prompt_that_quotes_what_they_may_not_read(plugin: Plugin, alice: User, bob: User) -> None:
    plugin.editors.add(bob)
    assert ask(signed_in(bob)).json()["details"]["prompt"]
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    base = KnowledgeBase.objects.get()
    base.plugin = other
    base.save()
    attach(base, plugin)
    details = ask(signed_in(bob)).json()["details"]
    assert (details["prompt"], details["promptWithheld"]) == (None, True)
    assert recording  # the prompt that was really sent


def test_others_do_not_find_it(plugin: Plugin, alice: User, charlie: User) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    assert code_of(ask(signed_in(charlie)), 404) == "unknown_plugin"
    assert code_of(ask(keyed(charlie)), 404) == "unknown_plugin"
    assert code_of(ask(keyed(alice, "author", plugins=[other])), 404) == "unknown_plugin"
    for capability in ("read", "query"):
        assert code_of(ask(keyed(alice, capability)), 403) == "missing_capability"
    assert code_of(ask(APIClient()), 401) == "not_authenticated"
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        {"query": ""},
        {"query": "x" * 4001},
        {"query": "a\x00"},
        {"version": 1},
        {"version": "\x00"},
        {"stream": "perhaps"},
        {"facts": {"a": []}},
        {"options": {"citationMode": "x"}},
        {"options": {"filters": {"nothing": 1}}},
        {"followup": {"token": "x", "answer": "y"}},
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_asked(plugin: Plugin, alice: User, said: dict[str, Any]) -> None:
    for stream in (False, True):
        response = ask(signed_in(alice), **{"stream": stream, **said})
        assert response["Content-Type"] == "application/json"
        code_of(response, 400)
    assert not Query.objects.exists()


def test_a_person_who_asks_like_a_machine_waits(plugin: Plugin, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_limits, "USER_LIMITS", {user_limits.DAY: 1})
    assert ask(signed_in(alice)).status_code == 200
    response = ask(signed_in(alice))
    assert code_of(response, 429) == "rate_limited"
    assert int(response["Retry-After"]) > 0
    assert ask(keyed(alice)).status_code == 200  # a key has limits of its own
