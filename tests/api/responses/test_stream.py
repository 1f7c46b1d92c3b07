"""The events of a response over a real server, and what they leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from plugins.models import Plugin
from querying.models import StoredResponse
from querying.types.refusals import REFUSAL
from tests.api.chat_completions.asking import OPEN, WEATHER
from tests.api.responses.asking import events_of
from tests.api.test_query_stream import MILD, SEVERE, wait_for_row, wait_until
from tests.openai_stub import OpenAIStub, SlowStream, Status
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

BEGINNING = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
]
END = [
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]


@pytest.fixture
def client(key: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {key}"}
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=30, headers=headers, base_url=url) as client:
        yield client


def stream(client: httpx2.Client, text: str = WEATHER, **body: Any) -> list[dict[str, Any]]:
    response = client.post("/v1/responses", json={"model": "cover", "input": text, "stream": True, **body})
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    return events_of(response.content)


def test_the_events_of_an_answer(published: Plugin, client: httpx2.Client) -> None:
    events = stream(client)
    kinds = [event["type"] for event in events]
    middle = kinds[len(BEGINNING) : -len(END)]
    assert (kinds[: len(BEGINNING)], kinds[-len(END) :]) == (BEGINNING, END)
    assert list(dict.fromkeys(middle)) == ["response.output_text.delta", "response.output_text.annotation.added"]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    text = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    body = events[-1]["response"]
    [item] = body["output"]
    [part] = item["content"]
    assert text == part["text"]
    assert events[-4]["text"] == text
    annotations = [event["annotation"] for event in events if event["type"].endswith("annotation.added")]
    assert annotations == part["annotations"]
    assert {event["item_id"] for event in events if "item_id" in event} == {item["id"]}
    assert events[0]["response"]["status"] == "in_progress"
    assert client.get(f"/v1/responses/{body['id']}").json() == body


@pytest.mark.parametrize(
    ("question", "outcome"), [("Who won the chess championship of 1972?", "refused"), (OPEN, "clarify")]
)
def test_a_refusal_and_a_question_back_are_one_delta(
    published: Plugin, client: httpx2.Client, question: str, outcome: str
) -> None:
    events = stream(client, question)
    [delta] = [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
    body = events[-1]["response"]
    assert body["output"][0]["content"][0]["text"] == delta
    assert body["lexic"]["outcome"] == outcome
    assert (delta == REFUSAL) == (outcome == "refused")


def test_a_provider_that_fails_ends_the_stream(published: Plugin, client: httpx2.Client, stub: OpenAIStub) -> None:
    stub.script += [Status(500)] * 3
    *_, last = stream(client)
    assert (last["type"], last["response"]["status"]) == ("response.failed", "failed")
    assert last["response"]["error"]["code"] == "provider_busy"
    wait_for_row("failed")
    assert not StoredResponse.objects.exists()


def test_a_caller_who_leaves_stores_nothing(published: Plugin, client: httpx2.Client, stub: OpenAIStub) -> None:
    stub.answer = lambda request: (SEVERE + MILD) * 100
    stub.script.append(SlowStream(0.05))
    sent = {"model": "cover", "input": WEATHER, "stream": True}
    with client.stream("POST", "/v1/responses", json=sent) as response:
        received = response.iter_lines()  # kept: a dropped iterator would hang up
        next(line for line in received if "response.created" in line)
        wait_until(lambda: bool(stub.calls))
    assert stub.wait_for_disconnect()
    wait_for_row("abandoned")
    assert not StoredResponse.objects.exists()
