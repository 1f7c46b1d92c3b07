"""Errors of every tool: text that any client shows, in the words of the tool, as the answer to its call."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import jsonschema
import pytest

from accounts.models import ApiKey, User
from api.mcp.server import TOOL_DEFINITIONS, TOOLS
from plugins.models import Plugin
from tests.api.mcp.clients import CURRENT, ROOT, UNCLEAR, WEATHER, data_of, error_of, over_http, surroundings, text_of
from tests.api.mcp.test_http import META, message, post, result_of
from tests.collaboration.experts import harbour

__all__ = ["harbour"]
pytestmark = pytest.mark.django_db(transaction=True)

# A call of each tool that succeeds, but for those whose source has to be cited first.
OPENING = {"get_source": "source", "fetch": "id"}
CALLS: dict[str, dict[str, Any]] = {
    "ask_expert": {"plugin": "cover", "question": WEATHER},
    "ask_experts": {"experts": ["cover", "harbour"], "question": WEATHER},
    "review_text": {"plugin": "cover", "document": "Footings have a nominal cover of at least 50 mm."},
    "search_sources": {"plugin": "cover", "query": "spacers"},
    "walk_tree": {"plugin": "cover", "facts": {"exposure": "mild"}},
    "list_experts": {},
    "get_source": {"source": "lexic://pages/1"},
    "search": {"query": "spacers made of mortar"},
    "fetch": {"id": "lexic://pages/1"},
}
# What else a call can end with.
OTHER_ENDS: list[tuple[str, dict[str, Any]]] = [
    ("ask_expert", {"plugin": "cover", "question": UNCLEAR}),
    ("ask_expert", {"plugin": "cover", "question": "Who won the football match in Lisbon?"}),
    ("search_sources", {"plugin": "cover", "query": "xylophone", "limit": 1}),
    ("walk_tree", {"plugin": "cover"}),
    ("walk_tree", {"plugin": "cover", "facts": {"exposure": "mild", "unknown": 1}}),
]
UNFIT: list[Any] = [[], {}, 7, None, True, "", " ", "x" * 5000, {"nothing": 1}, ["x"], -1, 10**9]
ODD = ["\\u0000", "\\ud800", "x\\udfff x"]


@pytest.fixture(autouse=True)
def second_expert(harbour: Plugin) -> Plugin:
    return harbour


@pytest.fixture
def capable(alice: User) -> str:
    plenty = {"per_minute": 100_000, "per_day": 100_000}
    return ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query", "read"], **plenty)[1]


def test_every_tool_is_called_here() -> None:
    assert CALLS.keys() == TOOLS.keys()


def test_a_result_fits_the_output_schema_of_its_tool(published: Plugin, server: str, capable: str) -> None:
    calls = [*((name, call) for name, call in CALLS.items() if name not in OPENING), *OTHER_ENDS]

    async def call_all(client: Any) -> list[tuple[str, Any]]:
        found = [(name, data_of(await client.call_tool(name, call))) for name, call in calls]
        cited = found[0][1]["citations"][0]["url"]
        opened = [(name, data_of(await client.call_tool(name, {field: cited}))) for name, field in OPENING.items()]
        return [*found, *opened]

    found = over_http(server, capable, call_all)
    assert {name for name, _ in found} == TOOLS.keys()
    for name, data in found:
        jsonschema.validate(data, TOOL_DEFINITIONS[name].output_schema)
    ends = {data["outcome"] for _, data in found if "outcome" in data}
    assert ends == {"answered", "refused", "clarify", "decided", "fact_missing"}


@pytest.mark.parametrize("name", TOOLS)
def test_every_object_among_a_tools_arguments_refuses_names_that_it_does_not_know(name: str) -> None:
    """Turns of a conversation come back with whatever a client keeps in them, as in the REST API."""
    schema = TOOL_DEFINITIONS[name].input_schema
    objects = {"itself": schema, **schema.get("$defs", {})}
    lenient = {title for title, one in objects.items() if one["type"] == "object" and "additionalProperties" not in one}
    assert lenient <= {"TurnArgument"}


@pytest.mark.parametrize("name", TOOLS)
def test_whatever_is_wrong_is_told_of_the_tools_own_arguments(
    published: Plugin, server: str, capable: str, name: str
) -> None:
    own = TOOLS[name].arguments.model_fields.keys()
    calls = [{**CALLS[name], argument: value} for argument in own for value in UNFIT]
    calls += [{**CALLS[name], "nothing": 1}, {}]

    async def use(client: Any) -> list[Any]:
        return [await client.call_tool(name, call) for call in calls]

    results = over_http(server, capable, use)
    refused = [(call, error_of(result)) for call, result in zip(calls, results, strict=True) if result.is_error]
    assert refused
    for call, told in refused:
        if told["code"] == "invalid":
            first = told["error"].replace(":", " ").replace(".", " ").split()[0]
            assert first in {*own, "nothing"}, (call, told)


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18", CURRENT])
@pytest.mark.parametrize("name", TOOLS)
def test_odd_characters_and_limits_are_errors_of_the_tool(
    published: Plugin, server: str, alice: User, name: str, revision: str
) -> None:
    """Not of HTTP: clients in Python end the session after one of those."""
    headers = {"Mcp-Method": "tools/call", "Mcp-Name": name} if revision == CURRENT else {}
    secret = ApiKey.objects.issue(owner=alice, name="spent", per_minute=len(ODD), capabilities=["query", "read"])[1]
    meta = {"_meta": META} if revision == CURRENT else {}
    argument = next(iter(TOOLS[name].arguments.model_fields))
    for odd, code in [*((odd, "invalid_text") for odd in ODD), ("x", "rate_limited")]:
        call = message("tools/call", name=name, arguments={**CALLS[name], argument: "ODD"}, **meta)
        response = post(server, secret, json.dumps(call).replace("ODD", odd).encode(), revision=revision, **headers)
        result = result_of(response)
        assert '"id":7' in response.text.replace(" ", "")
        assert (result["isError"], result["_meta"]["lexic/error"]["code"]) == (True, code)
        assert "structuredContent" not in result


@pytest.mark.parametrize("revision", ["2025-06-18", CURRENT])
def test_a_source_that_cannot_be_read_is_an_answer_to_its_request(server: str, alice: User, revision: str) -> None:
    secret = ApiKey.objects.issue(owner=alice, name="spent", per_minute=1)[1]
    headers = {"Mcp-Method": "resources/read", "Mcp-Name": "lexic://pages/1"} if revision == CURRENT else {}
    meta = {"_meta": META} if revision == CURRENT else {}
    for code in ("missing_capability", "rate_limited"):
        asked = message("resources/read", uri="lexic://pages/1", **meta)
        response = post(server, secret, asked, revision=revision, **headers)
        text = next(line for line in response.text.splitlines() if "jsonrpc" in line).removeprefix("data: ")
        # The current revision wants 400 for wrong parameters, and its clients read the error behind it.
        assert response.status_code == (400 if revision == CURRENT else 200)
        assert (json.loads(text)["id"], json.loads(text)["error"]["data"]["code"]) == (7, code)


def test_arguments_that_are_nested_too_deeply_are_an_answer_to_their_request(server: str, key: str) -> None:
    for depth in (30, 150, 400):
        nested = "[" * depth + "]" * depth
        body = json.dumps(message("tools/call", name="ask_expert", arguments={"facts": "ODD"})).replace('"ODD"', nested)
        response = post(server, key, body.encode())
        assert (response.status_code, response.json()["id"]) == (200, 7)
        assert "nested" in response.json()["error"]["message"]


def test_on_the_standard_streams_every_line_is_answered(published: Plugin, key: str) -> None:
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    question = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": "ODD"}}
    call = json.dumps({"jsonrpc": "2.0", "id": "ODD", "method": "tools/call", "params": question})
    ping = {"jsonrpc": "2.0", "method": "ping"}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        *(call.replace('"ODD"', f'"{number}"', 1).replace("ODD", odd) for number, odd in enumerate(ODD)),
        json.dumps([{**ping, "id": "one"}, {**ping, "id": "two"}]),
        call.replace('"ODD"', '"long"', 1).replace('"ODD"', "9" * 5000),
        f'[{json.dumps({**ping, "id": "beside"})}, {{"jsonrpc": "2.0", "id": "wide", "method": {"9" * 5000}}}]',
        "{",
        "7",
        json.dumps({**ping, "id": "last"}),
    ]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    command = [sys.executable, "-m", "django", "mcp"]
    with subprocess.Popen(command, env=surroundings(LEXIC_API_KEY=key), **streams) as process:
        process.stdin.write("\n".join([*lines, ""]))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(12)]
        process.stdin.close()
    by_id = {answer["id"]: answer for answer in answers if answer["id"] is not None}
    assert by_id.keys() == {1, "0", "1", "2", "one", "two", "long", "beside", "wide", "last"}
    assert {by_id[str(n)]["result"]["_meta"]["lexic/error"]["code"] for n in range(3)} == {"invalid_text"}
    assert {by_id[name]["error"]["data"]["code"] for name in ("long", "wide")} == {"invalid_json"}
    assert [one["error"]["data"]["code"] for one in answers if one["id"] is None] == ["invalid_json", "invalid"]


def test_the_text_of_an_error_is_its_sentence_and_hint(published: Plugin, server: str, key: str) -> None:
    result = over_http(server, key, lambda client: client.call_tool("ask_expert", {"plugin": "cover", "qestion": "x"}))
    assert text_of(result) == (
        "qestion: This is not known here. "
        "The arguments of ask_expert are: plugin, question, context, facts, followup, options."
    )
