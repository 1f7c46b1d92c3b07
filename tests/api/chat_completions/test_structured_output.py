"""A schema is filled with values that stand in the documents, as the answer's text or as the call of a function."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from plugins.models import Plugin
from querying.models import Query
from tests.api.chat_completions.asking import OPEN, WEATHER, assert_error, chat
from tests.api.responses.asking import body_of, read, respond

pytestmark = pytest.mark.django_db


def nullable(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": [kind, "null"], **more}


def schema_of(required: bool = True, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties) if required else []}


COVER = schema_of(
    cover_mm=nullable("number"),
    cover_cm=nullable("number"),
    exposure={"enum": ["mild", "severe", None]},
    answer=nullable("string"),
    footing_cover_mm=nullable("integer", description="Nominal cover of footings in mm"),
    mortar_spacers_hold_the_bars=nullable("boolean"),
    tails=nullable("integer", description="Number of tails of a cat"),
    born=nullable("string", format="date"),
    sources={"type": "array", "items": {"type": "string"}, "description": "spacers"},
    member=schema_of(nominal_cover=nullable("number")),
)
FILLED = {
    "cover_mm": 45,
    "cover_cm": 4.5,
    "exposure": "severe",
    "answer": "For severe exposure the nominal cover of a beam is 45 mm.",
    "footing_cover_mm": 50,
    "mortar_spacers_hold_the_bars": True,
    "tails": None,
    "born": None,
    "sources": ["Spacers made of mortar hold the bars at their cover while concrete is placed."],
    "member": {"nominal_cover": 45},
}
NUMBER_OF_TAILS = schema_of(tails={"type": "integer"})


def format_of(schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "cover", "schema": schema, "strict": True}}


def tool_of(schema: Any, name: str = "record") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def test_a_schema_is_filled_from_the_documents(published: Plugin, key: str) -> None:
    body = chat(key, WEATHER, response_format=format_of(COVER)).json()
    value = json.loads(body["choices"][0]["message"]["content"])
    jsonschema.validate(value, COVER)
    assert value == FILLED
    assert body["lexic"]["outcome"] == "answered"


def test_each_field_has_the_citation_that_says_it(published: Plugin, key: str) -> None:
    body = chat(key, WEATHER, response_format=format_of(COVER)).json()
    excerpts = {citation["id"]: citation["excerpt"] for citation in body["citations"]}
    fields = {one["path"]: one for one in body["lexic"]["fields"]}
    assert set(fields) == {
        *(f"/{name}" for name in FILLED if name not in ("member", "sources")),
        "/member/nominal_cover",
        "/sources/0",
    }
    for path, one in fields.items():
        assert (one["value"] is None) == (not one["citations"]), path
        assert one["value"] is not None or one["reason"] == "not_found"
    [cited] = fields["/footing_cover_mm"]["citations"]
    assert excerpts[cited] == "Footings have a nominal cover of at least 50 mm."
    assert (fields["/footing_cover_mm"]["unit"], fields["/footing_cover_mm"]["bound"]) == ("millimeter", ">=")
    assert {source for one in fields.values() for source in one["citations"]} == set(excerpts)


def test_the_log_has_what_was_sent(published: Plugin, key: str) -> None:
    chat(key, WEATHER, response_format=format_of(COVER))
    row = Query.objects.get()
    assert json.loads(row.answer) == FILLED
    assert row.outcome == "answered"
    assert {citation["excerpt"] for citation in row.citations} >= {FILLED["answer"]}


def test_a_forced_call_has_the_values(published: Plugin, key: str) -> None:
    named = {"type": "function", "function": {"name": "record"}}
    for choice in (named, "required"):
        body = chat(key, WEATHER, tools=[tool_of(COVER)], tool_choice=choice).json()
        [choice] = body["choices"]
        [call] = choice["message"]["tool_calls"]
        assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
        assert (call["type"], call["function"]["name"]) == ("function", "record")
        assert json.loads(call["function"]["arguments"]) == FILLED
        assert body["lexic"]["ignored"] == []


def test_tools_that_are_offered_have_no_effect(published: Plugin, key: str) -> None:
    body = chat(key, WEATHER, tools=[tool_of({"type": "nonsense"})], tool_choice="auto").json()
    assert "45 mm" in body["choices"][0]["message"]["content"]
    assert body["lexic"]["ignored"] == ["tools"]


def test_what_may_be_left_out_is_left_out(published: Plugin, key: str) -> None:
    schema = schema_of(required=False, cover_mm={"type": "number"}, tails={"type": "integer"})
    body = chat(key, WEATHER, response_format=format_of(schema)).json()
    assert json.loads(body["choices"][0]["message"]["content"]) == {"cover_mm": 45}


def test_a_field_that_may_not_be_empty_and_is_refuses_the_request(published: Plugin, key: str) -> None:
    asked = chat(key, WEATHER, response_format=format_of(NUMBER_OF_TAILS))
    assert "/tails" in assert_error(asked, 422, "fields_not_verified")["hint"]
    assert Query.objects.get().reason == "fields_not_verified"


def test_a_question_back_leaves_all_empty_or_is_told(published: Plugin, key: str) -> None:
    body = chat(key, OPEN, response_format=format_of(schema_of(cover_mm=nullable("number")))).json()
    assert json.loads(body["choices"][0]["message"]["content"]) == {"cover_mm": None}
    assert body["lexic"]["clarification"]["options"] == ["mild", "severe"]
    told = chat(key, OPEN, response_format=format_of(schema_of(cover_mm={"type": "number"})))
    assert "How is the member exposed?" in assert_error(told, 422, "clarification_needed")["hint"]
    facts = chat(
        key, OPEN, response_format=format_of(schema_of(cover_mm={"type": "number"})), facts={"exposure": "mild"}
    )
    assert json.loads(facts.json()["choices"][0]["message"]["content"]) == {"cover_mm": 20}


def test_what_the_documents_do_not_know_is_null(published: Plugin, key: str) -> None:
    schema = schema_of(
        winner=nullable("string"), year=nullable("integer"), names={"type": "array", "items": {"type": "string"}}
    )
    body = chat(key, "Who won the chess championship of 1972?", response_format=format_of(schema)).json()
    assert json.loads(body["choices"][0]["message"]["content"]) == {"winner": None, "year": None, "names": []}
    assert (body["lexic"]["outcome"], body["lexic"]["reason"], body["citations"]) == ("refused", "nothing_filled", [])


def test_an_array_of_objects_has_one_for_each_sentence_that_fills_it(published: Plugin, key: str) -> None:
    item = schema_of(exposure={"enum": ["mild", "severe"]}, nominal_cover_mm={"type": "number"})
    schema = schema_of(covers={"type": "array", "items": item, "description": "nominal cover of a beam"})
    body = chat(key, WEATHER, response_format=format_of(schema)).json()
    covers = json.loads(body["choices"][0]["message"]["content"])["covers"]
    assert {"exposure": "severe", "nominal_cover_mm": 45} in covers
    assert all(
        one in ({"exposure": "severe", "nominal_cover_mm": 45}, {"exposure": "mild", "nominal_cover_mm": 20})
        for one in covers
    )


def test_a_response_is_filled_as_a_chat_is(published: Plugin, key: str) -> None:
    wanted = {"format": {"type": "json_schema", "name": "cover", "schema": COVER}}
    body = body_of(respond(key, WEATHER, text=wanted))
    assert json.loads(body["output"][0]["content"][0]["text"]) == FILLED
    assert body["text"] == wanted
    assert {one["path"] for one in body["lexic"]["fields"]} > {"/cover_mm", "/sources/0"}


def test_a_forced_call_of_a_response_is_an_item_and_is_stored(published: Plugin, key: str) -> None:
    tool = {"type": "function", "name": "record", "parameters": COVER}
    body = body_of(respond(key, WEATHER, tools=[tool], tool_choice={"type": "function", "name": "record"}))
    [item] = body["output"]
    assert (item["type"], item["name"], json.loads(item["arguments"])) == ("function_call", "record", FILLED)
    assert read(key, body["id"]).json() == body
    result = {"type": "function_call_output", "call_id": item["call_id"], "output": "done"}
    follow = respond(key, [result, {"role": "user", "content": "And footings?"}], previous_response_id=body["id"])
    assert "50 mm" in body_of(follow)["output"][0]["content"][0]["text"]


def test_a_response_that_is_not_filled_is_not_stored(published: Plugin, key: str) -> None:
    wanted = {"format": {"type": "json_schema", "name": "cat", "schema": NUMBER_OF_TAILS}}
    assert_error(respond(key, WEATHER, text=wanted), 422, "fields_not_verified")
    assert not hasattr(Query.objects.get(), "stored_response")


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"response_format": {"type": "json_object"}}, "unsupported_parameter", "response_format"),
    ({"response_format": "json"}, "unsupported_parameter", "response_format"),
    ({"response_format": {"type": ["json_schema"]}}, "unsupported_parameter", "response_format"),
    ({"response_format": {"type": "json_schema"}}, "invalid_schema", "response_format"),
    ({"response_format": {"type": "json_schema", "json_schema": "x"}}, "invalid_schema", "response_format"),
    ({"response_format": format_of(None)}, "invalid_schema", "response_format"),
    ({"response_format": format_of({"type": "oject"})}, "invalid_schema", "response_format"),
    ({"response_format": format_of({"type": "object"})}, "unsupported_schema", "response_format"),
    (
        {"response_format": format_of(schema_of(a={"type": "string", "pattern": "^(a+)+$"}))},
        "unsupported_schema",
        "response_format",
    ),
    ({"tool_choice": "required"}, "tool_not_offered", "tools"),
    ({"tool_choice": "required", "tools": "x"}, "tool_not_offered", "tools"),
    ({"tool_choice": "required", "tools": [7]}, "tool_not_offered", "tools"),
    ({"tool_choice": "required", "tools": []}, "unsupported_parameter", "tool_choice"),
    (
        {"tool_choice": "required", "tools": [tool_of({}, "a"), tool_of({}, "b")]},
        "unsupported_parameter",
        "tool_choice",
    ),
    ({"tool_choice": "required", "tools": [tool_of({})]}, "unsupported_schema", "tools"),
    ({"tool_choice": "required", "tools": [tool_of(None)]}, "invalid_schema", "tools"),
    ({"tool_choice": 7, "tools": [tool_of(COVER)]}, "unsupported_parameter", "tool_choice"),
    ({"tool_choice": {"type": "function"}, "tools": [tool_of(COVER)]}, "tool_not_offered", "tool_choice"),
    (
        {"tool_choice": {"type": "function", "function": {"name": "x"}}, "tools": [tool_of(COVER)]},
        "tool_not_offered",
        "tool_choice",
    ),
    (
        {"tool_choice": {"type": "function", "function": {"name": ["x"]}}, "tools": [tool_of(COVER)]},
        "tool_not_offered",
        "tool_choice",
    ),
    ({"function_call": {"name": "record"}}, "unsupported_parameter", "function_call"),
]


@pytest.mark.parametrize(("body", "code", "param"), BAD)
def test_what_cannot_be_filled_is_refused(
    published: Plugin, key: str, body: dict[str, Any], code: str, param: str
) -> None:
    assert_error(chat(key, WEATHER, **body), 400, code, param=param)
    assert not Query.objects.exists()


@pytest.mark.parametrize("name", ["", "a b", "x" * 129, "é"])
def test_a_function_with_a_name_that_is_none_is_not_offered(published: Plugin, key: str, name: str) -> None:
    choice = {"type": "function", "function": {"name": name}}
    sent = chat(key, WEATHER, tools=[tool_of(NUMBER_OF_TAILS, name)], tool_choice=choice)
    assert_error(sent, 400, "tool_not_offered", param="tool_choice")


def test_of_a_format_what_has_a_meaning_comes_back(published: Plugin, key: str) -> None:
    schema = schema_of(cover_mm=nullable("number"))
    sent = {"type": "json_schema", "name": "cover", "schema": schema, "strict": True, "junk": "x" * 10_000}
    body = body_of(respond(key, WEATHER, text={"format": sent}))
    assert body["text"] == {"format": {"type": "json_schema", "name": "cover", "schema": schema, "strict": True}}
    assert read(key, body["id"]).json() == body
