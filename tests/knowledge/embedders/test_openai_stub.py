"""The stub is what other tests believe about OpenAI, so it is tested with OpenAI's own client."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator

import openai
import pytest

from tests.openai_stub import (
    Drop,
    Garbage,
    HalfStream,
    OpenAIStub,
    Reply,
    Sleep,
    SlowStream,
    Status,
    tool_call,
    vector_of,
)

MESSAGES = [{"role": "user", "content": "Hello?"}]


@pytest.fixture
def stub() -> Iterator[OpenAIStub]:
    with OpenAIStub() as stub:
        yield stub


@pytest.fixture
def client(stub) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=stub.base_url, api_key="any", max_retries=0, timeout=10) as client:
        yield client


def streamed(client: openai.OpenAI, **options) -> list[str]:
    chunks = client.chat.completions.create(model="m", messages=MESSAGES, stream=True, **options)
    return [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]


def test_a_chat_answer_has_text_usage_and_a_reason_to_end(stub, client):
    stub.answer = lambda body: f"You said {body['messages'][0]['content']}"
    completion = client.chat.completions.create(model="m", messages=MESSAGES)
    assert completion.choices[0].message.content == "You said Hello?"
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage.total_tokens == 18


@pytest.mark.parametrize("text", ["Hello there.", " two  spaces\nand a line ", "", "one"])
def test_a_stream_is_the_text_word_by_word(stub, client, text):
    stub.answer = lambda body: text
    assert "".join(streamed(client)) == text


def test_usage_ends_a_stream_only_when_asked_for(client):
    options = {"model": "m", "messages": MESSAGES, "stream": True}
    without = list(client.chat.completions.create(**options))
    with_usage = list(client.chat.completions.create(**options, stream_options={"include_usage": True}))
    assert [chunk.usage for chunk in without if chunk.usage] == []
    assert with_usage[-1].usage.completion_tokens == 7
    assert with_usage[-1].choices == []


def test_tool_calls_come_whole_and_streamed(stub, client):
    stub.answer = lambda body: (None, [tool_call("search", {"text": "valves"})])
    whole = client.chat.completions.create(model="m", messages=MESSAGES)
    assert whole.choices[0].finish_reason == "tool_calls"
    with client.chat.completions.stream(model="m", messages=MESSAGES) as stream:
        streamed_call = stream.get_final_completion().choices[0].message.tool_calls[0]
    for call in (whole.choices[0].message.tool_calls[0], streamed_call):
        assert (call.id, call.function.name) == ("call_1", "search")
        assert json.loads(call.function.arguments) == {"text": "valves"}


@pytest.mark.parametrize("encoding", ["base64", "float"])
def test_embeddings_come_in_both_encodings(client, encoding):
    answer = client.embeddings.create(model="m", input=["one", "two"], dimensions=8, encoding_format=encoding)
    vectors = {item.index: item.embedding for item in answer.data}
    if encoding == "float":
        assert vectors == {0: vector_of("one", dimensions=8), 1: vector_of("two", dimensions=8)}
    else:  # when asked for by hand, the client leaves it encoded: eight floats of four bytes
        assert {len(vector) for vector in vectors.values()} == {44}


def test_calls_record_path_body_and_headers(stub, client):
    client.chat.completions.create(model="m", messages=MESSAGES, extra_headers={"X-Request-Id": "r1"})
    assert [call.path for call in stub.calls] == ["/v1/chat/completions"]
    assert stub.calls[0].headers["x-request-id"] == "r1"
    assert stub.bodies == [{"model": "m", "messages": MESSAGES}]


def test_scripted_failures_come_in_order_and_then_all_is_well(stub, client):
    stub.script = [Status(429, headers={"Retry-After": "7"}), Drop(), Garbage()]
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert caught.value.response.headers["retry-after"] == "7"
    with pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(model="m", messages=MESSAGES)
    with pytest.raises(ValueError, match=r"codec|JSON|Expecting"):
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert client.chat.completions.create(model="m", messages=MESSAGES).choices


def test_a_scripted_reply_is_given_once(stub, client):
    stub.script = [Reply("Once.")]
    assert streamed(client) == ["Once."]
    assert "".join(streamed(client)) == "Hello from the stub."


def test_sleeping_makes_a_client_lose_patience(stub, client):
    stub.script = [Sleep(30)]
    with pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=0.1).chat.completions.create(model="m", messages=MESSAGES)


def test_half_a_stream_breaks_after_its_words(stub, client):
    stub.script = [HalfStream(words=2)]
    stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    received = [next(stream).choices[0].delta.content for _ in range(3)]
    with pytest.raises(openai.APIConnectionError):
        next(stream)
    assert received == ["", "Hello", " from"]
    assert stub.disconnected == 0


def test_garbage_in_a_stream_is_not_json(stub, client):
    stub.script = [HalfStream(words=1, garbage=b"data: {broken\n\n")]
    with pytest.raises(ValueError, match="Expecting"):
        streamed(client)


def test_a_slow_stream_still_ends(stub, client):
    stub.script = [SlowStream(0.01)]
    assert "".join(streamed(client)) == "Hello from the stub."


def test_a_client_that_stops_reading_is_noticed_while_the_stream_waits(stub, client):
    stub.script = [SlowStream(30)]
    with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
        next(iter(stream))
    assert stub.wait_for_disconnect()
    assert stub.disconnected == 1


def test_a_cancelled_task_is_noticed(stub):
    async def begin_and_cancel() -> None:
        async with openai.AsyncOpenAI(base_url=stub.base_url, api_key="any") as client:
            begun = asyncio.Event()

            async def consume() -> None:
                async with await client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
                    async for _ in stream:
                        begun.set()

            task = asyncio.create_task(consume())
            await begun.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    stub.script = [SlowStream(30)]
    asyncio.run(begin_and_cancel())
    assert stub.wait_for_disconnect()


def test_a_stream_read_to_its_end_is_no_disconnect(stub, client):
    streamed(client)
    streamed(client)
    assert stub.disconnected == 0


def test_an_unknown_path_is_not_found(stub):
    connection = http.client.HTTPConnection("127.0.0.1", stub.server_port)
    connection.request("POST", "/v1/nonsense", body="{}")
    response = connection.getresponse()
    assert response.status == 404
    assert json.loads(response.read())["error"]["message"] == "no such path: /v1/nonsense"
    connection.close()


def test_what_an_answer_raises_comes_out_at_the_end():
    def answer(body: object) -> str:
        raise LookupError("not what the test expected")

    with pytest.raises(LookupError), OpenAIStub(answer) as stub:  # noqa: PT012
        client = openai.OpenAI(base_url=stub.base_url, api_key="any", max_retries=0)
        with client, pytest.raises(openai.APIConnectionError):
            client.chat.completions.create(model="m", messages=MESSAGES)
