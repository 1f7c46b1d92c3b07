"""The door itself: who is let in, how much, and in which revision of the protocol."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.mcp.clients import (
    CURRENT,
    PREVIOUS,
    UNCLEAR,
    call,
    data_of,
    error_of,
    over_http,
)

pytestmark = pytest.mark.django_db(transaction=True)

ACCEPT = "application/json, text/event-stream"
META = {
    "io.modelcontextprotocol/protocolVersion": CURRENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def post(server: str, key: str, body: Any, *, revision: str = "2025-06-18", **headers: str) -> httpx2.Response:
    given = {"Accept": ACCEPT, "Content-Type": "application/json", "MCP-Protocol-Version": revision}
    if key:
        given["Authorization"] = f"Bearer {key}"
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with httpx2.Client(trust_env=False, timeout=60) as client:
        return client.post(f"{server}/mcp", content=content, headers=given | headers)


def result_of(response: httpx2.Response) -> dict[str, Any]:
    """The answer's result, whether it came as JSON or as the last event of a stream."""
    assert response.status_code == 200
    if response.headers["content-type"].startswith("application/json"):
        return response.json()["result"]
    last = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")][-1]
    return json.loads(last)["result"]


def assert_refused(response: httpx2.Response, status: int, code: str) -> None:
    assert response.status_code == status
    body = response.json()
    assert (body["jsonrpc"], set(body)) == ("2.0", {"jsonrpc", "id", "error"})
    assert body["error"]["data"]["code"] == code
    assert {"error", "code", "hint"} <= set(body["error"]["data"])


@pytest.mark.parametrize("authorization", ["", "Bearer lx_wrong", "Basic abc", "Bearer"])
def test_without_a_key_that_works_nobody_comes_in(db: None, server: str, authorization: str):
    headers = {"Authorization": authorization} if authorization else {}
    response = post(server, "", message("tools/list"), **headers)
    assert_refused(response, 401, "not_authenticated")
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_key_in_the_address_is_no_key(server: str, key: str):
    with httpx2.Client(trust_env=False) as client:
        response = client.post(f"{server}/mcp?key={key}", json=message("tools/list"), headers={"Accept": ACCEPT})
    assert response.status_code == 401


def test_a_name_that_is_not_ours_is_refused(server: str, key: str, settings):
    settings.ALLOWED_HOSTS = ["127.0.0.1", ".example.org"]
    assert_refused(post(server, key, message("tools/list"), Host="evil.example.com"), 421, "wrong_host")
    for host in ("127.0.0.1", "127.0.0.1:8000", "lexic.example.org"):
        assert post(server, key, message("tools/list"), Host=host).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://[", "https://example.org.evil.com"])
def test_a_page_of_another_site_is_refused(server: str, key: str, settings, origin: str):
    settings.ALLOWED_HOSTS = ["127.0.0.1", "example.org"]
    assert_refused(post(server, key, message("tools/list"), Origin=origin), 403, "wrong_origin")
    assert post(server, key, message("tools/list"), Origin="https://example.org").status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_there_is_nothing_to_listen_to_and_nothing_to_end(server: str, key: str, method: str):
    with httpx2.Client(trust_env=False, headers={"Authorization": f"Bearer {key}"}) as client:
        response = client.request(method, f"{server}/mcp")
    assert_refused(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


def test_a_slash_at_the_end_is_the_same_address(server: str, key: str):
    headers = {"Authorization": f"Bearer {key}", "Accept": ACCEPT}
    with httpx2.Client(trust_env=False, headers=headers) as client:
        assert client.post(f"{server}/mcp/", json=message("tools/list")).status_code in (200, 307)
        assert client.post(f"{server}/mcpx", json=message("tools/list")).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "invalid_json"),
        (b'{"a": 1e999}', "invalid_json"),
        (b"\xff", "invalid_json"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "invalid_json"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(server: str, key: str, body: bytes, code: str):
    assert_refused(post(server, key, body), 400, code)


@pytest.mark.parametrize(
    "body", [b"[]", b"1", b'"x"', b"null", b"{}", b"[1]", b"[" * 100 + b"]" * 100, b'{"a": "\\u0000"}']
)
@pytest.mark.parametrize("revision", ["2025-03-26", CURRENT])
def test_what_is_no_message_is_an_error_and_no_failure(server: str, key: str, body: bytes, revision: str):
    assert 400 <= post(server, key, body, revision=revision).status_code < 500


@pytest.mark.parametrize("body", [b"[]", b"null", b'[{"jsonrpc": "2.0", "method": "tools/call", "id": 1}]'])
def test_a_batch_is_told_to_come_one_by_one(server: str, key: str, body: bytes):
    refused = post(server, key, body)
    assert_refused(refused, 400, "invalid")
    assert "batch" in refused.json()["error"]["data"]["hint"]


@pytest.mark.parametrize("headers", [{}, {"MCP-Protocol-Version": "2025-03-26"}])
def test_a_batch_is_answered_as_one_where_the_revision_has_them(server: str, alice: User, headers: dict[str, str]):
    secret = limited(alice, 2)
    listing = {"name": "list_experts", "arguments": {}}
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": listing} for n in range(3)),
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
    ]
    given = {"Accept": ACCEPT, "Authorization": f"Bearer {secret}", **headers}
    with httpx2.Client(trust_env=False, timeout=60, headers=given) as client:
        response = client.post(f"{server}/mcp", json=batch)
        quiet = client.post(f"{server}/mcp", json=batch[1:2])
        refused = client.post(f"{server}/mcp", json=batch[:1] * 51)
    answers = response.json()
    assert [one["id"] for one in answers] == ["a", 0, 1, 2, 3]
    assert [one["result"]["isError"] for one in answers[1:4]] == [False, False, True]
    assert "error" in answers[4]
    assert response.headers["x-ratelimit-remaining"] == "0"
    assert (quiet.status_code, quiet.content) == (202, b"")
    assert_refused(refused, 400, "invalid")


def test_a_batch_that_is_not_sent_as_json_is_refused_like_a_single_message(server: str, key: str):
    listing, plain = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"Content-Type": "text/plain"}
    single = post(server, key, listing, revision="2025-03-26", **plain)
    batch = post(server, key, [listing, listing], revision="2025-03-26", **plain)
    assert 400 <= batch.status_code < 500
    assert (batch.status_code, batch.text) == (single.status_code, single.text)


@pytest.mark.parametrize("method", [["tools/call"], {}, 7, None])
def test_a_method_that_is_no_name_is_an_error_and_no_failure(server: str, key: str, method: Any):
    body = {"jsonrpc": "2.0", "id": 1, "method": method}
    assert post(server, key, json.dumps(body).encode()).status_code == 400


def test_a_body_that_says_it_is_too_large_is_not_read(server: str, key: str, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert_refused(post(server, key, b'{"a": "' + b"x" * 1000 + b'"}'), 413, "too_large")


def test_a_body_without_end_is_too_large(server: str, key: str, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    headers = {"Authorization": f"Bearer {key}", "Accept": ACCEPT, "Content-Type": "application/json"}
    with httpx2.Client(trust_env=False, timeout=30, headers=headers) as client:
        response = client.post(f"{server}/mcp", content=(b"x" * 100 for _ in range(20)))
    assert_refused(response, 413, "too_large")


# --- Limits -----------------------------------------------------------------------------------------------


def limited(owner: User, per_minute: int) -> str:
    return ApiKey.objects.issue(owner=owner, name="limited", per_minute=per_minute)[1]


def test_a_spent_key_gets_429_before_any_tool_runs(server: str, alice: User, monkeypatch):
    secret = limited(alice, 2)
    listing = message("tools/call", name="list_experts", arguments={})
    first, second, third = (post(server, secret, listing) for _ in range(3))
    assert [response.headers["x-ratelimit-remaining"] for response in (first, second)] == ["1", "0"]
    told = result_of(third)
    assert told["isError"]
    waiting = told["_meta"]["lexic/error"]["retry_after"]
    assert 0 < waiting <= 86_400
    assert third.headers["retry-after"] == str(waiting)


def test_the_official_client_is_told_how_long_to_wait(server: str, alice: User):
    secret = limited(alice, 1)
    over_http(server, secret, lambda client: client.call_tool("list_experts", {}))
    told = error_of(call(server, secret, "list_experts"))
    assert told["code"] == "rate_limited"
    assert told["retry_after"] > 0


def test_shaking_hands_and_listing_tools_is_free(server: str, alice: User):
    secret = limited(alice, 1)

    async def use(client):
        for _ in range(3):
            await client.list_tools()
        return await client.call_tool("list_experts", {})

    assert data_of(over_http(server, secret, use, mode=PREVIOUS)) == {"experts": [], "total": 0}


def test_exactly_as_many_calls_pass_as_the_limit_allows(server: str, alice: User):
    secret = limited(alice, 7)
    listing = message("tools/call", name="list_experts", arguments={})
    with ThreadPoolExecutor(8) as pool:
        refused = list(pool.map(lambda _: result_of(post(server, secret, listing))["isError"], range(24)))
    assert (refused.count(False), refused.count(True)) == (7, 17)


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"list_experts"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{"name":"list_experts"}}',
        b'{"jsonrpc":"2.0","id":1,"meth\\u006fd":"tools/call","params":{"name":"list_experts"}}',
    ],
)
def test_a_call_cannot_hide_from_being_counted(server: str, alice: User, body: bytes):
    response = post(server, limited(alice, 5), body)
    has_called = "structuredContent" in result_of(response)
    assert has_called == ("x-ratelimit-limit" in response.headers)


# --- Revisions --------------------------------------------------------------------------------------------


def test_the_current_revision_needs_no_handshake(server: str, key: str):
    headers = {"Mcp-Method": "server/discover"}
    found = result_of(post(server, key, message("server/discover", _meta=META), revision=CURRENT, **headers))
    assert CURRENT in found["supportedVersions"]
    listed = result_of(
        post(server, key, message("tools/list", _meta=META), revision=CURRENT, **{"Mcp-Method": "tools/list"})
    )
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
    assert listed["ttlMs"] > 0


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_earlier_revisions_shake_hands_and_are_answered(published: Plugin, server: str, key: str, revision: str):
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    response = post(server, key, message("initialize", **hello), revision=revision)
    assert result_of(response)["protocolVersion"] == revision
    assert "mcp-session-id" not in response.headers
    arguments = {"plugin": "cover", "question": UNCLEAR, "facts": {"exposure": "severe"}}
    called = result_of(
        post(server, key, message("tools/call", name="ask_expert", arguments=arguments), revision=revision)
    )
    assert "45 mm" in called["content"][0]["text"]
    has_links = any(block["type"] == "resource_link" for block in called["content"])
    assert has_links == (revision >= "2025-06-18")


def test_a_revision_that_nobody_knows_is_told_which_there_are(server: str, key: str):
    meta = META | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    asked = message("tools/list", _meta=meta)
    response = post(server, key, asked, revision="2031-01-01", **{"Mcp-Method": "tools/list"})
    assert response.status_code == 400
    assert CURRENT in response.json()["error"]["data"]["supported"]


def test_tools_are_listed_in_one_order_with_schemas_and_as_harmless(server: str, key: str):
    async def use(client):
        return (await client.list_tools()).tools, (await client.list_resource_templates()).resource_templates

    tools, templates = over_http(server, key, use)
    names = [
        "ask_expert",
        "ask_experts",
        "review_text",
        "search_sources",
        "get_source",
        "walk_tree",
        "list_experts",
        "search",
        "fetch",
    ]
    assert [tool.name for tool in tools] == names
    assert all(tool.title and len(tool.description) > 80 for tool in tools)
    assert all(tool.input_schema["type"] == tool.output_schema["type"] == "object" for tool in tools)
    assert all(tool.annotations.read_only_hint and not tool.annotations.destructive_hint for tool in tools)
    assert [template.name for template in templates] == ["expert", "citation", "page"]


UNREADABLE = {"deep": "[" * 30 + "]" * 30, "deeper": "[" * 300 + "]" * 300, "infinite": "1e400", "long": "9" * 5000}


@pytest.mark.parametrize("arguments", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("question", ["x", "\ud800"], ids=["text", "half a character"])
def test_a_message_that_cannot_be_read_has_an_answer_with_its_id(
    server: str, alice: User, arguments: str, question: str
) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="batch")
    calls = [("ask_expert", {"plugin": "x", "question": question, "facts": "ODD"}), ("list_experts", {})]
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, start=7)
    ]
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    headers = {"Authorization": f"Bearer {secret}", **accepted}
    with httpx2.Client(trust_env=False, timeout=60, headers=headers) as client:
        batch, single = (
            client.post(f"{server}/mcp", content=json.dumps(sent).replace('"ODD"', arguments))
            for sent in (messages, messages[0])
        )
    first, second = batch.json()
    assert (single.status_code, single.json()) == (200, first)
    assert (first["id"], first["error"]["data"]["code"]) == (7, "invalid_json")
    assert (second["id"], "experts" in second["result"]["structuredContent"]) == (8, True)


def test_an_id_that_cannot_be_read_is_null(server: str, alice: User) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="id")
    with httpx2.Client(trust_env=False, timeout=60, headers={"Authorization": f"Bearer {secret}"}) as client:
        answer = client.post(f"{server}/mcp", content=b'{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}')
    assert (answer.status_code, answer.json()["id"]) == (400, None)
