"""OpenAI's own client, as anybody installs it, against a real server: nothing but its address and key are ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from accounts.models import ApiKey, User
from plugins.models import Plugin
from querying.types.refusals import REFUSAL
from tests.api.chat_completions.asking import ASKED_BACK, OPEN, WEATHER
from tests.openai_stub import OpenAIStub, Status
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = [{"role": "user", "content": WEATHER}]


@pytest.fixture
def server() -> Iterator[str]:
    with asgi_server() as url:
        yield f"{url}/v1"


def make_client(server: str, key: str) -> openai.OpenAI:
    # Not by way of a proxy that this machine may have; everything else is as it comes.
    unproxied = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(base_url=server, api_key=key, max_retries=0, http_client=unproxied)


@pytest.fixture
def client(server: str, key: str) -> Iterator[openai.OpenAI]:
    with make_client(server, key) as client:
        yield client


@asynccontextmanager
async def async_client(server: str, key: str) -> AsyncIterator[openai.AsyncOpenAI]:
    unproxied = openai.DefaultAsyncHttpxClient(trust_env=False)
    async with openai.AsyncOpenAI(base_url=server, api_key=key, max_retries=0, http_client=unproxied) as client:
        yield client


def ask(client: openai.OpenAI, messages: Any = QUESTION, **extra: Any) -> Any:
    return client.chat.completions.create(model="cover", messages=messages, **extra)


def joined(chunks: list[Any]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_models_are_listed_and_retrieved(published: Plugin, client: openai.OpenAI):
    assert [model.id for model in client.models.list()] == ["cover"]
    pinned = client.models.retrieve("cover@1.0.0")
    assert (pinned.id, pinned.object, pinned.owned_by) == ("cover@1.0.0", "model", "lexic")
    assert pinned.created == int(published.created_at.timestamp())


def test_an_answer_with_its_citations(published: Plugin, client: openai.OpenAI):
    answered = ask(client, temperature=0, seed=1, max_tokens=100, tools=[], user="u")
    message = answered.choices[0].message
    assert "45 mm" in message.content
    assert message.refusal is None
    assert answered.choices[0].finish_reason == "stop"
    assert answered.usage.total_tokens == 0
    assert answered.citations[0]["document"] == "Cover handbook"
    assert answered.citations[0]["url"] == message.annotations[0].url_citation.url
    assert answered.lexic["outcome"] == "answered"
    assert answered.lexic["confidence"] in ("low", "medium", "high")
    assert [step["node"] for step in answered.lexic["decisionPath"]] == ["exposure_check", "cover_severe"]
    assert answered._request_id == answered.lexic["queryId"]


def test_a_stream_with_its_citations_and_usage(published: Plugin, client: openai.OpenAI):
    whole = ask(client)
    *chunks, last, counted = ask(client, stream=True, stream_options={"include_usage": True})
    assert chunks[0].choices[0].delta.role == "assistant"
    assert joined(chunks) == whole.choices[0].message.content
    assert last.choices[0].finish_reason == "stop"
    assert last.citations == whole.citations
    assert last.lexic | {"queryId": ""} == whole.lexic | {"queryId": ""}
    assert (counted.choices, counted.usage.total_tokens) == ([], 0)


def test_the_clients_own_accumulation_of_a_stream(published: Plugin, client: openai.OpenAI):
    with client.chat.completions.stream(model="cover", messages=QUESTION) as events:
        for _ in events:
            pass
        final = events.get_final_completion()
    assert "45 mm" in final.choices[0].message.content
    assert final.choices[0].finish_reason == "stop"


def test_the_raw_response_has_the_headers(published: Plugin, client: openai.OpenAI):
    raw = client.chat.completions.with_raw_response.create(model="cover", messages=QUESTION)
    answered = raw.parse()
    assert raw.headers["x-request-id"] == answered.lexic["queryId"]
    assert int(raw.headers["x-ratelimit-remaining"]) == int(raw.headers["x-ratelimit-limit"]) - 1
    with client.chat.completions.with_streaming_response.create(
        model="cover", messages=QUESTION, stream=True
    ) as streamed:
        assert streamed.headers["content-type"] == "text/event-stream"
        assert "data: [DONE]" in list(streamed.iter_lines())


def test_the_same_without_blocking(published: Plugin, server: str, key: str):
    async def both() -> tuple[Any, list[Any], list[str]]:
        async with async_client(server, key) as client:
            whole = await client.chat.completions.create(model="cover", messages=QUESTION)
            streamed = await client.chat.completions.create(
                model="cover", messages=QUESTION, stream=True, stream_options={"include_usage": True}
            )
            return whole, [chunk async for chunk in streamed], [model.id async for model in client.models.list()]

    whole, chunks, models = asyncio.run(both())
    assert "45 mm" in whole.choices[0].message.content
    assert joined(chunks) == whole.choices[0].message.content
    assert chunks[-2].citations == whole.citations
    assert chunks[-1].usage.total_tokens == 0
    assert models == ["cover"]


def test_a_refusal_is_read_like_an_answer(published: Plugin, client: openai.OpenAI):
    refused = ask(client, [{"role": "user", "content": "Who won the football world cup in 1998?"}])
    assert refused.choices[0].message.content == REFUSAL
    assert (refused.lexic["outcome"], refused.citations) == ("refused", [])


@pytest.mark.parametrize("stream", [False, True])
def test_a_chat_that_asks_back_and_goes_on(published: Plugin, client: openai.OpenAI, stream: bool):
    """As a chat window does it: it keeps the text of both sides, and nothing else."""
    chat: list[dict[str, str]] = [{"role": "system", "content": "You are a helpful assistant."}]

    def say(text: str) -> str:
        chat.append({"role": "user", "content": text})
        answered = ask(client, chat, stream=stream)
        reply = joined(list(answered)) if stream else answered.choices[0].message.content
        chat.append({"role": "assistant", "content": reply})
        return reply

    assert say(OPEN) == ASKED_BACK
    assert "45 mm" in say("severe")
    assert "one metre" in say("And how far apart do the spacers stand?")


def test_a_clarification_is_answered_by_its_token_or_avoided_by_a_fact(published: Plugin, client: openai.OpenAI):
    messages = [{"role": "user", "content": OPEN}]
    token = ask(client, messages).lexic["clarification"]["token"]
    answered = ask(client, messages, extra_body={"followup": {"token": token, "answer": "mild"}})
    known = ask(client, messages, extra_body={"facts": {"exposure": "mild"}})
    assert "20 mm" in answered.choices[0].message.content
    assert answered.choices == known.choices


def test_options_go_through_the_extra_body(published: Plugin, client: openai.OpenAI):
    noted = ask(client, extra_body={"options": {"citationMode": "footnote", "maxSources": 1}})
    assert "[1] Cover handbook" in noted.choices[0].message.content


def test_content_in_parts_and_a_history_with_tools(published: Plugin, client: openai.OpenAI):
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "developer", "content": [{"type": "text", "text": "Answer as a pirate."}]},
        {"role": "user", "content": "Look it up."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "The cover is 99 mm."},
        {"role": "user", "content": [{"type": "text", "text": WEATHER}]},
    ]
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    answered = ask(client, messages, tools=[tool], tool_choice="auto")
    assert "45 mm" in answered.choices[0].message.content
    assert "99" not in answered.choices[0].message.content
    assert answered.lexic["ignored"] == ["messages.developer", "messages.tool", "tools"]


# --- Errors, as the client raises them ------------------------------------------------------------------------------


def test_a_wrong_key(published: Plugin, server: str):
    with make_client(server, "lx_wrong") as client, pytest.raises(openai.AuthenticationError) as caught:
        ask(client)
    assert (caught.value.code, caught.value.status_code) == ("invalid_api_key", 401)


@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model(published: Plugin, client: openai.OpenAI, stream: bool):
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="nothing", messages=QUESTION, stream=stream)
    assert (caught.value.code, caught.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nothing")


def test_a_model_of_pydantic_is_filled(published: Plugin, client: openai.OpenAI):
    class Cover(BaseModel):
        cover_mm: int

    class Cat(BaseModel):
        tails: int

    parsed = client.chat.completions.parse(model="cover", messages=QUESTION, response_format=Cover)
    assert parsed.choices[0].message.parsed == Cover(cover_mm=45)
    with client.chat.completions.stream(model="cover", messages=QUESTION, response_format=Cover) as events:
        assert events.until_done().get_final_completion().choices[0].message.parsed == Cover(cover_mm=45)
    assert client.responses.parse(model="cover", input=WEATHER, text_format=Cover).output_parsed == Cover(cover_mm=45)
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.chat.completions.parse(model="cover", messages=QUESTION, response_format=Cat)
    assert refused.value.code == "fields_not_verified"
    with (
        pytest.raises(openai.APIError) as broken,
        client.chat.completions.stream(model="cover", messages=QUESTION, response_format=Cat) as events,
    ):
        events.until_done()
    assert broken.value.code == "fields_not_verified"


def test_what_cannot_be_done_is_a_bad_request(published: Plugin, client: openai.OpenAI):
    image = [{"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}]
    with pytest.raises(openai.BadRequestError, match="Answers are text"):
        ask(client, response_format={"type": "json_object"})
    with pytest.raises(openai.BadRequestError, match="Only text can be read here"):
        ask(client, [{"role": "user", "content": image}])
    with pytest.raises(openai.BadRequestError, match="one answer"):
        ask(client, n=2)


def test_too_many_requests(published: Plugin, server: str, alice: User):
    _, slow = ApiKey.objects.issue(owner=alice, name="slow", per_minute=1)
    with make_client(server, slow) as client:
        client.models.list()
        with pytest.raises(openai.RateLimitError) as caught:
            ask(client)
    assert caught.value.code == "rate_limit_exceeded"
    assert int(caught.value.response.headers["retry-after"]) > 0
    assert caught.value.response.headers["x-ratelimit-remaining"] == "0"


def test_a_provider_that_fails_in_the_middle_of_a_stream(published: Plugin, client: openai.OpenAI, stub: OpenAIStub):
    stub.script += [Status(500)] * 3
    with pytest.raises(openai.APIError) as caught:
        list(ask(client, stream=True))
    assert (caught.value.code, caught.value.type) == ("provider_busy", "server_error")


def test_another_part_of_the_protocol(client: openai.OpenAI):
    with pytest.raises(openai.NotFoundError, match="There is nothing at this address"):
        client.embeddings.create(model="cover", input="x")
