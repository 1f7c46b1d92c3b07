"""A citation from slides or a workbook names the slide or the rows, wherever it is shown."""

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
from knowledge.page_names import page_name
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.bundle.document_content import page_and_chunk_lines, parse_pages
from marketplace.bundle.pinned_documents import pinned_documents
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying import pipeline, releases
from querying.answering.citation_styles import describe_citation
from querying.json_format import answer_as_json
from querying.presentation.answer_text import source_link
from querying.types.answer import Answer
from querying.types.question import Caller, Question
from tests.knowledge.readers.test_pptx import slides
from tests.knowledge.readers.test_sheets import workbook
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

SLUMP = "What slump does concrete for the raft have?"
HOISTS = "How often are hoists inspected?"


def deck(slide: Any) -> None:
    slide.shapes.title.text = "Hoists"
    slide.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "Hoists are inspected every six months by a rigger."


def mixes(book: Any) -> None:
    book.active.title = "Mixes"
    book.active.append(["Element", "Slump", "Grade"])
    for number in range(1, 70):
        book.active.append([f"Wall {number}", 75, "M30"])
    book.active.append(["Raft", 120, "M40"])
    for row in book.active.iter_rows(min_row=2):
        row[1].number_format = '0 "mm"'


def add(plugin: Plugin, path: Path) -> Document:
    stream = io.BytesIO(path.read_bytes())
    base = own_knowledge_base(plugin)
    document = add_file(knowledge_base=base, file_name=path.name, stream=stream, enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error) == ("ready", "")
    return document


@pytest.fixture
@remembered
def site(alice: User, tmp_path: Path) -> Plugin:
    plugin = Plugin.objects.create(
        owner=alice, name="Site", slug="site", domain="structures", system_prompt="You are an engineer."
    )
    add(plugin, slides(tmp_path / "Safety.pptx", lambda slide: None, deck))
    add(plugin, workbook(tmp_path / "Concrete.xlsx", mixes))
    publish(plugin, by=alice)
    return plugin


def asked(plugin: Plugin, text: str) -> tuple[Answer, dict[str, Any]]:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    question = Question(text=text, release=release, caller=Caller(name="alice", user_id=plugin.owner_id))
    done: Any = async_to_sync(pipeline.answer)(question)
    return done.answer, answer_as_json(done.answer, question=question)


@pytest.mark.parametrize(
    ("text", "excerpt", "page", "label"),
    [
        (HOISTS, "Hoists are inspected every six months by a rigger.", 2, "slide 2"),
        (SLUMP, "Element: Raft | Slump: 120 mm | Grade: M40", 2, "sheet Mixes, rows 51–71"),
    ],
)
def test_an_answer_cites_the_slide_and_the_rows(site: Plugin, text: str, excerpt: str, page: int, label: str) -> None:
    answer, shown = asked(site, text)
    [citation] = shown["citations"]
    assert (citation["excerpt"], citation["page"], citation["pageLabel"]) == (excerpt, page, label)
    assert label in source_link(citation).place
    assert label in describe_citation(answer.citations[0])


def test_the_viewer_and_the_builder_name_the_slide(site: Plugin, alice: User, client: Client) -> None:
    client.force_login(alice)
    _, shown = asked(site, HOISTS)
    [citation] = shown["citations"]
    viewer = client.get(f"/{citation['url'].split('/', 3)[3]}").content.decode()
    assert "Slide 2 (2 of 2)" in viewer
    assert "<title>Hoists, slide 2 · Lexic</title>" in viewer
    pane = client.get(reverse("admin:builder_knowledge_document", args=[site.pk, citation["documentId"]]), {"page": 2})
    assert "Page 2 of 2: slide 2" in pane.content.decode()


def test_the_api_says_what_pages_and_chunks_are_called(site: Plugin, alice: User, client: Client) -> None:
    _, token = ApiKey.objects.issue(owner=alice, name="agent", capabilities=[Capability.AUTHOR])
    document = Document.objects.get(source_type="xlsx")
    headers = {"Authorization": f"Bearer {token}"}
    pages = client.get(f"/api/plugins/site/documents/{document.pk}/pages", headers=headers).json()["results"]
    assert [page["pageLabel"] for page in pages] == ["sheet Mixes, rows 1–50", "sheet Mixes, rows 51–71"]
    chunks = client.get(f"/api/plugins/site/documents/{document.pk}/chunks", headers=headers).json()["results"]
    assert {chunk["pageLabel"] for chunk in chunks} == {page["pageLabel"] for page in pages}


def test_a_copy_of_a_plugin_keeps_what_pages_are_called(site: Plugin) -> None:
    release = site.latest_release()
    assert release is not None
    for pinned in pinned_documents(release):
        lines = iter(line.rstrip(b"\n") for line in page_and_chunk_lines(pinned))
        hashes = set(Page.objects.values_list("source_sha256", flat=True))
        labels = [page.label for page in parse_pages(lines, files=hashes, where="read/1.jsonl")]
        assert labels == list(pinned.document.pages.order_by("number").values_list("label", flat=True))
        assert all(labels)


def test_the_same_text_under_another_name_is_another_page(site: Plugin, tmp_path: Path) -> None:
    document = Document.objects.get(source_type="xlsx")

    def renamed(book: Any) -> None:
        mixes(book)
        book.active.title = "Concrete"

    add(document.knowledge_base.plugin, workbook(tmp_path / "Concrete.xlsx", renamed))
    labels = document.pages.live().order_by("number").values_list("label", flat=True)
    assert list(labels) == ["sheet Concrete, rows 1–50", "sheet Concrete, rows 51–71"]


def test_a_page_without_a_number_has_no_name() -> None:
    assert page_name(None, "slide 2") == ""
    assert [page_name(3), page_name(3, is_short=True), page_name(3, "slide 3")] == ["page 3", "p. 3", "slide 3"]
