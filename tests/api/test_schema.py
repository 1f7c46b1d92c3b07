"""The description of the API: complete, true of every answer that the server gives, and readable."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import yaml
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator
from schemathesis.specs.openapi.checks import ignored_auth

from accounts.models import ApiKey, User
from api.schema.hooks import EXCLUDED_PATHS
from api.schema.views import get_schema
from plugins.models import Plugin
from tests.api import described
from tests.servers import asgi_server

WEATHER = "What is the minimum cover for a beam exposed to weather?"
EXAMPLES = 3
QUIET = settings(
    max_examples=EXAMPLES,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in get_schema()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


# --- Complete -----------------------------------------------------------------------------------------------


def _routes(patterns: Any, *, before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, before=route)
        elif isinstance(pattern, URLPattern):
            yield "/" + re.sub(r"<[^>]+>", "{}", route)


def test_every_route_of_the_api_is_described() -> None:
    routes = {route for route in _routes(get_resolver().url_patterns) if route.startswith(("/api/", "/v1/"))}
    shown = {re.sub(r"\{\w+\}", "{}", path) for path in [*get_schema()["paths"], *EXCLUDED_PATHS]}
    assert routes - {"/api/docs", "/api/quickstart"} == shown


def test_the_description_is_valid_and_made_without_a_warning(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_no_two_operations_have_one_name_and_all_say_what_they_do() -> None:
    names = Counter(operation["operationId"] for _, _, operation in _operations())
    assert [name for name, count in names.items() if count > 1] == []
    assert [path for path, _, operation in _operations() if not operation.get("description")] == []


@pytest.mark.parametrize("status", ["401", "403", "429", "503"])
def test_every_operation_behind_a_key_names_the_errors_that_any_can_give(status: str) -> None:
    missing = [operation["operationId"] for _, _, operation in _operations() if status not in operation["responses"]]
    is_counted = status == "429"
    # The open doors have no key, and no limit but that of the address.
    # Of those, the chat waits for a language model, whose provider may be busy.
    busy = {"chatInPublic"} if status == "503" else set()
    assert set(missing) == {"getSchema"} | (set() if is_counted else _open() - busy)


def _open() -> set[str]:
    return {operation["operationId"] for _, _, operation in _operations() if operation.get("security") == [{}]}


def test_errors_below_v1_have_the_form_of_its_protocol() -> None:
    for path, _, operation in _operations():
        errors = [said["$ref"] for status, said in operation["responses"].items() if "$ref" in said]
        assert all(("/OpenAI" in error) == path.startswith("/v1/") for error in errors)


def test_streams_stand_beside_the_json_of_the_same_operation() -> None:
    streamed = {
        operation["operationId"]
        for _, _, operation in _operations()
        if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
    }
    assert streamed == {
        "askQuestion",
        "collaborate",
        "reviewText",
        "tryQuestion",
        "createChatCompletion",
        "createResponse",
        "sendMessage",
        "followRun",
    }


# --- Served -------------------------------------------------------------------------------------------------


def test_anybody_reads_it_as_json_or_yaml(client: Client) -> None:
    as_json = client.get("/api/schema")
    assert as_json["Content-Type"] == "application/json"
    assert as_json.json()["openapi"] == "3.1.1"
    for as_yaml in (
        client.get("/api/schema?format=yaml"),
        client.get("/api/schema", HTTP_ACCEPT="application/yaml"),
    ):
        assert as_yaml["Content-Type"].startswith("application/yaml")
        assert yaml.safe_load(as_yaml.content) == as_json.json()


def test_it_may_be_kept_and_asked_for_again(client: Client) -> None:
    first = client.get("/api/schema")
    assert first["Cache-Control"] == "public, max-age=300"
    assert client.get("/api/schema", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 304


def test_another_format_is_refused(client: Client) -> None:
    refused = client.get("/api/schema?format=xml")
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_format")


@pytest.mark.django_db
def test_the_page_shows_every_operation_without_a_script(client: Client, settings: Any) -> None:
    page = client.get("/api/docs")
    shown = page.content.decode()
    assert page.status_code == 200
    assert all(f'id="{operation["operationId"]}"' in shown for _, _, operation in _operations())
    # Its own address apart, it names none elsewhere, and nothing in it is inline.
    shown = shown.replace(settings.PUBLIC_URL, "")
    assert not re.search(r'<script(?! src="/)|<style|\sstyle="|\son\w+="|(src|href)="(https?:)?//', shown)
    linked = set(re.findall(r'href="#([^"]+)"', shown))
    assert linked <= set(re.findall(r'id="([^"]+)"', shown))


# --- True -----------------------------------------------------------------------------------------------------


@pytest.fixture
def author(alice: User) -> tuple[ApiKey, dict[str, str]]:
    plenty = {"per_minute": 1_000_000, "per_day": 1_000_000}
    key, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query", "read", "author"], **plenty)
    return key, {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


def _ask(server: str, headers: dict[str, str], **more: Any) -> requests.Response:
    body = {"plugin": "cover", "query": WEATHER, **more}
    return requests.post(f"{server}/api/v1/query", json=body, headers=headers, timeout=60)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_whatever_is_sent_the_answer_is_as_described(
    published: Plugin, alice: User, author: tuple[ApiKey, dict[str, str]], server: str
) -> None:
    """Every operation, with requests that fit the description and with such that do not, and every check there is:
    no 500, known statuses, media types, bodies and headers, nothing unfit accepted, nothing open without a key."""
    key, headers = author
    assert _ask(server, headers).status_code == 200
    stored = requests.post(
        f"{server}/v1/responses", json={"model": "cover", "input": WEATHER}, headers=headers, timeout=60
    )
    found = described.rows(published, owner=alice)
    found |= {"query": described.query_of(key), "response_id": stored.json()["id"]}
    session = requests.Session()
    session.trust_env = False  # looks for a password file before each request
    for operation in described.operations(described.loaded()):
        for mode in described.modes(operation):
            cases = described.cases(operation, mode=mode, found=found)
            examples = EXAMPLES if described.can_vary(operation) or not mode.is_positive else 1
            _send(cases, examples, base_url=server, headers=headers, session=session, timeout=120)


def _send(cases: Any, examples: int, **call: Any) -> None:
    """Each of them, and one of them without its key and with a wrong one as well."""
    checked: list[Any] = []

    @seed(20260131)
    @settings(QUIET, max_examples=examples)
    @given(case=cases)
    def send(case: Any) -> None:
        case.call_and_validate(excluded_checks=[*checked], **call)
        checked[:] = [ignored_auth]

    send()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_what_was_made_is_there_until_it_is_deleted(
    published: Plugin, author: tuple[ApiKey, dict[str, str]], server: str
) -> None:
    """Follows the links of the description, from what makes something to what reads, changes and deletes it."""
    _, headers = author

    class Following(described.loaded(plugin="cover").as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"base_url": server, "headers": headers}

    steps = settings(QUIET, max_examples=8, stateful_step_count=8)
    seed(20260131)(Following.TestCase)
    Following.run(settings=steps)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", [WEATHER, "What cover does a beam need?", "Who painted the ceiling of the chapel?"])
def test_each_event_of_a_stream_is_as_described(author: tuple[ApiKey, dict[str, str]], server: str, query: str) -> None:
    answer = _ask(server, author[1], query=query, stream=True)
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    components = {"components": get_schema()["components"]}
    fits = Draft202012Validator({"$ref": "#/components/schemas/AnswerEvent", **components})
    assert events[-1]["type"] == "done"
    assert [error.message for event in events for error in fits.iter_errors(event)] == []


_TREE = {"rootNodeId": "end", "nodes": {"end": {"id": "end", "type": "action", "label": "Ask an engineer"}}}
_PLUGIN = "/api/plugins/{plugin}"
# Where it is made, how it is called in an address, what makes it, what changes it, and how.
_RESOURCES = [
    ("/api/plugins", "plugin", {"name": "Boots", "domain": "safety"}, ("patch", {"tagline": "Steel caps"})),
    (f"{_PLUGIN}/documents", "document", {"title": "Boots", "text": "# Boots"}, ("patch", {"project": "A1"})),
    (f"{_PLUGIN}/trees", "tree", {"name": "End", "treeData": _TREE}, ("patch", {"description": "Ends at once"})),
    (f"{_PLUGIN}/golden-questions", "golden", {"question": WEATHER}, ("patch", {"mustContain": ["45 mm"]})),
    ("/api/api-keys", "id", {"name": "spare"}, ("patch", {"perMinute": 5})),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "name", "body", "change"), _RESOURCES, ids=[one[1] for one in _RESOURCES])
def test_each_resource_is_made_read_changed_and_deleted_as_described(
    author: tuple[ApiKey, dict[str, str]], server: str, path: str, name: str, body: Any, change: Any
) -> None:
    schema, one = described.loaded(), f"{path}/{{{name}}}"

    def send(path: str, method: str, **given: Any) -> Any:
        operation = schema[path][method.upper()]
        names = {
            name: value
            for name, value in {"plugin": "cover", **given.pop("names", {})}.items()
            if f"{{{name}}}" in path
        }
        if "body" in given:
            given["media_type"] = "application/json"
        case = operation.Case(path_parameters=names, **given)
        return case.call_and_validate(base_url=server, headers=author[1])

    made = send(path, "post", body=body)
    assert made.status_code == 201
    names = {name: made.json()["slug" if name == "plugin" else "id"]}
    read = send(one, "get", names=names)
    tag = read.headers.get("etag", ["*"])[0]
    method, said = change
    changed = send(one, method, names=names, body=said, headers={"If-Match": tag} if tag != "*" else {})
    assert changed.status_code == 200
    assert changed.json().items() >= said.items()
    if tag != "*":
        stale = send(one, method, names=names, body=said, headers={"If-Match": tag})
        assert stale.status_code == 412
    assert send(one, "delete", names=names).status_code == 204
    gone = send(one, "get", names=names)
    assert gone.status_code == 404 or gone.json()["state"] == "revoked"
