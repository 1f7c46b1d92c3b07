"""Rows I4, I5 and I7, and everything else that can be wrong about a request: it ends in an error of
ours with the right status, never in a 500."""

from __future__ import annotations

import bz2
import json
import zlib
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import given
from hypothesis import strategies as st

from plugins.models import Plugin
from querying.models import Query
from tests.security.sending import EASY, WEATHER, ask, assert_refused, send

pytestmark = pytest.mark.django_db

# --- The body: its form ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "", " ", "{", "nonsense", "null", "true", "1", '"text"', "[]", "[1]", "{}", '{"plugin": "cover"}',
        '{"plugin": "cover", "query": "x"', "{'plugin': 'cover'}", '{"plugin": "cover",}', "\ufeff{}", "\x00",
        '{"a": 1e999}', '{"a": NaN}', '{"a": ' + "9" * 5000 + "}", '{"\\ud800": 1}',
    ],
)  # fmt: skip
def test_a_body_that_is_no_question_is_400(named: Plugin, key: str, body: str) -> None:
    assert_refused(send(key, body), 400)


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b"\x80abc", '{"query": "é"}'.encode("latin-1"), '{"a": 1}'.encode("utf-16")]
)
def test_a_body_that_is_no_utf_8_is_400(named: Plugin, key: str, body: bytes) -> None:
    assert_refused(send(key, body), 400)


@pytest.mark.parametrize("depth", [30, 500, 900, 1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("shape", ["[]", "{}"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_json_nested_without_end_is_400(named: Plugin, key: str, depth: int, shape: str, is_closed: bool) -> None:
    opening, closing = ("[", "]") if shape == "[]" else ('{"a":', "}")
    nested = opening * depth + "1" + (closing * depth if is_closed else "")
    for body in (nested, f'{{"plugin": "cover", "query": "x", "facts": {{"a": {nested}}}}}'):
        assert_refused(send(key, body), 400, 413)


@pytest.mark.parametrize("name", ["facts", "options", "context", "followup", "query", "plugin", "stream", "else"])
def test_a_field_nested_as_deep_as_is_read_is_no_500(published: Plugin, key: str, name: str) -> None:
    for depth in range(1, 25):
        value: Any = 1
        for _ in range(depth):
            value = {"a": value} if depth % 2 else [value]
        assert ask(key, **{name: value}).status_code in {200, 400}


def test_a_huge_body_is_413_before_it_is_understood(named: Plugin, key: str) -> None:
    limit = django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    for body in (b" " * (limit + 1), b'{"query": "' + b"x" * limit + b'"}', b"[" * (limit + 1)):
        assert_refused(send(key, body), 413)


def test_a_body_just_within_the_limit_is_judged_by_what_it_says(named: Plugin, key: str) -> None:
    padded = json.dumps({"plugin": "nothing", "query": "x"}).encode().ljust(django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    assert_refused(send(key, padded), 404)


@pytest.mark.parametrize(
    "charset",
    ["zlib", "bz2", "base64", "hex", "rot13", "uu", "quopri", "utf-7", "utf-16", "utf-32", "idna", "punycode",
     "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "no-such", "..", "\u00e9"],
)  # fmt: skip
def test_a_charset_neither_unpacks_nor_changes_a_body(named: Plugin, key: str, charset: str) -> None:
    plain = json.dumps({"plugin": "nothing", "query": "x"}).encode()
    content_type = f"application/json; charset={charset}"
    assert_refused(send(key, plain, content_type=content_type), 404)
    for packed in (zlib.compress(plain), bz2.compress(plain), b"ff", "{}".encode("utf-16")):
        assert_refused(send(key, packed, content_type=content_type), 400)


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "", "json", "/", ";"],
)
def test_another_kind_of_body_is_415(named: Plugin, key: str, content_type: str) -> None:
    assert_refused(send(key, b"plugin=cover&query=x", content_type=content_type), 415, 400)


@EASY
@given(
    accept=st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
    content_type=st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
)
def test_any_negotiation_ends_in_an_answer(named: Plugin, untiring: str, accept: str, content_type: str) -> None:
    response = send(untiring, "{}", content_type=content_type, HTTP_ACCEPT=accept)
    assert_refused(response, 400, 406, 415)


# --- The body: its fields --------------------------------------------------------------------------------------

SURROGATES = ["\\ud800", "x\\udfff", "\\ude00\\ud83d", "\\ud83d x"]
FIELDS = [
    '{{"plugin": "{0}", "query": "x"}}',
    '{{"plugin": "cover@{0}", "query": "x"}}',
    '{{"plugin": "cover", "query": "{0}"}}',
    '{{"plugin": "cover", "query": "x", "context": [{{"role": "user", "content": "{0}"}}]}}',
    '{{"plugin": "cover", "query": "x", "context": [{{"role": "{0}", "content": "x"}}]}}',
    '{{"plugin": "cover", "query": "x", "facts": {{"exposure": "{0}"}}}}',
    '{{"plugin": "cover", "query": "x", "facts": {{"{0}": "severe"}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"filters": {{"{0}": "x"}}}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"filters": {{"doc_types": ["{0}"]}}}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"filters": {{"tags_any": "{0}"}}}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"filters": {{"as_of": "{0}"}}}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"asOf": "{0}"}}}}',
    '{{"plugin": "cover", "query": "x", "options": {{"citationMode": "{0}"}}}}',
    '{{"plugin": "cover", "query": "x", "followup": {{"token": "{0}", "answer": "x"}}}}',
    '{{"plugin": "cover", "query": "x", "followup": {{"token": "x", "answer": "{0}"}}}}',
    '{{"plugin": "cover", "query": "x", "unknown": "{0}"}}',
]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", [*SURROGATES, "nul\\u0000"])
def test_half_characters_and_nulls_are_400_wherever_they_stand(named: Plugin, key: str, field: str, text: str) -> None:
    assert_refused(send(key, field.format(text)), 400)


def test_a_whole_character_in_two_halves_is_fine(published: Plugin, key: str) -> None:
    response = send(key, '{"plugin": "cover", "query": "What are spacers made of? \\ud83d\\ude00"}')
    assert response.status_code == 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400 + ".5"])
def test_a_fact_that_is_no_number_is_400(named: Plugin, key: str, number: str) -> None:
    assert_refused(send(key, f'{{"plugin": "cover", "query": "x", "facts": {{"exposure": {number}}}}}'), 400)
    followup = f'{{"plugin": "cover", "query": "x", "followup": {{"token": "x", "answer": {number}}}}}'
    assert_refused(send(key, followup), 400)


@pytest.mark.parametrize("number", ["1e308", "-1e-320", "0.1", "9" * 4000, "-0.0", "true"])
def test_any_other_number_is_a_fact(published: Plugin, key: str, number: str) -> None:
    body = f'{{"plugin": "cover", "query": "What are spacers made of?", "facts": {{"unread": {number}}}}}'
    assert send(key, body).status_code == 200
    assert Query.objects.count() == 1


@pytest.mark.parametrize(
    "facts",
    [
        {"a": None},
        {"a": []},
        {"a": {}},
        {"a": "x" * 501},
        {"x" * 201: 1},
        {str(n): n for n in range(51)},
        [],
        "x",
        1,
        True,
    ],
)
def test_facts_that_are_none_are_400(named: Plugin, key: str, facts: Any) -> None:
    assert_refused(ask(key, facts=facts), 400)


def test_two_long_names_of_facts_do_not_become_one(published: Plugin, key: str) -> None:
    names = ["x" * 199 + "a", "x" * 199 + "b"]
    ask(key, query="What are spacers made of?", facts={names[0]: 1, names[1]: 2})
    assert Query.objects.get().facts == {names[0]: 1, names[1]: 2}


def test_a_fact_called_like_a_method_is_a_fact(published: Plugin, key: str) -> None:
    for name in ("__class__", "__init__", "items", "", "rootNodeId", "constructor", "__proto__"):
        assert ask(key, facts={name: "severe"}).status_code == 200


@pytest.mark.parametrize("stream", [1, 0, "yes", "", None, [], {}, "true"])
def test_whatever_stream_says_it_is_no_500(published: Plugin, key: str, stream: Any) -> None:
    assert ask(key, plugin="nothing", stream=stream).status_code in {400, 404}


# --- I4, I5: filters -------------------------------------------------------------------------------------------

FORBIDDEN = [
    "_connector", "_negated", "pk", "id", "knowledge_base", "knowledge_base__owner", "title__startswith",
    "removed_in", "doc_type__in", "tags__overlap", "metadata", "metadata__author", "order_by", "extra", "select",
    "documents", "_conditions", "parse", "__class__", "", " ", "DOC_TYPES", "doc-types", "docTypes ", "is_public__ne",
]  # fmt: skip


@pytest.mark.parametrize("name", FORBIDDEN)
def test_i4_i5_a_filter_that_is_not_on_the_list_is_refused(named: Plugin, key: str, name: str) -> None:
    response = ask(key, options={"filters": {name: "OR"}})
    assert_refused(response, 400)
    assert response.json()["code"] == "invalid_filter"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("document_ids", "x"), ("document_ids", {}), ("document_ids", [1]), ("document_ids", [None]),
        ("doc_types", {"in": ["x"]}), ("doc_types", 1), ("doc_types", [["x"]]), ("doc_types", ["x"] * 1001),
        ("is_public", "true"), ("is_public", 1), ("is_public", []), ("as_of", 20200101), ("as_of", "yesterday"),
        ("as_of", "0000-01-01"), ("date_from", "10000-01-01"), ("date_to", ["2020-01-01"]), ("tags_any", True),
        ("exclude_templates", "no"),
    ],
)  # fmt: skip
def test_i4_a_filter_of_another_kind_is_refused(named: Plugin, key: str, name: str, value: Any) -> None:
    assert_refused(ask(key, options={"filters": {name: value}}), 400)


NO_OPTIONS = [
    [], "x", 1, {"filters": []}, {"filters": "x"}, {"maxSources": 10**30}, {"maxSources": 1.5},
    {"citationMode": ["inline"]}, {"includeDecisionPath": "x"}, {"asOf": 5},
]  # fmt: skip


@pytest.mark.parametrize("options", NO_OPTIONS)
def test_options_that_are_none_are_400(named: Plugin, key: str, options: Any) -> None:
    assert_refused(ask(key, options=options), 400)


# --- I7: text that is slow to read ------------------------------------------------------------------------------

SLOW = {
    "brackets": "[Source 1" * 444,
    "marks": "[Source " + "1," * 1990,
    "spaces": "cover " + " " * 3980 + "x",
    "digits": "9" * 3990,
    "commas": "1," * 1990,
    "stops": "a." * 1990,
    "negations": "not " * 990,
    "units": "1 mm" * 990,
    "quotes": '"' * 3990,
    "newlines": "cover\n" * 660,
    "combining": "a" + "\u0301" * 3980,
    "widest": "\U0001f600" * 3990,
    "mixed": ("exposed to weather " + "(" * 20) * 100,
}


@pytest.mark.parametrize("name", SLOW)
def test_i7_a_hostile_question_is_answered_or_refused(published: Plugin, key: str, name: str) -> None:
    response = ask(key, query=SLOW[name][:4000])
    assert response.status_code == 200
    assert Query.objects.count() == 1


def test_i7_a_long_hostile_conversation_is_answered_or_refused(published: Plugin, key: str) -> None:
    turns = [{"role": "user", "content": text * (20_000 // len(text))} for text in SLOW.values()]
    assert ask(key, context=(turns * 4)[:50]).status_code == 200


# --- Anything at all ---------------------------------------------------------------------------------------------

TEXT = st.text(max_size=40) | st.sampled_from(
    [
        "cover",
        "cover@1.0.0",
        "cover@draft",
        WEATHER,
        "severe",
        "exposure",
        "\x00",
        "\ud800",
        "a" * 5000,
        "user",
        "inline",
    ]
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
ANYTHING = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)


def mostly(likely: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(likely, likely, likely, ANYTHING)


TURN = st.fixed_dictionaries({"role": mostly(st.sampled_from(["user", "assistant"])), "content": mostly(TEXT)})
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "citationMode": mostly(st.sampled_from(["inline", "footnote", "off"])),
        "maxSources": mostly(st.integers(1, 50)),
        "includeDecisionPath": mostly(st.booleans()),
        "includeCitations": mostly(st.none() | st.booleans()),
        "asOf": mostly(st.dates().map(str)),
        "filters": mostly(
            st.dictionaries(
                st.sampled_from(["document_ids", "doc_types", "tagsAny", "as_of", "is_public", "dateFrom", "_negated"]),
                mostly(st.lists(TEXT, max_size=3)),
                max_size=2,
            )
        ),
    },
)
BODY = st.fixed_dictionaries(
    {"plugin": mostly(st.sampled_from(["cover", "cover@1.0.0", "cover@draft"])), "query": mostly(TEXT)},
    optional={
        "context": mostly(st.lists(TURN, max_size=3)),
        "options": mostly(OPTIONS),
        "stream": mostly(st.just(False)),
        "facts": mostly(st.dictionaries(TEXT, SCALAR, max_size=3)),
        "followup": mostly(st.fixed_dictionaries({"token": TEXT, "answer": SCALAR})),
        "unknown": ANYTHING,
    },
)
SHAPE = {"answer", "citations", "decisionPath", "confidence", "pluginVersion", "outcome", "reason", "clarification"}


@EASY
@given(body=BODY | ANYTHING)
def test_no_body_is_answered_with_a_500(published: Plugin, untiring: str, body: Any) -> None:
    response = send(untiring, json.dumps(body))
    assert response.status_code in {200, 400, 404, 406, 413}, (response.status_code, response.content[:300])
    if getattr(response, "streaming", False):
        return
    shown = response.json()
    assert set(shown) >= SHAPE if response.status_code == 200 else set(shown) == {"error", "code", "hint"}


@EASY
@given(body=st.binary(max_size=300))
def test_no_bytes_are_answered_with_a_500(named: Plugin, untiring: str, body: bytes) -> None:
    assert send(untiring, body).status_code in {400, 413}


@EASY
@given(body=BODY.filter(lambda body: body.get("stream") in (None, False)))
def test_every_question_that_is_answered_leaves_one_row(published: Plugin, untiring: str, body: Any) -> None:
    """What cannot be stored must have been refused before, or the audit log has a hole."""
    before = Query.objects.count()
    response = send(untiring, json.dumps(body))
    assert Query.objects.count() - before == int(response.status_code == 200)
