"""The doors of authors over a real server: what streams arrives in pieces, and whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from accounts.models import ApiKey, User
from marketplace.bundle import export_plugin
from plugins.models import Plugin
from querying.models import Query
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(alice: User) -> Iterator[httpx2.Client]:
    secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["author"])[1]
    headers = {"Authorization": f"Bearer {secret}"}
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=30, base_url=url, headers=headers) as client:
        yield client


def test_lx_091_the_sandbox_streams(plugin: Plugin, client: httpx2.Client) -> None:
    body = {"query": "What is the minimum cover for a beam exposed to weather?"}
    with client.stream("POST", "/api/sandbox/cover", json=body) as response:
        assert response.headers["content-type"] == "text/event-stream"
        events = [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]
    assert [event["type"] for event in events[-2:]] == ["done", "details"]
    assert events[-1]["timings"] == Query.objects.get().timings


def test_a_bundle_leaves_and_comes_in(plugin: Plugin, client: httpx2.Client) -> None:
    response = client.get("/api/plugins/cover/export")
    with export_plugin(plugin) as file:
        assert response.content == file.read()
    assert response.headers["content-length"] == str(len(response.content))
    made = client.post("/api/plugins/import", files={"file": ("cover.zip", response.content)})
    assert (made.status_code, made.json()["plugin"]["slug"]) == (201, "cover-1")


def test_an_etag_survives_the_way(plugin: Plugin, client: httpx2.Client) -> None:
    etag = client.get("/api/plugins/cover").headers["etag"]
    assert client.get("/api/plugins/cover", headers={"If-None-Match": etag}).status_code == 304
    changed = client.patch("/api/plugins/cover", json={"tone": "brief"}, headers={"If-Match": etag})
    assert changed.status_code == 200
    assert client.patch("/api/plugins/cover", json={"tone": "x"}, headers={"If-Match": etag}).status_code == 412
