"""Every response has an `X-Request-Id`, and what else the middleware sets: pages, the API, `/mcp`, errors."""

from __future__ import annotations

import contextvars
import logging
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from accounts.models import ApiKey, User
from api.schema.views import get_schema
from lexic.log_redaction import RedactingFormatter
from plugins.models import Plugin
from querying.models import Query
from tests.api import described
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
SECURITY = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
WEATHER = "What is the minimum cover for a beam exposed to weather?"


@pytest.fixture
def secret(alice: User) -> str:
    capabilities = ["query", "read", "author"]
    return ApiKey.objects.issue(owner=alice, name="agent", capabilities=capabilities, per_minute=10_000)[1]


@pytest.fixture
def client(published: Plugin, secret: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {secret}"}
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=60, base_url=url, headers=headers) as client:
        yield client


def requests_everywhere(found: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in get_schema()["paths"].items():
        for method in methods:
            more: dict[str, Any] = {"content": b"{"} if method not in ("get", "delete") else {}
            if method == "delete":  # by somebody who may not: the rows stay
                more["headers"] = {"Authorization": "Bearer lx_wrong"}
            yield method.upper(), path.format_map(found), more
    yield from (("GET", path, {}) for path in ("/", "/healthz", "/readyz", "/nothing", "/api/nothing", "/v1/nothing"))
    yield from (("GET", path, {}) for path in ("/admin/", "/static/tokens.css", "/mcp", "/?%ff=1"))
    yield "POST", "/mcp", {"content": b"{"}
    yield "POST", "/mcp", {"json": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}
    yield "POST", "/mcp", {"json": {}, "headers": {"Authorization": "Bearer lx_wrong"}}
    yield "POST", "/api/v1/query", {"json": {}, "headers": {"Authorization": "Bearer lx_wrong"}}
    yield "POST", "/api/v1/query", {"content": b"x" * (6 * 1024 * 1024)}


def test_every_response_has_an_id_and_the_headers_of_safety(
    client: httpx2.Client, published: Plugin, alice: User, settings: Any
) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1024
    found = {**described.rows(published, owner=alice), "query": "00000000-0000-4000-8000-000000000000"}
    ids = []
    for method, path, more in requests_everywhere(found):
        response = client.request(method, path, **more)
        ids.append(response.headers.get("x-request-id", ""))
        assert UUID.fullmatch(ids[-1]), f"{method} {path}: {response.status_code}"
        missing = {name for name, value in SECURITY.items() if response.headers.get(name) != value}
        # A style sheet or a script is no page that could be framed.
        assert missing <= ({"x-frame-options"} if path.startswith("/static/") else set()), f"{method} {path}"
        assert "default-src" in response.headers["content-security-policy"]
    assert len(set(ids)) == len(ids) > 110


@pytest.mark.parametrize(
    ("sent", "is_echoed"),
    [
        ("abc-1.2_3", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("0198c2f4-51d2-7c3a-9b1e-0242ac120002", True),
        ("alice@example.com", False),
        ("555-123-4567", False),
        ("123-45-6789", False),
        ("GB29NWBK60161331926819", False),
        ("lx_" + "x" * 43, False),
        ("lxa_" + "x" * 43, False),
        ("sk-proj-1234", False),
        ("eyJhbGciOiJIUzI1NiJ9.e30.x", False),
        ("", False),
        ("a b", False),
        ("<script>", False),
        ("a\tb", False),
        ("\u00e9", False),
    ],
)
def test_an_id_of_the_callers_comes_back_where_it_is_harmless(
    client: httpx2.Client, sent: str, is_echoed: bool
) -> None:
    for method, path in (("GET", "/healthz"), ("GET", "/nothing"), ("POST", "/mcp"), ("POST", "/api/v1/query")):
        given = client.request(method, path, headers={"X-Request-Id": sent.encode()}).headers["x-request-id"]
        assert (given == sent) == is_echoed
        assert is_echoed or UUID.fullmatch(given)


def test_a_limit_that_is_used_up_has_an_id_too(client: httpx2.Client, alice: User) -> None:
    secret = ApiKey.objects.issue(owner=alice, name="spent", per_minute=1)[1]
    headers = {"Authorization": f"Bearer {secret}", "X-Request-Id": "mine"}
    answers = [client.post("/api/v1/query", json={}, headers=headers) for _ in range(2)]
    assert [(one.status_code, one.headers["x-request-id"]) for one in answers] == [(400, "mine"), (429, "mine")]


def test_the_id_is_that_of_the_question_unless_the_caller_chose_it(client: httpx2.Client) -> None:
    asked = {"plugin": "cover", "query": WEATHER}
    first = client.post("/api/v1/query", json=asked)
    second = client.post("/api/v1/query", json=asked, headers={"X-Request-Id": "00000000-0000-4000-8000-000000000000"})
    assert first.headers["x-request-id"] == first.json()["queryId"]
    assert second.headers["x-request-id"] == "00000000-0000-4000-8000-000000000000" != second.json()["queryId"]
    assert Query.objects.count() == 2


def test_each_line_of_the_log_has_the_id(client: httpx2.Client) -> None:
    lines: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Keeping()
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s%(request)s: %(message)s"))
    logger = logging.getLogger("django.request")
    logger.addHandler(handler)
    try:
        client.post("/api/v1/query", json={}, headers={"X-Request-Id": "mine-7"})
    finally:
        logger.removeHandler(handler)
    assert lines == ["WARNING django.request [mine-7]: Bad Request: /api/v1/query"]
    record = logging.makeLogRecord({"msg": "outside", "name": "x", "levelname": "INFO"})
    assert contextvars.Context().run(handler.format, record) == "INFO x: outside"
