from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, make_base, registered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def base(alice: User) -> KnowledgeBase:
    """Alice's."""
    return make_base()


@pytest.fixture
def as_alice(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def as_charlie(charlie: User) -> Client:
    client = Client()
    client.force_login(charlie)
    return client


def listing(model: str) -> str:
    return reverse(f"admin:knowledge_{model}_changelist")


def change(document: Document) -> str:
    return reverse("admin:knowledge_document_change", args=[document.pk])


def upload(client: Client, base: KnowledgeBase, **fields: Any) -> Any:
    return client.post(
        reverse("admin:knowledge_document_add"),
        {"knowledge_base": base.pk, "url": "", "title": "", **fields},
        follow=True,
    )


def test_a_file_is_dropped_in(as_alice: Client, base: KnowledgeBase) -> None:
    response = upload(as_alice, base, file=SimpleUploadedFile("boots.md", b"Wear boots."))
    document = Document.objects.get()
    assert (document.title, document.status, document.knowledge_base) == ("boots", "queued", base)
    assert "waits for a worker" in response.content.decode()
    ingest(document.pk)
    assert alive(base) == ["Wear boots."]


def test_an_address_is_dropped_in(as_alice: Client, base: KnowledgeBase) -> None:
    upload(as_alice, base, url="https://example.org/rules", title="Rules")
    document = Document.objects.get()
    assert (document.title, document.url, document.source_type) == ("Rules", "https://example.org/rules", "url")


def test_a_file_that_is_here_already_is_not_added_twice(as_alice: Client, base: KnowledgeBase) -> None:
    for _ in range(2):
        response = upload(as_alice, base, file=SimpleUploadedFile("boots.md", b"Wear boots."))
    assert "This document was here already." in response.content.decode()
    assert Document.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file or give an address"),
        ({"url": "https://example.org/", "file": ("a.md", b"Boots.")}, "Choose a file or give an address"),
        ({"file": ("a.exe", b"MZ\x00\x01")}, "This type of document is not supported."),
    ],
)
def test_what_is_wrong_is_said_at_the_form(
    as_alice: Client, base: KnowledgeBase, fields: dict[str, Any], said: str
) -> None:
    if "file" in fields:
        fields = {**fields, "file": SimpleUploadedFile(*fields["file"])}
    assert said in upload(as_alice, base, **fields).content.decode()
    assert Document.objects.count() == 0


def test_nobody_adds_to_the_base_of_another(as_charlie: Client, base: KnowledgeBase) -> None:
    response = upload(as_charlie, base, file=SimpleUploadedFile("boots.md", b"Wear boots."))
    assert "Select a valid choice" in response.content.decode()
    assert Document.objects.count() == 0


def test_people_see_only_what_is_theirs(as_alice: Client, as_charlie: Client, base: KnowledgeBase) -> None:
    document = add_markdown(base, "Wear boots.", title="Secret boots")
    ingest(document.pk)
    for model in ("knowledgebase", "document", "page", "chunk"):
        assert as_alice.get(listing(model)).context["cl"].result_count == 1
        assert as_charlie.get(listing(model)).context["cl"].result_count == 0
    for part in ("page", "chunk"):
        row = getattr(document, f"{part}s").get()
        address = reverse(f"admin:knowledge_{part}_change", args=[row.pk])
        assert as_alice.get(address).status_code == 200
        assert as_charlie.get(address).status_code == 302
    assert as_charlie.get(change(document)).status_code == 302
    assert "Secret" not in as_charlie.get(listing("document")).content.decode()
    as_charlie.post(reverse("admin:knowledge_document_delete", args=[document.pk]), {"post": "yes"})
    assert alive(base) == ["Wear boots."]


def test_people_without_the_builder_are_sent_away(base: KnowledgeBase, client: Client) -> None:
    client.force_login(User.objects.create_user("dora@example.org"))
    assert client.get(listing("document")).status_code == 302


def test_deleting_goes_through_the_revision(as_alice: Client, base: KnowledgeBase) -> None:
    documents = [add_markdown(base, f"Rule {n}.", name=f"{n}.md") for n in range(3)]
    for document in documents:
        ingest(document.pk)
    as_alice.post(reverse("admin:knowledge_document_delete", args=[documents[0].pk]), {"post": "yes"})
    selected = {"action": "delete_selected", "_selected_action": [documents[1].pk], "post": "yes"}
    as_alice.post(listing("document"), selected)
    assert alive(base) == ["Rule 2."]
    assert base.revision == 5
    assert Document.objects.count() == 3


def test_read_again_queues_the_document(as_alice: Client, base: KnowledgeBase) -> None:
    document = add_markdown(base, "Wear boots.")
    Document.objects.update(status="failed", error="Too dark to read.", error_code="x")
    assert "could not be read: Too dark to read." in as_alice.get(listing("document")).content.decode()
    as_alice.post(listing("document"), {"action": "read_again", "_selected_action": [document.pk]})
    document.refresh_from_db()
    assert (document.status, document.error) == ("queued", "")


def test_a_new_title_is_read_into_the_vectors(as_alice: Client, base: KnowledgeBase) -> None:
    document = add_markdown(base, "Wear boots.")
    ingest(document.pk)
    as_alice.post(change(document), {"title": "Shoes", "tags": "", "doc_type": "", "project": "", "doc_status": ""})
    document.refresh_from_db()
    assert (document.title, document.status) == ("Shoes", "queued")


def test_text_of_documents_is_never_markup(as_alice: Client, base: KnowledgeBase) -> None:
    attack = "<script>alert(1)</script>"
    document = add_markdown(base, f"```\n{attack}\n```", title=attack)
    ingest(document.pk)
    for model in ("document", "page", "chunk"):
        assert attack not in as_alice.get(listing(model)).content.decode()
    assert attack not in as_alice.get(change(document)).content.decode()


@pytest.mark.parametrize("model", ["knowledgebase", "document", "page", "chunk"])
def test_lists_cost_the_same_for_one_row_and_for_three(as_alice: Client, base: KnowledgeBase, model: str) -> None:
    counts = []
    for number in (1, 2, 3):
        other = make_base(name=f"base {number}")
        ingest(add_markdown(other, f"Rule {number}.", name=f"{number}.md").pk)
        if number != 2:
            with CaptureQueriesContext(connection) as queries:
                as_alice.get(listing(model))
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


def test_the_embedder_is_fixed_once_documents_are_in(as_alice: Client, base: KnowledgeBase) -> None:
    address = reverse("admin:knowledge_knowledgebase_change", args=[base.pk])
    assert 'name="embedder"' in as_alice.get(address).content.decode()
    add_markdown(base, "Wear boots.")
    assert 'name="embedder"' not in as_alice.get(address).content.decode()


def test_a_base_is_deleted_with_all_it_holds(as_alice: Client, base: KnowledgeBase) -> None:
    ingest(add_markdown(base, "Wear boots.").pk)
    as_alice.post(reverse("admin:knowledge_knowledgebase_delete", args=[base.pk]), {"post": "yes"})
    assert not KnowledgeBase.objects.exists()
    assert not Document.objects.exists()


def test_a_new_base_belongs_to_whoever_makes_it(as_charlie: Client, charlie: User) -> None:
    as_charlie.post(
        reverse("admin:knowledge_knowledgebase_add"),
        {"name": "Mine", "embedder": "local", "language": "english", "plugin": ""},
    )
    assert KnowledgeBase.objects.get().owner == charlie
