"""Calls from pages of other sites: refused unless the operator, the key or the plugin names the page's origin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from rest_framework.test import APIClient

from accounts import api_keys
from accounts.models import ApiKey, User
from knowledge.models import Document
from plugins.models import Plugin
from tests.api.callers import by_key
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

SITE, OTHER = "https://www.example.org", "https://evil.example.com"
WEATHER = "What is the minimum cover for a beam exposed to weather?"
ALLOW = "access-control-allow-origin"
PATHS = ["/api/v1/query", "/api/plugins", "/api/marketplace", "/v1/models", "/v1/chat/completions", "/mcp"]


@pytest.fixture
def client(published: Plugin) -> Iterator[httpx2.Client]:
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=60, base_url=url) as client:
        yield client


def preflight(client: httpx2.Client, path: str, origin: str = SITE) -> httpx2.Response:
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    return client.options(path, headers={"Origin": origin, **wanted})


def read(client: httpx2.Client, path: str, secret: str, origin: str = SITE) -> httpx2.Response:
    headers = {"Origin": origin, "Authorization": f"Bearer {secret}"}
    if path == "/mcp":
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        return client.post(path, json=message, headers={**headers, "Accept": "application/json, text/event-stream"})
    return client.get(path, headers=headers)


@pytest.fixture
def named(alice: User) -> str:
    """A key that pages of the site may use."""
    capabilities = ["query", "read", "author"]
    return api_keys.issue_key(alice, name="page", capabilities=capabilities, allowed_origins=[SITE])[1]


@pytest.mark.parametrize("path", PATHS)
def test_lx_108_without_a_word_no_page_of_another_site_may_read(client: httpx2.Client, key: str, path: str) -> None:
    assert ALLOW not in preflight(client, path).headers
    assert ALLOW not in read(client, path, key).headers


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origins", [[SITE], ["*"]])
def test_the_operator_allows_an_origin_for_every_key(
    client: httpx2.Client, key: str, settings: Any, path: str, origins: list[str]
) -> None:
    settings.CORS_ORIGINS = origins
    asked = preflight(client, path)
    assert (asked.status_code, asked.headers[ALLOW], asked.content) == (204, SITE, b"")
    assert "Authorization" in asked.headers["access-control-allow-headers"]
    assert "PATCH" in asked.headers["access-control-allow-methods"]
    for secret in (key, "lx_wrong"):
        answered = read(client, path, secret)
        # An answer of the MCP server to nobody's key is for nobody to read.
        assert answered.headers.get(ALLOW) == (None if path == "/mcp" and secret == "lx_wrong" else SITE)
        assert "access-control-allow-credentials" not in answered.headers
    assert "X-Request-Id" in read(client, path, key).headers["access-control-expose-headers"]
    if origins == [SITE]:
        assert ALLOW not in preflight(client, path, OTHER).headers
        assert ALLOW not in read(client, path, key, OTHER).headers


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/api/marketplace"])
def test_a_key_allows_an_origin_for_itself(client: httpx2.Client, key: str, named: str, path: str) -> None:
    assert preflight(client, path).headers[ALLOW] == SITE  # the browser asks without a key
    assert read(client, path, named).headers[ALLOW] == SITE
    assert ALLOW not in read(client, path, key).headers
    assert ALLOW not in preflight(client, path, OTHER).headers
    assert ALLOW not in read(client, path, named, OTHER).headers
    ApiKey.objects.for_secret(named).revoke()
    assert ALLOW not in preflight(client, path).headers


def test_a_page_asks_a_question_and_reads_a_stream(client: httpx2.Client, named: str) -> None:
    headers = {"Origin": SITE, "Authorization": f"Bearer {named}"}
    for stream in (False, True):
        body = {"plugin": "cover", "query": WEATHER, "stream": stream}
        answered = client.post("/api/v1/query", json=body, headers=headers)
        assert "45 mm" in answered.text
        assert (answered.headers[ALLOW], "Origin" in answered.headers["vary"]) == (SITE, True)


def test_an_author_lets_a_site_ask_the_public_chat(client: httpx2.Client, published: Plugin) -> None:
    path = "/api/public/cover/chat"
    Document.objects.update(is_public=True)
    Plugin.objects.update(public_chat=True, embed_origins=[SITE])
    assert preflight(client, path).headers[ALLOW] == SITE
    answered = client.post(path, json={"message": WEATHER}, headers={"Origin": SITE})
    assert "45 mm" in answered.text
    assert answered.headers[ALLOW] == SITE
    assert ALLOW not in client.post(path, json={"message": WEATHER}, headers={"Origin": OTHER}).headers
    assert ALLOW not in preflight(client, "/api/v1/query").headers
    Plugin.objects.update(public_chat=False)
    assert ALLOW not in preflight(client, path).headers


def test_a_chat_that_cannot_exist_is_no_error_of_ours(client: httpx2.Client) -> None:
    path = "/api/public/a%00b/chat"
    assert ALLOW not in preflight(client, path).headers
    assert client.get(path, headers={"Origin": SITE}).status_code == 404


def test_pages_are_not_for_other_sites_at_all(client: httpx2.Client, settings: Any) -> None:
    settings.CORS_ORIGINS = ["*"]
    for path in ("/", "/admin/", "/chat/cover", "/accounts/login/", "/healthz"):
        assert ALLOW not in client.get(path, headers={"Origin": SITE}).headers
        assert ALLOW not in preflight(client, path).headers


def test_origins_are_set_over_the_api_and_only_origins(alice: User, plugin: Plugin) -> None:
    client = by_key(alice)
    made = client.post(
        "/api/api-keys", {"name": "page", "allowedOrigins": [f"{SITE}", "HTTP://localhost:3000"]}, format="json"
    )
    assert made.json()["allowedOrigins"] == [SITE, "http://localhost:3000"]
    url = f"/api/api-keys/{made.json()['id']}"
    assert client.patch(url, {"allowedOrigins": []}, format="json").json()["allowedOrigins"] == []
    changed = client.patch("/api/plugins/cover", {"embedOrigins": [SITE]}, format="json")
    assert changed.json()["embedOrigins"] == [SITE]
    for wrong in ("*", "null", "www.example.org", f"{SITE}/", f"{SITE}/page", "javascript:alert(1)", "https://a b", ""):
        for address, name in ((url, "allowedOrigins"), ("/api/plugins/cover", "embedOrigins")):
            assert client.patch(address, {name: [wrong]}, format="json").status_code == 400, wrong


def test_a_key_that_replaces_another_one_keeps_its_origins(alice: User, named: str) -> None:
    key = ApiKey.objects.for_secret(named)
    new, _ = api_keys.rotate_key(key, by=alice, overlap=api_keys.MAX_OVERLAP)
    assert new.allowed_origins == [SITE]


def test_without_an_origin_the_database_is_not_asked(published: Plugin, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        APIClient().get("/api/schema")
