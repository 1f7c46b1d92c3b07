"""`/api/plugins/…/sources`: what a plugin's documents follow elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from knowledge.models import Document, KnowledgeBase, Source, SourceItem
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
COLLECTION = "/api/plugins/boots/sources"
REPO = {
    "kind": "repo",
    "address": "https://example.org/team/handbook.git",
    "options": {"folder": "docs"},
    "credentials": {"password": "token-of-alice"},
}


@pytest.fixture
def boots(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="x", system_prompt="x")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, dict[str, bool]]]:
    asked: list[tuple[int, dict[str, bool]]] = []
    monkeypatch.setattr("api.synced_sources.views.enqueue_sync", lambda pk, **said: asked.append((pk, said)))
    return asked


@pytest.fixture
def client(boots: Plugin) -> APIClient:
    client = APIClient()
    _, secret = ApiKey.objects.issue(owner=boots.owner, name="agent", capabilities=["author", "read"])
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_a_source_is_added_changed_synced_and_forgotten(
    client: APIClient, asked: list[tuple[int, dict[str, bool]]]
) -> None:
    made = client.post(COLLECTION, REPO, format="json")
    assert made.status_code == 201, made.content
    said = made.json()
    assert (said["kind"], said["options"], said["hasCredentials"]) == ("repo", {"folder": "docs"}, True)
    assert (said["intervalHours"], said["isPaused"], said["report"], said["error"]) == (24, False, None, None)
    assert b"token-of-alice" not in made.content
    source = Source.objects.get()
    assert source.credentials() == {"password": "token-of-alice"}

    one = f"{COLLECTION}/{source.pk}"
    changed = client.patch(one, {"isPaused": True, "options": {"branch": "main"}}, format="json").json()
    assert (changed["isPaused"], changed["options"], changed["hasCredentials"]) == (True, {"branch": "main"}, True)
    assert client.post(f"{one}/sync", {"confirmRemovals": True}, format="json").status_code == 202
    assert asked == [(source.pk, {}), (source.pk, {"allows_removals": True})]
    assert [row["id"] for row in client.get(COLLECTION).json()["results"]] == [source.pk]
    assert client.delete(one).status_code == 204
    assert client.get(one).json()["code"] == "unknown_synced_source"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "folder", "address": "/etc"}, "invalid"),
        ({"kind": "repo", "address": "file:///etc"}, "invalid_source"),
        ({"kind": "website", "address": "http://169.254.169.254/"}, "invalid_source"),
        ({"kind": "website", "address": "https://example.org/", "options": {"branch": "x"}}, "invalid_source"),
        ({"kind": "website", "address": "https://example.org/", "intervalHours": 2}, "invalid_source"),
        ({"kind": "bucket", "address": "s3://b/"}, "invalid_source"),
        ({"kind": "bucket", "address": "s3://books/", "options": {"endpoint": "https://10.0.0.1"}}, "invalid_source"),
        ({"kind": "feed", "address": "https://example.org/", "credentials": {"password": "x"}}, "invalid_source"),
    ],
)
def test_what_is_no_source_is_refused_and_changes_nothing(client: APIClient, body: dict[str, Any], code: str) -> None:
    refused = client.post(COLLECTION, body, format="json")
    assert refused.status_code in (400, 422)
    assert refused.json()["code"] == code or code == "invalid"
    assert not Source.objects.exists()


def test_a_source_is_there_once(client: APIClient, asked: list[Any]) -> None:
    client.post(COLLECTION, REPO, format="json")
    again = client.post(COLLECTION, REPO | {"address": f"{REPO['address']}/"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "source_exists")


def test_its_documents_are_opened_and_closed_at_once(client: APIClient, boots: Plugin) -> None:
    base = KnowledgeBase.objects.create(plugin=boots, owner=boots.owner, name="Boots", revision=1)
    source = Source.objects.create(knowledge_base=base, kind="website", location="https://example.org/?key=secret")
    document = Document.objects.create(knowledge_base=base, title="Rules", source_type="html", added_in=1)
    SourceItem.objects.create(source=source, path="https://example.org/", document=document)
    said = client.patch(f"{COLLECTION}/{source.pk}", {"isPublic": True}, format="json").json()
    document.refresh_from_db()
    assert (document.is_public, said["address"]) == (True, "https://example.org/")
    client.patch(f"{COLLECTION}/{source.pk}", {"isPublic": False}, format="json")
    document.refresh_from_db()
    assert not document.is_public
