from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import ANSWER, CLARIFY, error, ok, run
from openai.types.chat import ChatCompletionMessageFunctionToolCall
from openai.types.responses import ResponseFunctionToolCall
from scripted_server import KEY, Server

from lexic_sdk import AsyncLexic, ConfigurationError, Lexic
from lexic_sdk.openai_tools import LexicFunction, run_tool_calls, run_tool_calls_async


@pytest.fixture
def function(lexic: Lexic, async_lexic: AsyncLexic) -> LexicFunction:
    return LexicFunction(plugin="cover", client=lexic, async_client=async_lexic)


def call(name: str = "consult_expert", arguments: Any = '{"query": "Cover?"}') -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_the_schema_is_a_function_of_chat_completions(function: LexicFunction):
    assert function.schema["type"] == "function"
    described = function.schema["function"]
    assert described["name"] == "consult_expert"
    assert described["parameters"]["required"] == ["query"]
    assert function.response_schema["parameters"] == described["parameters"]
    json.dumps(function.schema)


def test_a_models_call_becomes_a_tool_message(function: LexicFunction, server: Server):
    server.answers(ok())
    (message,) = run_tool_calls([call()], function)
    assert (message["role"], message["tool_call_id"]) == ("tool", "call_1")
    assert json.loads(message["content"])["answer"] == ANSWER["answer"]


def test_the_objects_of_the_openai_package_are_read_as_well(function: LexicFunction, server: Server):
    server.answers(ok())
    chat = ChatCompletionMessageFunctionToolCall.model_validate(call())
    assert run_tool_calls([chat], function) == run_tool_calls([call()], function)
    response = ResponseFunctionToolCall(
        type="function_call", call_id="call_2", name="consult_expert", arguments='{"query": "Cover?"}'
    )
    (message,) = run_tool_calls([response], function)
    assert (message["type"], message["call_id"]) == ("function_call_output", "call_2")
    assert json.loads(message["output"])["answer"] == ANSWER["answer"]


def test_the_async_form_is_the_same(function: LexicFunction, server: Server):
    server.answers(ok())
    assert run(run_tool_calls_async([call()], function)) == run_tool_calls([call()], function)


def test_several_plugins_are_several_functions_and_other_calls_are_left_alone(lexic: Lexic, server: Server):
    server.answers(ok())
    functions = [LexicFunction(plugin=name, name=f"ask_{name}", client=lexic) for name in ("cover", "hvac")]
    messages = run_tool_calls([call("ask_hvac"), call("get_weather"), {"odd": 1}, None], *functions)
    assert len(messages) == 1
    assert server.bodies[0]["plugin"] == "hvac"
    assert run_tool_calls(None, *functions) == []


def test_a_clarification_is_answered_by_the_next_call(function: LexicFunction, server: Server):
    server.answers(ok(CLARIFY), ok())
    asked = json.loads(function.call({"query": "Cover?"}))["clarification"]
    function.set_plugin("beams").call(json.dumps({"query": "Cover?", "facts": {asked["field"]: "severe"}}))
    assert server.bodies[1] == {"plugin": "beams", "query": "Cover?", "facts": {"exposure": "severe"}}


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "{", "[]", "null", "7", '{"query": ""}', '{"query": 7}', "[" * 100_000, {}),
        *('{"query": "Cover?", "facts": "severe"}', {"query": "Cover?", "facts": ["severe"]}),
    ],
)
def test_arguments_that_a_model_got_wrong_are_told_to_it(function: LexicFunction, server: Server, arguments: Any):
    said = json.loads(function.call(arguments))
    assert set(said) == {"error", "code", "hint"}
    assert server.requests == []


@given(st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_arguments_are_answered(function: LexicFunction, server: Server, arguments: str):
    server.answers(ok())
    json.loads(function.call(arguments))


def test_what_goes_wrong_is_told_to_the_model(function: LexicFunction, server: Server):
    server.answers(error(404))
    assert json.loads(function.call({"query": "Cover?"})) == {
        "error": "A sentence.",
        "code": "some_code",
        "hint": "Do this.",
    }


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "naïve"])
def test_a_name_that_openai_refuses_is_refused_at_once(name: str):
    with pytest.raises(ConfigurationError):
        LexicFunction(plugin="cover", name=name, api_key=KEY)
