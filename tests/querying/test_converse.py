"""One turn of a conversation with tools, as the many servers of OpenAI's protocol stream it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from querying.answering.llms import get_llm, openai
from querying.answering.llms.openai import OpenAIChat
from querying.answering.llms.recording import RecordingLLM
from querying.llm_interface import (
    LLM,
    ProviderFailed,
    ProviderKeyMissing,
    ToolCall,
)
from querying.types.token_usage import Usage
from tests.openai_stub import (
    Body,
    Deltas,
    HalfStream,
    OpenAIStub,
    Reply,
    Status,
    tool_call,
)
from tests.querying.tools import SEARCH

MESSAGES = [{"role": "user", "content": "How far apart are spacers?"}]


def converse(llm: LLM | None = None, *, messages: Sequence[Body] = MESSAGES, **options: Any) -> list[Any]:
    async def run() -> list[Any]:
        model = llm or OpenAIChat()
        return [piece async for piece in model.converse(messages, tools=[SEARCH], **options)]

    return asyncio.run(run())


def calls_of(pieces: Sequence[Any]) -> list[tuple[str, str]]:
    return [(piece.name, piece.arguments) for piece in pieces if isinstance(piece, ToolCall)]


def text_of(pieces: Sequence[Any]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def piece(index: int | None = 0, *, call_id: str | None = None, name: str | None = None, arguments: Any = None) -> Body:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    delta: Body = {"function": function}
    delta |= {} if index is None else {"index": index}
    return {"tool_calls": [delta if call_id is None else {**delta, "id": call_id}]}


def test_text_calls_and_usage_come_in_this_order(stub: OpenAIStub) -> None:
    stub.script.append(Reply(("Let me look.", [tool_call("search", {"q": "spacers"})])))
    *pieces, usage, call = converse()
    assert text_of(pieces) == "Let me look."
    assert usage == Usage(prompt_tokens=11, completion_tokens=7)
    assert call == ToolCall(name="search", arguments='{"q": "spacers"}')
    [body] = stub.bodies
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "search", "description": "Search.", "parameters": dict(SEARCH.parameters)},
        }
    ]
    assert (body["stream"], body["messages"]) == (True, MESSAGES)


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [piece(None, name="a", arguments='{"q": 1}'), piece(None, name="b", arguments="{}")], id="no index"
        ),
        pytest.param(
            [
                piece(None, call_id="x", name="a", arguments=""),
                piece(None, arguments='{"q":'),
                piece(None, arguments=" 1}"),
                piece(None, call_id="y", name="b", arguments="{}"),
            ],
            id="no index, in pieces",
        ),
        pytest.param(
            [
                piece(1, call_id="x", name="a", arguments='{"q"'),
                piece(2, call_id="y", name="b", arguments=""),
                piece(1, arguments=": 1}"),
                piece(2, arguments="{}"),
            ],
            id="indexes from 1, mixed",
        ),
        pytest.param(
            [piece(0, call_id="x", name="a", arguments='{"q": 1}'), piece(0, call_id="y", name="b", arguments="{}")],
            id="always index 0",
        ),
        pytest.param(
            [
                piece(0, call_id="", name="a", arguments=""),
                piece(0, call_id="", name="a", arguments='{"q":'),
                piece(0, call_id="", name="a", arguments=" 1}"),
                piece(1, call_id="", name="b", arguments="{}"),
            ],
            id="empty ids, the name each time",
        ),
        pytest.param(
            [
                {
                    "content": None,
                    "tool_calls": [
                        {"index": 0, "id": "x", "function": {"name": "a", "arguments": {"q": 1}}},
                        {"index": 1, "id": "y", "function": {"name": "b", "arguments": {}}},
                    ],
                }
            ],
            id="in one piece, with objects",
        ),
        pytest.param(
            [
                piece(0, call_id="x", name="a", arguments='{"q": 1}'),
                {"tool_calls": [None, {"index": 0}]},
                {"tool_calls": None},
                piece(1, call_id="y", name="b", arguments="{}"),
            ],
            id="empty pieces between",
        ),
    ],
)
def test_calls_are_put_together_however_they_are_sent(stub: OpenAIStub, deltas: list[Body]) -> None:
    stub.script.append(Deltas(deltas))
    read = [(name, json.loads(arguments or "{}")) for name, arguments in calls_of(converse())]
    assert read == [("a", {"q": 1}), ("b", {})]


def test_two_calls_of_one_tool_without_index_and_id_are_two(stub: OpenAIStub) -> None:
    stub.script.append(
        Deltas([piece(None, name="a", arguments='{"q": 1}'), piece(None, name="a", arguments='{"q": 2}')])
    )
    assert calls_of(converse()) == [("a", '{"q": 1}'), ("a", '{"q": 2}')]


def test_arguments_that_are_no_json_are_given_as_they_are(stub: OpenAIStub) -> None:
    stub.script.append(Deltas([piece(0, call_id="x", name="a", arguments="{'q': spacers")], finish="length"))
    assert calls_of(converse()) == [("a", "{'q': spacers")]


def test_half_a_call_is_never_given(stub: OpenAIStub) -> None:
    stub.answer = lambda body: ("one two three", [tool_call("search", {"q": "x"})])
    stub.script.append(HalfStream(words=1))
    seen: list[Any] = []

    async def run() -> None:
        async for piece in OpenAIChat().converse(MESSAGES, tools=[SEARCH]):
            seen.append(piece)  # noqa: PERF401  # what came before the error counts

    with pytest.raises(ProviderFailed):
        asyncio.run(run())
    assert seen == ["one"]


def test_thinking_is_asked_for_and_has_half_as_much_time_again(
    stub: OpenAIStub, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEXIC_LLM_TIMEOUT = 40.0
    settings.LEXIC_LLM_MAX_TOKENS = 500
    seconds: list[float] = []
    make_client = openai._openai_client
    monkeypatch.setattr(openai, "_openai_client", lambda *, timeout: seconds.append(timeout) or make_client())
    assert text_of(converse(thinking_tokens=8000)) == "Hello from the stub."
    [body] = stub.bodies
    assert (body["reasoning_effort"], body["max_tokens"]) == ("medium", 8500)
    assert "temperature" not in body
    converse()
    assert seconds == [60.0, 40.0]


@pytest.mark.parametrize(
    ("named", "tokens", "sent"),
    [
        ("reasoning_effort", 1024, {"reasoning_effort": "low"}),
        ("reasoning_effort", 32_000, {"reasoning_effort": "high"}),
        ("reasoning", 2000, {"reasoning": {"max_tokens": 2000}}),
        ("thinking", 2000, {"thinking": {"type": "enabled", "budget_tokens": 2000}}),
        ("none", 2000, {}),
    ],
)
def test_each_provider_is_asked_to_think_in_its_own_words(
    stub: OpenAIStub, settings: Any, named: str, tokens: int, sent: Body
) -> None:
    settings.LEXIC_LLM_THINKING = named
    converse(thinking_tokens=tokens)
    words = ("reasoning_effort", "reasoning", "thinking", "temperature")
    assert {key: value for key, value in stub.bodies[0].items() if key in words} == sent


def test_a_model_that_cannot_think_answers_without(stub: OpenAIStub) -> None:
    stub.script.append(Status(400, message="Unrecognized request argument supplied: reasoning_effort"))
    for _ in range(2):
        assert text_of(converse(OpenAIChat(model="plain"), thinking_tokens=2000)) == "Hello from the stub."
    assert ["reasoning_effort" in body for body in stub.bodies] == [True, False, False]


def test_the_stub_refuses_a_turn_whose_calls_have_no_answers(stub: OpenAIStub) -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [tool_call("search", {}, call_id="c1")]}
    answered = {"role": "tool", "tool_call_id": "c1", "content": "nothing"}
    for messages in ([*MESSAGES, asked], [*MESSAGES, asked, *MESSAGES], [*MESSAGES, answered]):
        with pytest.raises(ProviderFailed):
            converse(messages=messages)
    assert text_of(converse(messages=[*MESSAGES, asked, answered])) == "Hello from the stub."


def test_a_model_that_somebody_listens_to_converses_too(stub: OpenAIStub) -> None:
    listened = RecordingLLM(OpenAIChat())
    assert listened.can_converse
    assert text_of(converse(listened)) == "Hello from the stub."


def test_jl_064_a_missing_key_is_known_before_anything_is_asked(settings: Any) -> None:
    settings.OPENAI_API_KEY = ""
    for model in (OpenAIChat(), RecordingLLM(OpenAIChat())):
        with pytest.raises(ProviderKeyMissing) as raised:
            model.check_key()
        assert "OPENAI_API_KEY" in raised.value.hint
    get_llm("extractive").check_key()
