"""A citation from a scanned page says so, and its words are marked on the picture, wherever it is shown."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, Capability, User
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.bundle.document_content import page_and_chunk_lines, parse_pages
from marketplace.bundle.pinned_documents import pinned_documents
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying import pipeline
from querying.json_format import answer_as_json
from querying.releases import snapshot
from querying.types.question import Caller, Question
from tests.knowledge.readers.scans import COVER, scanned

pytestmark = pytest.mark.django_db
QUESTION = "What is the cover in severe exposure?"


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(
        owner=alice, name="Site", slug="site", domain="structures", system_prompt="You are an engineer."
    )


@pytest.fixture
def scan(plugin: Plugin, tmp_path: Path) -> Document:
    """A photograph of a page, lying on its side. Its models are real, and are loaded for each test anew."""
    content = io.BytesIO()
    scanned(tmp_path, *COVER, turned=90).save(content, "PNG")
    content.seek(0)
    base = own_knowledge_base(plugin)
    document = add_file(knowledge_base=base, file_name="cover.png", stream=content, enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error, document.source_type) == ("ready", "", "image")
    return document


def citations(plugin: Plugin) -> list[dict[str, Any]]:
    caller = Caller(name="alice", user_id=plugin.owner_id)
    question = Question(text=QUESTION, release=snapshot(plugin), caller=caller)
    done: Any = async_to_sync(pipeline.answer)(question)
    cited: list[dict[str, Any]] = answer_as_json(done.answer, question=question)["citations"]
    return cited


def test_a_scan_is_cited_marked_copied_and_corrected(
    plugin: Plugin, scan: Document, alice: User, client: Client
) -> None:
    [citation] = citations(plugin)
    assert citation["excerpt"].endswith("The cover is 45 mm in severe exposure.")
    assert citation["ocr"] is True
    client.force_login(alice)
    viewer = client.get(f"/{citation['url'].split('/', 3)[3]}").content.decode()
    assert "Read by OCR, " in viewer
    assert '<rect class="hl"' in viewer
    page = scan.pages.live().get()
    file = client.get(reverse("source-file", args=[page.pk]))
    assert (file["Content-Type"], file.content[:4]) == ("image/png", b"\x89PNG")
    picture = client.get(reverse("source-picture", args=[page.pk]))
    assert picture["Content-Type"] == "image/webp"

    _, token = ApiKey.objects.issue(owner=alice, name="agent", capabilities=[Capability.AUTHOR])
    headers = {"Authorization": f"Bearer {token}"}
    address = f"/api/plugins/{plugin.slug}/documents/{scan.pk}/pages"
    [listed] = client.get(address, headers=headers).json()["results"]
    assert (listed["ocr"], listed["confidence"]) == (True, page.confidence)

    builder = reverse("admin:builder_knowledge_document", args=[plugin.pk, scan.pk])
    assert f"Read by OCR, {page.confidence_percent} %" in client.get(builder).content.decode()
    client.post(
        reverse("admin:builder_knowledge_page_text", args=[plugin.pk, scan.pk, page.pk]),
        {"text": page.text.replace("45", "50")},
    )
    ingest(scan.pk)
    assert f"Corrected by {alice}" in client.get(builder).content.decode()
    [citation] = citations(plugin)
    assert citation["excerpt"].endswith("The cover is 50 mm in severe exposure.")
    assert "ocr" not in citation


def test_a_copy_of_a_plugin_keeps_how_surely_its_pages_were_read(plugin: Plugin, scan: Document) -> None:
    publish(plugin, by=plugin.owner)
    release = plugin.latest_release()
    assert release is not None
    [pinned] = [one for one in pinned_documents(release) if one.document == scan]
    lines = iter(line.rstrip(b"\n") for line in page_and_chunk_lines(pinned))
    hashes = set(Page.objects.values_list("source_sha256", flat=True))
    [copied] = parse_pages(lines, files=hashes, where="read/1.jsonl")
    page = scan.pages.live().get()
    assert copied.ocr is not None
    assert (copied.ocr.confidence, copied.ocr.left_out) == (page.confidence, page.left_out_words)


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_only_editors_correct_a_page(
    plugin: Plugin, scan: Document, who: str, request: pytest.FixtureRequest, client: Client
) -> None:
    person = request.getfixturevalue(who)
    person.is_staff = True
    person.save()
    client.force_login(person)
    page = scan.pages.live().get()
    for name in ("text", "again"):
        address = reverse(f"admin:builder_knowledge_page_{name}", args=[plugin.pk, scan.pk, page.pk])
        assert client.post(address, {"text": "Anything."}).status_code == 404
    assert scan.pages.filter(added_in=None).count() == 0
