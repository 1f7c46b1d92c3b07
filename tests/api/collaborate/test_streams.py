"""Rooms, reviews and questions to several plugins as streams, over a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from plugins.models import Plugin
from querying.models import Query
from tests.api.collaborate.test_review import TEXT
from tests.collaboration.experts import QUESTION

pytestmark = pytest.mark.django_db(transaction=True)

ROOM = {"experts": ["cover", "harbour"], "query": QUESTION, "mode": "debate", "maxRounds": 2}


@pytest.fixture
def client(charlies_key: str, server: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {charlies_key}"}
    with httpx2.Client(base_url=f"{server}/api/v1/", trust_env=False, timeout=60, headers=headers) as client:
        yield client


def events(client: httpx2.Client, path: str, body: dict[str, Any], *, last: str = "") -> list[tuple[str, Any]]:
    headers = {"Last-Event-ID": last} if last else {}
    event_id, found = "", []
    with client.stream("POST", path, json={**body, "stream": True}, headers=headers) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"] == "text/event-stream"
        for line in response.iter_lines():
            if line.startswith("id: "):
                event_id = line[4:]
            elif line.startswith("data: "):
                found.append((event_id, json.loads(line[6:])))
    return found


def bare(body: Any) -> Any:
    """Without what is new each time."""
    if isinstance(body, list):
        return [bare(one) for one in body]
    if not isinstance(body, dict):
        return body
    return {name: bare(value) for name, value in body.items() if name not in ("queryId", "latencyMs", "type")}


def test_a_room_tells_of_each_step_and_is_gone_on_with_behind_any_of_them(
    published: Plugin, harbour: Plugin, client: httpx2.Client
) -> None:
    arrived = events(client, "collaborate", ROOM)
    types = [event["type"] for _, event in arrived]
    one_round = ["round_start", *["expert_thinking"] * 2, *["expert_response"] * 2, "round_complete"]
    assert types == ["experts_resolved", *one_round, *one_round, "status", "done"]
    resolved = arrived[0][1]["experts"]
    assert [(one["slug"], one["sourceCount"], one["hasDecisionTree"]) for one in resolved] == [
        ("cover", 1, True),
        ("harbour", 1, False),
    ]
    assert arrived[1][1] == {"type": "round_start", "round": 1, "totalRounds": 2}
    assert bare(arrived[-1][1]) == bare(client.post("collaborate", json=ROOM).json())
    asked = Query.objects.count()
    assert events(client, "collaborate", ROOM, last=arrived[3][0]) == arrived[4:]
    assert Query.objects.count() == asked
    harbour.unpublish()
    refused = client.post("collaborate", json={**ROOM, "stream": True}, headers={"Last-Event-ID": arrived[3][0]})
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_plugin")


def test_a_review_tells_of_each_annotation(published: Plugin, client: httpx2.Client) -> None:
    body = {"plugin": "cover", "document": TEXT}
    arrived = [event for _, event in events(client, "review", body)]
    assert [event["type"] for event in arrived] == ["status", *["annotation"] * 6, "batch_complete", "done"]
    assert arrived[-2] == {"type": "batch_complete", "batchIndex": 0, "totalBatches": 1}
    assert [event["annotation"] for event in arrived[1:7]] == arrived[-1]["annotations"]
    assert bare(arrived[-1]) == bare(client.post("review", json=body).json())


def test_the_answers_of_several_come_one_after_the_other(
    published: Plugin, harbour: Plugin, client: httpx2.Client
) -> None:
    body = {"plugins": ["cover", "harbour"], "query": QUESTION, "options": {"citationMode": "footnote"}}
    arrived = [event for _, event in events(client, "query", body)]
    assert "".join(event["text"] for event in arrived if event["type"] == "delta") == arrived[-1]["answer"]
    assert {event["message"].partition(": ")[0] for event in arrived if event["type"] == "status"} == {
        "Concrete cover",
        "Harbour works",
    }
    assert bare(arrived[-1]) == bare(client.post("query", json=body).json())


def test_what_is_wrong_before_the_first_event_is_a_plain_error(published: Plugin, client: httpx2.Client) -> None:
    refused = client.post("collaborate", json={**ROOM, "stream": True})
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_plugin")
    assert not Query.objects.exists()
