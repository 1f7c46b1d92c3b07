"""A cited source is previewed by those who may read it, as it was when it was cited."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from conversations.models import Project
from knowledge.documents.lifecycle import replace_file
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from plugins.models import Plugin
from tests.api.callers import by_key
from tests.api.private_documents import PERSONAL, add, confirm, make_project
from tests.cover import plugin, published

__all__ = ["plugin", "published"]
pytestmark = pytest.mark.django_db
TEXT = (
    "# Limitation\n\nA claim in contract is barred six years after the breach.\n\n## Deeds\n\nOn a deed, after twelve."
)


def signed_in(person: User) -> APIClient:
    client = APIClient()
    client.force_login(person)
    return client


def cited(client: APIClient, query: str) -> dict[str, Any]:
    """The best citation of a search."""
    answer = client.post("/api/knowledge/search", {"query": query}, format="json")
    found: dict[str, Any] = answer.json()["results"][0]
    return found


def preview(client: APIClient, citation: dict[str, Any], **instead: Any) -> Any:
    span = {name: citation["metadata"][name] for name in ("pageId", "start", "end")}
    return client.get(f"/api/sources/{citation['type']}/{citation['id']}", {**span, **instead})


def test_jl_015_059_a_citation_opens_its_words_with_what_stands_around_them(alice: User) -> None:
    client = signed_in(alice)
    add(client, PERSONAL, "Notes on limitation", TEXT)
    citation = cited(client, "When is a claim on a deed barred?")
    shown = preview(client, citation).json()
    text = Page.objects.get().text
    span = slice(citation["metadata"]["start"], citation["metadata"]["end"])
    assert (shown["id"], shown["type"], shown["title"]) == (citation["id"], "document", "Notes on limitation")
    assert shown["excerpt"] == text[span]
    assert f"{shown['before']}{shown['excerpt']}{shown['after']}" == text
    assert (shown["section"], shown["page"]) == (citation["metadata"]["section"], None)
    assert shown["url"] == citation["metadata"]["url"]
    assert shown["excerpt"] in client.get(shown["url"]).content.decode()


def test_jl_015_nobody_else_learns_that_there_is_such_a_source(alice: User, bob: User, charlie: User) -> None:
    confirm(bob)
    owner = signed_in(alice)
    add(owner, PERSONAL, "Notes", TEXT)
    own = cited(owner, "deed")
    address = make_project(owner)
    shared = add(owner, f"{address}/documents", "Pleadings", "# Pleadings\n\nThe defence is due on Monday.")
    owner.put(f"{address}/members", {"editors": [], "viewers": [bob.email]}, format="json")
    assert signed_in(bob).get(f"/api/sources/document/{shared}").status_code == 200
    for client in (signed_in(bob), signed_in(charlie), by_key(charlie), by_key(alice, "query"), APIClient()):
        refused = preview(client, own)
        assert refused.status_code in (401, 403, 404)
        assert b"deed" not in refused.content
    assert preview(signed_in(charlie), own).json()["code"] == "unknown_source"
    assert signed_in(charlie).get(f"/api/sources/document/{shared}").status_code == 404
    Project.objects.get().set_members({})
    assert signed_in(bob).get(f"/api/sources/document/{shared}").status_code == 404


def test_a_key_that_is_limited_to_plugins_opens_nothing_private(alice: User, published: Plugin) -> None:
    add(signed_in(alice), PERSONAL, "Notes", TEXT)
    own = cited(signed_in(alice), "deed")
    assert preview(by_key(alice), own).status_code == 200
    assert preview(by_key(alice, plugins=[published]), own).status_code == 404


def test_a_document_of_a_plugin_is_for_its_people_and_of_a_shared_one_for_all(
    alice: User, charlie: User, published: Plugin
) -> None:
    page = Page.objects.filter(document__knowledge_base__plugin=published).order_by("number")[0]
    address = f"/api/sources/document/{page.document_id}?pageId={page.pk}&start=0&end=20"
    assert signed_in(alice).get(address).json()["excerpt"] == page.text[:20]
    assert signed_in(charlie).get(address).status_code == 404
    Plugin.objects.filter(pk=published.pk).update(is_shared=True)
    assert signed_in(charlie).get(address).json()["excerpt"] == page.text[:20]


def test_the_type_is_that_of_the_document(alice: User) -> None:
    client = signed_in(alice)
    pk = add(client, PERSONAL, "Limitation Act", TEXT)
    Document.objects.update(doc_type="Law")
    assert cited(client, "deed")["type"] == "law"
    assert client.get(f"/api/sources/law/{pk}").json()["type"] == "law"
    for other in ("document", "judgment", "finding"):
        assert client.get(f"/api/sources/{other}/{pk}").json()["code"] == "unknown_source"


def test_a_new_version_changes_nothing_of_what_was_cited(alice: User) -> None:
    client = signed_in(alice)
    pk = add(client, PERSONAL, "Notes", TEXT)
    before = cited(client, "deed")
    said = preview(client, before).json()["excerpt"]
    changed = replace_file(Document.objects.get(), file_name="Notes.md", stream=io.BytesIO(b"# Notes\n\nNo limits."))
    ingest(changed.pk)
    assert preview(client, before).json()["excerpt"] == said
    assert client.get(f"/api/sources/document/{pk}").json()["after"].endswith("No limits.")


def test_a_span_ends_with_its_page_and_a_page_belongs_to_its_document(alice: User) -> None:
    client = signed_in(alice)
    pk = add(client, PERSONAL, "Notes", TEXT)
    other = add(client, PERSONAL, "Other", "# Other\n\nOther words.")
    text = Page.objects.get(document=pk).text
    shown = client.get(f"/api/sources/document/{pk}?start=5&end=999999").json()
    assert (shown["start"], shown["end"], shown["after"]) == (5, len(text), "")
    assert client.get(f"/api/sources/document/{pk}?start=999999").json()["excerpt"] == ""
    assert client.get(f"/api/sources/document/{pk}?page=2").status_code == 404
    page = Page.objects.get(document=other)
    assert client.get(f"/api/sources/document/{pk}?pageId={page.pk}").status_code == 404


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "start=-1", "end=99999999999", "pageId=0", "number=1", "page=1&page=2"]
)
def test_parameters_are_strict(alice: User, query: str) -> None:
    client = signed_in(alice)
    pk = add(client, PERSONAL, "Notes", TEXT)
    assert client.get(f"/api/sources/document/{pk}?{query}").status_code == 400


def test_it_takes_few_statements(alice: User, django_assert_max_num_queries: Any) -> None:
    client = signed_in(alice)
    add(client, PERSONAL, "Notes", TEXT)
    citation = cited(client, "deed")
    with django_assert_max_num_queries(6):
        assert preview(client, citation).status_code == 200
