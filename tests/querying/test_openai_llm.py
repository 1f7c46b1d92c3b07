from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import pytest

from querying.answering.llms.openai import OpenAIChat
from querying.answering.llms.provider_error_text import provider_error_text
from querying.llm_interface import ProviderBusy, ProviderFailed, ProviderTimedOut, ToolCall
from querying.types.prompt import Prompt
from querying.types.question import Turn
from querying.types.token_usage import Usage
from tests.openai_stub import Drop, Garbage, HalfStream, OpenAIStub, Sleep, SlowStream, Status, tool_call
from tests.querying.passages import evidence, passage
from tests.querying.tools import SEARCH

PROMPT = Prompt(
    messages=({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}),
    question="Why?",
    evidence=evidence(passage("Because.")),
)


# Both ways of asking a model, each of which has to survive what a provider may do.
WAYS: dict[str, Callable[[], AsyncGenerator[str | Usage | ToolCall]]] = {
    "answer": lambda: OpenAIChat().generate(PROMPT),
    "conversation": lambda: OpenAIChat().converse(PROMPT.messages, tools=[SEARCH]),
}
in_both_ways = pytest.mark.parametrize("way", WAYS)


def collect(llm: OpenAIChat) -> list[str | Usage]:
    async def run() -> list[str | Usage]:
        return [piece async for piece in llm.generate(PROMPT)]

    return asyncio.run(run())


def test_text_comes_in_pieces_and_usage_at_the_end(stub: OpenAIStub):
    stub.answer = lambda body: "It is 45 mm [Source 1]."
    *pieces, usage = collect(OpenAIChat())
    assert "".join(piece for piece in pieces if isinstance(piece, str)) == "It is 45 mm [Source 1]."
    assert len(pieces) > 1
    assert usage == Usage(prompt_tokens=11, completion_tokens=7)


def test_lx_063_sp_06_the_model_and_the_messages_are_sent(stub: OpenAIStub, settings):
    settings.LEXIC_LLM_MODEL = "some-model"
    collect(OpenAIChat())
    body = stub.bodies[0]
    assert (body["model"], body["stream"]) == ("some-model", True)
    assert body["messages"] == [dict(message) for message in PROMPT.messages]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "max_tokens"),
        ("solo1", "max_tokens"),
        ("o3-mini", "max_completion_tokens"),
        ("openai/gpt-5", "max_completion_tokens"),
    ],
)
def test_every_call_says_how_much_the_model_may_write(stub: OpenAIStub, settings, model: str, name: str):
    settings.LEXIC_LLM_MAX_TOKENS = 321
    collect(OpenAIChat(model=model))
    asyncio.run(OpenAIChat(model=model).extract_facts(schema={"type": "object"}, question="Why?", context=[]))
    assert [{key: body[key] for key in body if key.startswith("max_")} for body in stub.bodies] == 2 * [{name: 321}]


def test_a_limit_that_passes_is_waited_for(stub: OpenAIStub):
    stub.script += [Status(429, headers={"Retry-After": "0"}), Status(500)]
    assert isinstance(collect(OpenAIChat())[-1], Usage)
    assert len(stub.calls) == 3


@in_both_ways
@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([Status(429, headers={"Retry-After": "0"})] * 3, ProviderBusy),
        ([Status(500)] * 3, ProviderBusy),
        ([Status(401)], ProviderFailed),
        ([Drop()] * 3, ProviderFailed),
        ([Garbage()], ProviderFailed),
        ([HalfStream(words=2)], ProviderFailed),
        ([HalfStream(words=2, garbage=b"data: {nonsense\n\n")], ProviderFailed),
        ([HalfStream(words=2, garbage=b'data: {"choices": null}\n\n')], ProviderFailed),
    ],
)
def test_a_provider_that_fails_is_one_of_our_errors(stub: OpenAIStub, actions, error, way: str):
    calls = [tool_call("search", {"q": "x"})] if way == "conversation" else []
    stub.answer = lambda body: ("I shall look for it first.", calls)
    stub.script += actions
    with pytest.raises(error) as raised:
        asyncio.run(_read(way))
    assert "scripted" not in raised.value.message
    assert raised.value.hint


async def _read(way: str) -> list[str | Usage | ToolCall]:
    return [piece async for piece in WAYS[way]()]


@in_both_ways
def test_a_stream_that_takes_too_long_times_out(stub: OpenAIStub, settings, way: str):
    settings.LEXIC_LLM_TIMEOUT = 0.5
    stub.script.append(SlowStream(5.0))
    with pytest.raises(ProviderTimedOut):
        asyncio.run(_read(way))


@in_both_ways
def test_a_provider_that_is_silent_is_not_waited_for_again_and_again(stub: OpenAIStub, settings, way: str):
    settings.LEXIC_LLM_TIMEOUT = 0.5
    stub.script += [Sleep(5.0)] * 3
    with pytest.raises(ProviderTimedOut):
        asyncio.run(_read(way))
    assert len(stub.calls) == 1


def test_a_missing_key_says_what_to_set(settings):
    settings.OPENAI_API_KEY = ""
    with pytest.raises(ProviderFailed) as raised:
        collect(OpenAIChat())
    assert "OPENAI_API_KEY" in raised.value.hint


@in_both_ways
def test_closing_the_answer_hangs_up_on_the_provider(stub: OpenAIStub, way: str):
    stub.script.append(SlowStream(0.2))
    stub.answer = lambda body: "word " * 200

    async def leave_after_one() -> None:
        async with aclosing(WAYS[way]()) as pieces:
            await anext(pieces)

    asyncio.run(leave_after_one())
    assert stub.wait_for_disconnect()


def test_facts_are_read_by_a_tool_call_with_the_trees_schema(stub: OpenAIStub):
    schema = {"type": "object", "properties": {"exposure": {"type": "string", "enum": ["mild", "severe"]}}}
    stub.answer = lambda body: (None, [tool_call(body["tools"][0]["function"]["name"], {"exposure": "severe"})])
    found, usage = asyncio.run(
        OpenAIChat().extract_facts(
            schema=schema, question="By the sea?", context=[Turn(role="user", content="A beam.")]
        )
    )
    assert (found, usage.prompt_tokens) == ({"exposure": "severe"}, 11)
    assert stub.bodies[0]["tools"][0]["function"]["parameters"] == schema


def test_a_tool_call_that_cannot_be_read_gives_no_facts(stub: OpenAIStub):
    broken = tool_call("record_facts", {})
    broken["function"]["arguments"] = "{not json"
    stub.answer = lambda body: (None, [broken])
    found, _ = asyncio.run(OpenAIChat().extract_facts(schema={"type": "object"}, question="?", context=[]))
    assert found == {}


HOME_PAGE = Garbage(b"<html>Welcome</html>", content_type="text/html")


@pytest.mark.parametrize("answer", [HOME_PAGE, Garbage(b"[]"), Garbage(b'{"usage": 1}'), Garbage(b'{"choices": [1]}')])
@pytest.mark.parametrize("way", ["facts", "plan"])
def test_what_is_no_answer_of_a_model_is_a_failure_of_the_provider(
    stub: OpenAIStub, caplog: pytest.LogCaptureFixture, answer: Garbage, way: str
) -> None:
    """As the address of a provider's web site answers, where OPENAI_BASE_URL lacks its /v1."""
    stub.script += [answer]
    llm, schema = OpenAIChat(), {"type": "object"}
    asked = {
        "facts": lambda: llm.extract_facts(schema=schema, question="Why?", context=[]),
        "plan": lambda: llm.plan(instruction="Plan.", schema=schema, question="Why?"),
    }
    with pytest.raises(ProviderFailed):
        asyncio.run(asked[way]())
    assert "no answer of a chat model" in caplog.text
    assert "OPENAI_BASE_URL" in caplog.text


# --- A model without a temperature, and what a provider says of its errors -------------------------------------


REFUSED_TEMPERATURE = Status(
    400, message="Unsupported value: 'temperature' does not support 0 with this model.", code="unsupported_value"
)


def test_a_model_that_refuses_a_temperature_is_asked_without_and_that_is_remembered(stub: OpenAIStub):
    stub.script += [REFUSED_TEMPERATURE]
    assert isinstance(collect(OpenAIChat(model="gpt-5"))[-1], Usage)
    asyncio.run(OpenAIChat(model="gpt-5").extract_facts(schema={"type": "object"}, question="Why?", context=[]))
    collect(OpenAIChat(model="another"))
    assert [body.get("temperature") for body in stub.bodies] == [0, None, None, 0]


def test_another_refused_request_is_not_sent_again(stub: OpenAIStub):
    stub.script += [Status(400, message="The messages are too long.")]
    with pytest.raises(ProviderFailed):
        collect(OpenAIChat())
    assert len(stub.calls) == 1


def test_what_a_provider_says_of_its_error_is_logged_and_kept_without_secrets(stub: OpenAIStub, caplog):
    said = (
        "Incorrect API key provided: sk-test of org-Xq81Zk2. You exceeded your quota of project a8f3k2j5h6g7d8s9a0q1."
    )
    stub.script += [Status(401, message=said, code="invalid_api_key")]
    with pytest.raises(ProviderFailed) as raised:
        collect(OpenAIChat())
    detail = raised.value.detail
    assert detail.startswith("HTTP 401: invalid_api_key: Incorrect API key provided: ")
    assert "You exceeded your quota" in detail
    assert not any(secret in detail + caplog.text for secret in ("sk-test", "Xq81Zk2", "a8f3k2j5h6g7d8s9a0q1"))
    assert detail in caplog.text
    assert "quota" not in raised.value.message_with_hint, "callers are told nothing of it"


@pytest.mark.parametrize(
    "body", [None, "plain text", {"error": "a text"}, {"error": None}, [1], {"message": "x" * 9000}]
)
def test_an_error_of_any_shape_has_a_short_detail(body):
    assert provider_error_text(502, body).startswith("HTTP 502")
    assert len(provider_error_text(502, body)) <= 300
