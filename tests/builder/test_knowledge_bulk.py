"""Several documents are changed at once, and the text of one is edited in its page."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import AuditEntry
from knowledge.documents.file_store import open_stored
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus
from plugins.models import Plugin
from tests.cover import give_document

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def client(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


@pytest.fixture
def shoes(plugin: Plugin) -> Document:
    return give_document(plugin, title="Shoes", text="# Shoes\n\nShoes are worn indoors.", file_name="shoes.md")


@pytest.fixture
def handbook(plugin: Plugin) -> Document:
    return Document.objects.get(file_name="boots.md")


def post(client: Client, plugin: Plugin, *documents: Document, **said: Any) -> Any:
    address = reverse("admin:builder_knowledge_bulk", args=[plugin.pk])
    return client.post(address, {"documents": [one.pk for one in documents], **said}, follow=True)


def messages(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_several_documents_are_made_public_and_private(
    client: Client, plugin: Plugin, handbook: Document, shoes: Document
) -> None:
    response = post(client, plugin, handbook, shoes, act="public", q="o", page="1")
    assert messages(response) == ["Made 2 documents public."]
    assert response.redirect_chain[0][0].endswith("/knowledge/?q=o&page=1")
    assert Document.objects.filter(is_public=True).count() == 2
    assert AuditEntry.objects.filter(action="document.changed").count() == 2
    post(client, plugin, shoes, act="private")
    assert list(Document.objects.filter(is_public=True)) == [handbook]


def test_type_and_dates_are_set_and_what_is_empty_stays(
    client: Client, plugin: Plugin, handbook: Document, shoes: Document
) -> None:
    Document.objects.filter(pk=shoes.pk).update(doc_type="rule")
    response = post(client, plugin, handbook, shoes, act="label", effective_from="2024-01-01")
    assert messages(response) == ["Set effective from of 2 documents."]
    rows = Document.objects.order_by("title").values_list("title", "doc_type", "effective_from__year")
    assert list(rows) == [("Rules on boots", "", 2024), ("Shoes", "rule", 2024)]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"effective_from": "2024-01-01"}, "“Shoes” would end before"),
        ({"effective_from": "soon"}, "Effective from"),
        ({}, "Fill in a type or a date"),
    ],
)
def test_what_does_not_fit_one_document_changes_none(
    client: Client, plugin: Plugin, handbook: Document, shoes: Document, said: dict[str, str], why: str
) -> None:
    Document.objects.filter(pk=shoes.pk).update(superseded_on="2023-01-01")
    response = post(client, plugin, handbook, shoes, act="label", **said)
    assert why in messages(response)[0]
    assert not Document.objects.exclude(effective_from=None).exists()


def test_removing_several_is_confirmed_first(
    client: Client, plugin: Plugin, handbook: Document, shoes: Document
) -> None:
    asked = post(client, plugin, handbook, shoes, act="remove")
    assert "Remove 2 documents" in asked.content.decode()
    assert Document.objects.present().count() == 2
    done = post(client, plugin, handbook, shoes, act="remove", confirmed="yes")
    assert messages(done)[0].startswith("Removed 2 documents.")
    assert not Document.objects.present().exists()


def test_documents_of_others_are_left_alone(
    browsing: Browse, client: Client, bob: User, charlie: User, plugin: Plugin, handbook: Document
) -> None:
    other = Plugin.objects.create(owner=charlie, name="Hats", slug="hats", domain="safety", system_prompt="x")
    hats = give_document(other, title="Hats", text="# Hats\n\nHats are worn.", file_name="hats.md")
    response = post(client, plugin, hats, act="public")
    assert "Choose at least one document" in messages(response)[0]
    post(client, plugin, hats, handbook, act="remove", confirmed="yes")
    assert list(Document.objects.present()) == [hats]
    for somebody in (bob, charlie):
        address = reverse("admin:builder_knowledge_bulk", args=[plugin.pk])
        assert browsing(somebody).post(address, {"documents": [handbook.pk], "act": "public"}).status_code == 404


def test_text_is_edited_in_its_page_and_read_again(client: Client, plugin: Plugin, shoes: Document) -> None:
    address = reverse("admin:builder_knowledge_edit_text", args=[plugin.pk, shoes.pk])
    page = client.get(address)
    assert page.context["text"] == "# Shoes\n\nShoes are worn indoors."
    said = {"text": "# Shoes\r\n\r\nSlippers are worn indoors.", "seen": page.context["seen"]}
    response = client.post(address, said, follow=True)
    assert messages(response) == ["Saved. The new text is read now; the earlier one answers until then."]
    ingest(shoes.pk)
    shoes.refresh_from_db()
    assert (shoes.title, shoes.status) == ("Shoes", DocumentStatus.READY)
    assert "Slippers" in shoes.pages.live().get().text
    with open_stored(shoes.sha256) as file:
        assert file.read() == b"# Shoes\n\nSlippers are worn indoors."


def test_an_edit_over_a_newer_version_stays_in_the_form(client: Client, plugin: Plugin, shoes: Document) -> None:
    address = reverse("admin:builder_knowledge_edit_text", args=[plugin.pk, shoes.pk])
    seen = client.get(address).context["seen"]
    client.post(address, {"text": "# Shoes\n\nThe first edit.", "seen": seen})
    response = client.post(address, {"text": "# Shoes\n\nThe second edit.", "seen": seen})
    page = response.content.decode()
    assert "Somebody changed the document" in page
    assert "The second edit." in page
    shoes.refresh_from_db()
    with open_stored(shoes.sha256) as file:
        assert b"The first edit." in file.read()


def test_what_is_no_text_is_not_edited(client: Client, plugin: Plugin) -> None:
    added = add_file(
        knowledge_base=plugin.knowledge_base,
        file_name="sizes.csv",
        stream=io.BytesIO(b"size,mm\n40,255\n"),
        enqueue=False,
    )
    page = reverse("admin:builder_knowledge_document", args=[plugin.pk, added.document.pk])
    assert "Edit the text" not in client.get(page).content.decode()
    address = reverse("admin:builder_knowledge_edit_text", args=[plugin.pk, added.document.pk])
    assert messages(client.get(address, follow=True)) == [
        "This document is not text that can be edited here. Replace its file instead."
    ]


def test_two_files_of_one_name_in_a_folder_are_two_documents(client: Client, plugin: Plugin) -> None:
    files = [SimpleUploadedFile("rules.txt", text) for text in (b"Boots are brown.", b"Hats are blue.")]
    paths = ["2023/rules.txt", "2024/rules.txt"]
    client.post(reverse("admin:builder_knowledge_files", args=[plugin.pk]), {"files": files, "paths": paths})
    names = Document.objects.filter(title="rules").order_by("file_name").values_list("file_name", flat=True)
    assert list(names) == paths
