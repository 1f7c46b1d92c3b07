"""Who sees, reads and changes which documents over the API."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin
from tests.api.callers import assert_error, by_key, signed_in
from tests.api.papers import ALL, file, one
from tests.knowledge.bases import attach
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(plugin: Plugin, alice: User) -> APIClient:
    """Alice's, with a key that may author."""
    return by_key(alice)


@pytest.fixture
@remembered
def attached(plugin: Plugin, charlie: User) -> Document:
    """In a knowledge base of Charlie's that Alice's plugin reads as well."""
    base = KnowledgeBase.objects.create(owner=charlie, name="Charlie's")
    attach(base, plugin)
    text = "Charlie's secret: scaffolds of bamboo are tied with wet rope."
    document = add_text(
        knowledge_base=base, title="Scaffolds", text=text, metadata={"room": "secret room"}, enqueue=False
    ).document
    ingest(document.pk)
    return document


LOOKS = ["", "/{pk}", "/{pk}/pages", "/{pk}/pages/1", "/{pk}/chunks"]
CHANGES = [
    ("post", "", {"title": "New", "text": "New."}),
    ("patch", "/{pk}", {"project": "x"}),
    ("put", "/{pk}", {"project": "x"}),
    ("post", "/{pk}/process", {}),
    ("post", "/{pk}/cancel", {}),
    ("put", "/{pk}/file", {}),
    ("delete", "/{pk}", {}),
]


def look(client: APIClient, handbook: Document, *, plugin: str = "cover") -> set[int]:
    base = f"/api/plugins/{plugin}"
    paths = [*(f"{base}/documents{path.format(pk=handbook.pk)}" for path in LOOKS), f"{base}/search?q=cover"]
    return {client.get(path).status_code for path in paths}


def change(client: APIClient, handbook: Document) -> list[Any]:
    """The answers to every change; the file is sent as a form, for that is all that its address takes."""
    return [
        getattr(client, method)(
            f"{ALL}{path.format(pk=handbook.pk)}",
            {"file": file()} if path.endswith("/file") else body,
            format="multipart" if path.endswith("/file") else "json",
        )
        for method, path, body in CHANGES
    ]


def test_the_owner_and_an_editor_look_and_change_signed_in_or_by_key(
    plugin: Plugin, handbook: Document, alice: User, bob: User
):
    plugin.editors.add(bob)
    for client in (signed_in(alice), by_key(alice), signed_in(bob), by_key(bob, "author")):
        assert look(client, handbook) == {200}
        assert look(client, handbook, plugin=str(plugin.pk)) == {200}
        assert client.patch(one(handbook), {"project": "x"}, format="json").status_code == 200
    answers = change(signed_in(bob), handbook)
    assert [answer.status_code for answer in answers] == [201, 200, 200, 202, 200, 200, 204]


def test_a_page_elsewhere_cannot_use_somebodys_session(plugin: Plugin, handbook: Document, alice: User):
    client = signed_in(alice, with_token=False)
    assert look(client, handbook) == {200}
    assert {answer.status_code for answer in change(client, handbook)} == {403}
    assert Document.objects.get().status == "ready"


def test_a_viewer_looks_and_changes_nothing(plugin: Plugin, handbook: Document, bob: User):
    plugin.viewers.add(bob)
    for client in (signed_in(bob), by_key(bob)):
        assert look(client, handbook) == {200}
        assert client.get(one(handbook)).json()["mayChange"] is False
        for answer in change(client, handbook):
            assert_error(answer, 403, "read_only")


def test_a_key_that_may_read_looks_and_changes_nothing(plugin: Plugin, handbook: Document, alice: User):
    client = by_key(alice, "read")
    assert look(client, handbook) == {200}
    assert client.get(one(handbook)).json()["mayChange"] is False
    for answer in change(client, handbook):
        assert_error(answer, 403, "missing_capability")
    for answer in [*change(by_key(alice, "query"), handbook), by_key(alice, "query").get(ALL)]:
        assert_error(answer, 403, "missing_capability")


def test_nobody_gets_in_and_strangers_find_nothing(plugin: Plugin, handbook: Document, alice: User, charlie: User):
    assert look(APIClient(), handbook) == {401}
    assert {answer.status_code for answer in change(APIClient(), handbook)} == {401}
    elsewhere = Plugin.objects.create(owner=alice, name="Shoes", domain="x", system_prompt="x")
    for client in (signed_in(charlie), by_key(charlie), by_key(alice, plugins=[elsewhere])):
        assert look(client, handbook) == {404}
        for answer in change(client, handbook):
            assert_error(answer, 404, "unknown_plugin")


def test_a_document_of_another_plugin_is_not_found_through_ones_own(handbook: Document, charlie: User):
    own = Plugin.objects.create(owner=charlie, name="Mine", slug="mine", domain="x", system_prompt="x")
    client = by_key(charlie)
    path = f"/api/plugins/{own.slug}/documents/{handbook.pk}"
    for answer in (
        client.get(path),
        client.delete(path),
        client.get(f"{path}/pages"),
        client.post(f"{path}/process"),
    ):
        assert_error(answer, 404, "unknown_document")


@pytest.mark.parametrize("reference", ["no", "%00", "a%00b", "..", "%2e%2e", "x" * 3000, "é", "cover@draft"])
def test_an_id_that_is_none_is_404(agent: APIClient, reference: str):
    for path in (f"/api/plugins/{reference}/documents", f"{ALL}/{reference}", f"{ALL}/{reference}/pages"):
        assert agent.get(path).status_code == 404


def test_a_document_of_an_attached_base_is_seen_and_neither_read_nor_changed(agent: APIClient, attached: Document):
    [row] = agent.get(f"{ALL}?q=scaffolds").json()["results"]
    assert (row["title"], row["mayRead"], row["mayChange"]) == ("Scaffolds", False, False)
    assert (row["metadata"], row["sha256"], row["knowledgeBase"]) == ({}, "", "Charlie's")
    for path in ("/pages", "/pages/1", "/chunks"):
        assert_error(agent.get(one(attached, path)), 403, "text_not_yours")
    for answer in change(agent, attached)[1:]:
        assert_error(answer, 403, "belongs_elsewhere")
    for path in (ALL, one(attached), "/api/plugins/cover/search?q=bamboo"):
        response = agent.get(path)
        assert response.status_code == 200
        assert b"wet rope" not in response.content
        assert b"secret room" not in response.content
    assert Document.objects.get(pk=attached.pk).status == "ready"


def test_whoever_owns_the_attached_base_reads_it_there(plugin: Plugin, attached: Document, charlie: User):
    plugin.viewers.add(charlie)
    row = by_key(charlie).get(one(attached)).json()
    assert (row["mayRead"], row["mayChange"]) == (True, False)
    assert by_key(charlie).get(one(attached, "/chunks")).status_code == 200
