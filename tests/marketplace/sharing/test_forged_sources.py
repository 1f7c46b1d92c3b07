"""A file that says of a genuine document what is not in it: the original decides, and until it has, people are told."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from knowledge.documents.lifecycle import add_file, replace_file
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, KnowledgeBase, Page
from marketplace.publishing.publish import NotReady, publish
from marketplace.sharing.installs import import_plugin_file, install_copy
from marketplace.sharing.release_files import release_file
from plugins.models import Plugin
from querying.presentation.page_viewer import document_status
from tests.knowledge.bases import pdf

pytestmark = pytest.mark.django_db
TRUE, FORGED = "The nominal cover of a beam is 45 mm.", "The nominal cover of a beam is 15 mm."


@pytest.fixture
def genuine(alice: User) -> bytes:
    """The file of Alice's shared release."""
    plugin = Plugin.objects.create(
        owner=alice, name="Cover", slug="cover", domain="x", system_prompt="You answer.", is_shared=True
    )
    base = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name="Cover", embedder="local")
    file = io.BytesIO(pdf([TRUE, "A second page on boots."]))
    ingest(add_file(knowledge_base=base, file_name="cover.pdf", stream=file, enqueue=False).document.pk)
    release = publish(plugin, by=alice).release
    with release_file(release).open() as opened:
        return opened.read()


def forged(file: bytes, change: Any) -> bytes:
    """The file with other pages, every hash mended."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as source, zipfile.ZipFile(target, "w") as archive:
        lines = source.read("read/0.jsonl").split(b"\n")
        pages = [change(json.loads(line)) for line in lines[: lines.index(b"")]]
        body = b"\n".join([*(json.dumps(page).encode() for page in pages), *lines[lines.index(b"") :]])
        manifest = json.loads(source.read("manifest.json"))
        manifest["documents"][0]["read"] = hashlib.sha256(body).hexdigest()
        for name in source.namelist():
            if name not in ("manifest.json", "read/0.jsonl", "signature.json"):
                archive.writestr(name, source.read(name))
        archive.writestr("read/0.jsonl", body)
        archive.writestr("manifest.json", json.dumps(manifest))
    return target.getvalue()


def other_figure(page: list[Any]) -> list[Any]:
    return [page[0], page[1].replace("45 mm", "15 mm"), *page[2:]]


def other_places(page: list[Any]) -> list[Any]:
    return [*page[:2], [[*box[:2], 0, 0, 9, 9] for box in page[2]], page[3]]


def imported(file: bytes, owner: User) -> Document:
    copy = import_plugin_file(io.BytesIO(file), owner=owner).plugin
    return Document.objects.get(knowledge_base__plugin=copy)


def live_text(document: Document) -> str:
    return "\n".join(document.pages.live().order_by("number").values_list("text", flat=True))


def test_a_changed_figure_is_marked_and_then_replaced_by_what_the_file_says(genuine: bytes, bob: User) -> None:
    document = imported(forged(genuine, other_figure), bob)
    assert (live_text(document).split("\n")[0], document.is_unverified, document.status) == (FORGED, True, "queued")
    today = timezone.localdate()
    assert document_status(document, today=today) == ("warn", "not verified against its file")
    ingest(document.pk)
    document.refresh_from_db()
    assert (live_text(document).split("\n")[0], document.is_unverified, document.status) == (TRUE, False, "ready")
    assert not Chunk.objects.live().filter(document=document, content__contains="15 mm").exists()
    assert document_status(document, today=today) == ("", "")


def test_moved_words_are_replaced_as_well(genuine: bytes, bob: User) -> None:
    document = imported(forged(genuine, other_places), bob)
    assert Page.objects.live().get(document=document, number=1).word_boxes[0][2:] == [0, 0, 9, 9]
    ingest(document.pk)
    assert Page.objects.live().get(document=document, number=1).word_boxes[0][2:] != [0, 0, 9, 9]


def test_what_reads_as_it_says_keeps_its_rows_and_vectors(genuine: bytes, bob: User) -> None:
    document = imported(genuine, bob)
    rows = set(document.pages.values_list("pk", flat=True)), set(document.chunks.values_list("pk", flat=True))
    assert document.is_unverified
    ingest(document.pk)
    document.refresh_from_db()
    assert not document.is_unverified
    assert rows == (set(document.pages.values_list("pk", flat=True)), set(document.chunks.values_list("pk", flat=True)))


def test_an_unverified_document_is_marked_wherever_it_is_shown_and_not_published(genuine: bytes, bob: User) -> None:
    document = imported(forged(genuine, other_figure), bob)
    # Its file cannot be read here, so that nobody can compare.
    Document.objects.filter(pk=document.pk).update(status="failed", error="It could not be read.")
    plugin = document.knowledge_base.plugin
    with pytest.raises(NotReady, match="not verified against their files"):
        publish(plugin, by=bob)
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    client = Client()
    client.force_login(bob)
    page = Page.objects.live().filter(document=document).first()
    for address in (
        reverse("source", args=[page.pk]),
        reverse("admin:builder_knowledge", args=[plugin.pk]),
        reverse("admin:builder_knowledge_document", args=[plugin.pk, document.pk]),
    ):
        assert "not verified against its file" in client.get(address).content.decode(), address
    assert client.get(f"/api/plugins/{plugin.slug}/documents/{document.pk}").json()["isUnverified"] is True


def test_a_copy_that_this_site_made_itself_is_as_it_was_read(genuine: bytes, bob: User) -> None:
    copy = install_copy("cover", by=bob).install.copy
    assert list(Document.objects.of_plugin(copy).values_list("is_unverified", "status")) == [(False, "ready")]


def test_a_newer_file_of_ones_own_is_verified_by_being_read(genuine: bytes, bob: User) -> None:
    document = imported(forged(genuine, other_figure), bob)
    replace_file(document, file_name="cover.pdf", stream=io.BytesIO(pdf(["Other words."])), enqueue=False)
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.is_unverified, live_text(document)) == (False, "Other words.")
