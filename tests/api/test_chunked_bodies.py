"""Bodies without a length (`Transfer-Encoding: chunked`), over a real server: every route reads them.

Node's `fetch` of a stream, generators of Python's HTTP clients and some proxies send them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from accounts.models import ApiKey, User
from knowledge.models import Document
from plugins.models import Plugin
from tests.api import described
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What is the minimum cover for a beam exposed to weather?"


@pytest.fixture
def client(published: Plugin, alice: User) -> Iterator[httpx2.Client]:
    Plugin.objects.update(public_chat=True)
    plenty = {"per_minute": 100_000, "per_day": 100_000}
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query", "read", "author"], **plenty)
    headers = {"Authorization": f"Bearer {secret}"}
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=60, base_url=url, headers=headers) as client:
        yield client


def in_chunks(body: bytes) -> Iterator[bytes]:
    yield from (body[at : at + 7] for at in range(0, len(body), 7))


def send(client: httpx2.Client, path: str, body: Any, *, method: str = "POST") -> httpx2.Response:
    content = in_chunks(body if isinstance(body, bytes) else json.dumps(body).encode())
    response = client.request(method, path, content=content, headers={"Content-Type": "application/json"})
    assert response.request.headers["transfer-encoding"] == "chunked"
    return response


def test_every_route_reads_a_body_in_chunks(client: httpx2.Client, published: Plugin, alice: User) -> None:
    """The body is no JSON: a route that reads it says so; one that loses it speaks of missing fields, or succeeds."""
    found = described.rows(published, owner=alice)
    answer = send(client, "/api/v1/query", {"plugin": "cover", "query": WEATHER})
    found["query"] = answer.json()["queryId"]
    routes = list(described.routes_with_a_json_body(found))
    assert len(routes) > 30
    for method, path in routes:
        response = send(client, path, b'{"name": ', method=method)
        error = response.json()
        error = error["error"] if path.startswith("/v1/") else error
        if error["code"] == "session_required":  # no key comes so far
            assert "/connectors/" in path
            continue
        assert (response.status_code, error["code"]) == (400, "invalid_json"), f"{method} {path}: {error}"


def test_a_question_in_chunks_is_answered_in_every_protocol(client: httpx2.Client) -> None:
    query = {"plugin": "cover", "query": WEATHER}
    assert "45 mm" in send(client, "/api/v1/query", query).json()["answer"]
    assert '"type": "done"' in send(client, "/api/v1/query", {**query, "stream": True}).text
    assert "45 mm" in send(client, "/api/sandbox/cover", {"query": WEATHER, "stream": False}).text
    chat = {"model": "cover", "messages": [{"role": "user", "content": WEATHER}]}
    assert "45 mm" in send(client, "/v1/chat/completions", chat).json()["choices"][0]["message"]["content"]
    call = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": WEATHER}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answered = client.post("/mcp", content=in_chunks(json.dumps(message).encode()), headers=headers)
    assert "45 mm" in answered.text
    Document.objects.update(is_public=True)
    assert "45 mm" in send(client, "/api/public/cover/chat", {"message": WEATHER}).text


def test_a_file_in_chunks_is_stored_whole(client: httpx2.Client, published: Plugin) -> None:
    text = b"# Spacers\n\n" + b"Spacers stand at most one metre apart.\n" * 2000
    form = client.build_request("POST", "/api/plugins/cover/documents", files={"file": ("spacers.md", text)})
    headers = {"Content-Type": form.headers["content-type"]}
    added = client.post("/api/plugins/cover/documents", content=in_chunks(form.read()), headers=headers)
    assert added.status_code == 201, added.text
    assert published.knowledge_base.documents.filter(sha256=hashlib.sha256(text).hexdigest()).exists()
