"""The stream over a real server, byte by byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.chat_completions import stream
from api.chat_completions.completions import Completion
from plugins.models import Plugin
from querying import pipeline
from querying.models import Query
from querying.presentation import sse
from querying.types.answer import Answer, Outcome
from querying.types.events import Done
from querying.types.question import Caller, Question
from querying.types.refusals import REFUSAL
from tests.api.chat_completions.asking import ASKED_BACK, OPEN, WEATHER
from tests.api.test_query_stream import MILD, SEVERE, wait_for_row, wait_until
from tests.openai_stub import OpenAIStub, SlowStream, Status
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(key: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {key}"}
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=30, headers=headers, base_url=url) as client:
        yield client


def body(question: str = WEATHER, **extra: Any) -> dict[str, Any]:
    return {"model": "cover", "stream": True, "messages": [{"role": "user", "content": question}], **extra}


def lines(client: httpx2.Client, **request: Any) -> list[str]:
    """What follows `data: `, line by line."""
    with client.stream("POST", "/v1/chat/completions", json=body(**request)) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream"
        assert response.headers["cache-control"] == "no-cache, no-transform"
        return [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]


def chunks(client: httpx2.Client, **request: Any) -> list[dict[str, Any]]:
    *encoded, end = lines(client, **request)
    assert end == "[DONE]"
    return [json.loads(one) for one in encoded]


def text(read: list[dict[str, Any]]) -> str:
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in read if chunk["choices"])


def test_role_then_text_then_what_it_rests_on(published: Plugin, client: httpx2.Client):
    first, *middle, last = chunks(client)
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert middle
    assert all(set(chunk["choices"][0]["delta"]) == {"content"} for chunk in middle)
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in [first, *middle])
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["citations"]
    assert last["lexic"]["outcome"] == "answered"


def test_every_chunk_is_of_the_same_completion(published: Plugin, client: httpx2.Client):
    read = chunks(client)
    assert len({(chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for chunk in read}) == 1
    assert read[0]["object"] == "chat.completion.chunk"
    assert not any("usage" in chunk for chunk in read)


def test_the_stream_and_the_whole_are_the_same_answer(published: Plugin, client: httpx2.Client):
    read = chunks(client)
    whole = client.post("/v1/chat/completions", json=body(stream=False)).json()
    message = whole["choices"][0]["message"]
    assert text(read) == message["content"]
    assert read[-1]["citations"] == whole["citations"]
    assert read[-1]["choices"][0]["delta"]["annotations"] == message["annotations"]
    assert read[-1]["lexic"] | {"queryId": ""} == whole["lexic"] | {"queryId": ""}


def test_usage_comes_last_when_it_is_asked_for(published: Plugin, client: httpx2.Client, stub: OpenAIStub):
    stub.answer = lambda request: SEVERE
    *others, last = chunks(client, stream_options={"include_usage": True})
    assert (last["choices"], last["usage"]["total_tokens"]) == ([], 18)
    assert [chunk["usage"] for chunk in others] == [None] * len(others)
    assert others[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("question", "outcome", "shown"),
    [(OPEN, "clarify", ASKED_BACK), ("Who won the football world cup in 1998?", "refused", REFUSAL)],
)
def test_a_question_back_and_a_refusal_come_as_text(
    published: Plugin, client: httpx2.Client, question: str, outcome: str, shown: str
):
    read = chunks(client, question=question)
    assert text(read) == shown
    assert read[-1]["lexic"]["outcome"] == outcome
    assert read[-1]["citations"] == []


def test_what_is_refused_is_never_shown_first(published: Plugin, client: httpx2.Client, stub: OpenAIStub):
    stub.answer = lambda request: "The cover is 54 mm [Source 1]. Paint it red [Source 9]. Trust me [Source 8]."
    assert text(chunks(client)) == REFUSAL


def test_an_error_before_the_first_byte_has_its_status(published: Plugin, client: httpx2.Client):
    response = client.post("/v1/chat/completions", json=body(model="nothing"))
    assert (response.status_code, response.headers["content-type"]) == (404, "application/json")
    assert response.json()["error"]["code"] == "model_not_found"


def test_an_error_later_is_the_last_event(published: Plugin, client: httpx2.Client, stub: OpenAIStub):
    stub.script += [Status(500)] * 3
    *_, last = lines(client)
    error = json.loads(last)["error"]
    assert (error["code"], error["type"]) == ("provider_busy", "server_error")
    wait_for_row("failed")


def test_a_client_that_leaves_stops_the_model_and_leaves_one_abandoned_row(
    published: Plugin, client: httpx2.Client, stub: OpenAIStub
):
    stub.answer = lambda request: (SEVERE + MILD) * 100
    stub.script.append(SlowStream(0.05))
    with client.stream("POST", "/v1/chat/completions", json=body()) as response:
        received = response.iter_lines()  # kept: a dropped iterator would hang up
        next(line for line in received if '"role"' in line)
        wait_until(lambda: bool(stub.calls))
    assert stub.wait_for_disconnect()
    wait_for_row("abandoned")
    assert Query.objects.count() == 1


def test_a_comment_keeps_the_line_open_while_nothing_is_said(published: Plugin, monkeypatch: pytest.MonkeyPatch):
    done = Done(answer=Answer(text="At last.", outcome=Outcome.ANSWERED))

    async def slowly(question: Question):
        await asyncio.sleep(0.2)
        yield done

    async def read() -> list[bytes]:
        return [piece async for piece in stream.stream_completion(Completion(question=question))]

    waiting = sse.with_pings
    monkeypatch.setattr(sse, "with_pings", lambda events: waiting(events, seconds=0.01))
    monkeypatch.setattr(pipeline, "stream", slowly)
    question = Question(text="Q?", release=published.latest_release(), caller=Caller(name="test"))
    pieces = asyncio.run(read())
    assert pieces[1] == b": ping\n\n"
    assert pieces[-1] == b"data: [DONE]\n\n"
    assert b"At last." in pieces[-3]
