"""What a request may hold: values of their own type and names that are known, at every route; and what is said of JSON
that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers
from rest_framework.test import APIClient

from accounts.models import User
from api.fields import QueryParameters, StrictSerializer
from api.schema.autoschema import ApiAutoSchema
from plugins.models import Plugin
from tests.api import described
from tests.api.callers import by_key
from tests.api.mcp.test_http import post

# Clients of OpenAI's protocol send much that has no effect here; `lexic.ignored` names it. Messages of a conversation
# come back with whatever a client keeps in them.
LENIENT = {
    "ChatSerializer",
    "ResponseRequestSerializer",
    "StreamOptionsSerializer",
    "MessageSerializer",
    "PublicMessageSerializer",
    "TurnSerializer",
}
# Anything goes, so that what is no time zone is UTC.
ANY_TYPE = {"PublicChatSerializer.timezone"}
TEXTS = (serializers.CharField, serializers.ChoiceField, serializers.DateField, serializers.UUIDField)
WRONG: list[tuple[type[serializers.Field] | tuple[type[serializers.Field], ...], list[Any]]] = [
    (serializers.BooleanField, ["yes", "true", "", 1, 0, [], {}]),
    (serializers.IntegerField, ["5", "", True, 1.5, [], {}]),
    (serializers.FloatField, ["1.5", "", True, [], {}]),
    (serializers.ListField, ["x", 5, True, {}]),
    (serializers.DictField, ["x", 5, True, []]),
    (TEXTS, [5, 1.5, True, [], {}, ["x"]]),
]


@pytest.fixture(scope="module")
def request_serializers() -> list[serializers.Serializer]:
    """Every serializer that reads a JSON body, and those inside of it."""
    found: dict[type, serializers.Serializer] = {}
    describe = ApiAutoSchema._map_basic_serializer

    def note(schema: ApiAutoSchema, serializer: Any, direction: Any) -> dict[str, Any]:
        if direction == "request" and not isinstance(serializer, QueryParameters):
            found[type(serializer)] = serializer
        return describe(schema, serializer, direction)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ApiAutoSchema, "_map_basic_serializer", note)
        SchemaGenerator().get_schema(request=None, public=True)
    assert len(found) > 20
    return list(found.values())


def test_every_body_is_refused_for_a_name_that_is_not_known(request_serializers: list[serializers.Serializer]) -> None:
    lenient = {type(one).__name__ for one in request_serializers if not isinstance(one, StrictSerializer)}
    assert lenient == LENIENT


def test_no_field_takes_a_value_of_another_type(request_serializers: list[serializers.Serializer]) -> None:
    taken = []
    for serializer in request_serializers:
        for name, field in serializer.fields.items():
            wrong = next((values for kind, values in WRONG if isinstance(field, kind)), [])
            for value in [] if field.read_only else wrong:
                try:
                    field.run_validation(value)
                except serializers.ValidationError:
                    continue
                taken.append(f"{type(serializer).__name__}.{name} takes {value!r}")
    assert [one for one in taken if one.split()[0] not in ANY_TYPE] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("/api/v1/query", {"plugin": "cover", "query": "x", "fact": {}}),
        ("/api/sandbox/cover", {"query": "x", "fact": {}}),
        ("/api/public/cover/chat", {"message": "x", "fact": {}}),
        ("/api/plugins", {"name": "x", "domain": "x", "fact": {}}),
    ],
)
def test_a_misspelt_name_is_told_the_known_ones(published: Plugin, alice: User, url: str, body: dict[str, Any]) -> None:
    Plugin.objects.update(public_chat=True)
    response = by_key(alice).post(url, body, format="json")
    assert response.status_code == 400
    known = [name for name in body if name != "fact"]
    assert response.json()["error"].startswith("fact: This is not known here. ")
    assert all(name in response.json()["error"] for name in known)


@pytest.mark.django_db
def test_every_route_refuses_a_name_that_is_not_known(published: Plugin, alice: User) -> None:
    """Whatever else is wrong with the body: a route that reads only some names would speak of missing ones."""
    Plugin.objects.update(public_chat=True)
    keyed, signed_in, found = by_key(alice), APIClient(), described.rows(published, owner=alice)
    signed_in.force_login(alice)
    asked = keyed.post("/api/v1/query", {"plugin": "cover", "query": "What is the cover?"}, format="json")
    routes = list(described.routes_with_a_json_body({**found, "query": asked.json()["queryId"]}))
    assert len(routes) > 30
    passed_over = []
    for method, path in routes:
        if path in ("/v1/chat/completions", "/v1/responses"):  # take what OpenAI's clients send
            continue
        client = signed_in if path.startswith("/api/connectors/") else keyed
        response = client.generic(method, path, b'{"fcat": 1}', content_type="application/json")
        told = response.json().get("error", "") if response.content else ""
        if response.status_code != 400 or "fcat: This is not known here." not in told:
            passed_over.append(f"{method} {path}: {response.status_code} {told}")
    assert passed_over == []


@pytest.mark.django_db
def test_the_client_of_the_first_specification_is_understood(published: Plugin, key: str) -> None:
    """It sends `context` and `options` only where they were given, and `stream`."""
    turns = [{"role": "user", "content": "What is cover?"}, {"role": "assistant", "content": "A layer of concrete."}]
    options = {"citationMode": "inline", "maxSources": 5, "includeDecisionPath": True}
    asked = {"plugin": "cover", "query": "What is the minimum cover for a beam exposed to weather?"}
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    for body in (asked, {**asked, "context": turns, "options": options, "stream": False}, {**asked, "stream": True}):
        assert client.post("/api/v1/query", body, format="json").status_code == 200


# --- JSON that cannot be read -----------------------------------------------------------------------------------

UNREADABLE = [
    (b'{"query": "x"', "at line 1, column 14: Expecting"),
    (b'{"query": "x",\n "a" 1}', "at line 2, column 6: Expecting ':' delimiter"),
    (b'{"a": NaN}', "NaN is no number that can be read."),
    (b'{"a": -Infinity}', "-Infinity is no number that can be read."),
    (b'{"a": 1e999}', "1e999 is no number that can be read."),
    (b'{"a": ' + b"9" * 5000 + b"}", "99999999999999999999… is no number that can be read."),
    (b'{"a": "\xe9"}', "The JSON is not in UTF-8: its byte 8 cannot be read."),
    ('{"a": 1}'.encode("utf-16"), "The JSON is in UTF-16 and not in UTF-8."),
    (b'\xef\xbb\xbf{"a": 1}', "The JSON begins with a byte order mark."),
    (b'{"a": ' + b"[" * 30 + b"]" * 30 + b"}", "The JSON is nested too deeply: it may have 20 levels."),
    (b"[" * 100_000, "The JSON is nested too deeply: it may have 20 levels."),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("body", "told"), UNREADABLE)
def test_what_is_wrong_with_json_is_told_wherever_it_comes_in(
    plugin: Plugin, alice: User, body: bytes, told: str
) -> None:
    client = by_key(alice)
    for url in ("/api/v1/query", "/v1/chat/completions", "/v1/responses", "/api/plugins", "/api/sandbox/cover"):
        response = client.post(url, data=body, content_type="application/json")
        error = response.json()
        error = error if isinstance(error["error"], str) else {**error["error"], "error": error["error"]["message"]}
        assert (response.status_code, error["code"]) == (400, "invalid_json")
        assert told in error["error"]


@pytest.mark.django_db(transaction=True)
def test_what_is_wrong_with_json_is_told_by_mcp_too(server: str, key: str) -> None:
    for body, told in UNREADABLE:
        error = post(server, key, body).json()["error"]
        assert told in error["message"] or (body[:1] == b"[" and "one message" in error["message"])
        assert error["data"]["hint"]
