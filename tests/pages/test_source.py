"""The page that a citation opens, with the picture of a PDF's page beside its text."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import User
from knowledge.documents import page_images
from knowledge.documents.lifecycle import add_file, replace_file
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from knowledge.packed_words import pack_words
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.readers.isolation import reader_process
from knowledge.readers.types import ReadingTimedOut
from plugins.models import Plugin, Release
from tests.knowledge.bases import pdf
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
CITED = "Gloves are worn"


@pytest.fixture(autouse=True)
def store(tmp_path: Any, settings: Any) -> None:
    cache.clear()
    settings.LEXIC_FILES_DIR = tmp_path


@pytest.fixture
@remembered
def manual(plugin: Plugin) -> Document:
    pages = ["The first page is about boots.", f"In the yard\n{CITED} when wire is cut.", "The last page."]
    return read(plugin, pages)


def read(plugin: Plugin, pages: list[str]) -> Document:
    base = own_knowledge_base(plugin)
    document = add_file(
        knowledge_base=base, file_name="manual.pdf", stream=io.BytesIO(pdf(pages)), enqueue=False
    ).document
    ingest(document.pk)
    document.refresh_from_db()
    return document


@pytest.fixture
def leaf(manual: Document) -> Page:
    return manual.pages.get(number=2)


def span(leaf: Page, words: str = CITED) -> dict[str, int]:
    start = leaf.text.index(words)
    return {"start": start, "end": start + len(words)}


def opened(client: Client, leaf: Page, **query: Any) -> Any:
    response = client.get(f"/source/{leaf.pk}", query)
    assert response.status_code == 200
    return response


def test_the_cited_words_are_marked_on_the_picture_where_they_stand(browsing: Browse, alice: User, leaf: Page) -> None:
    shown = opened(browsing(alice), leaf, **span(leaf)).context["image"]
    (stroke,) = shown.highlights
    # The canvas put the second line at 72 points from the left; its letters are 12 points high.
    assert stroke.x == pytest.approx(72, abs=2)
    assert stroke.y == pytest.approx(841.9 - 760 + 14.4 - 10, abs=8)
    assert 60 < stroke.width < 120
    # Something dark is under the stroke.
    with Image.open(io.BytesIO(page_images.read_page_image(shown.image))) as image:
        scale = image.width / shown.image.width
        area = tuple(round(side * scale) for side in (stroke.x, stroke.y, stroke.right, stroke.bottom))
        assert image.convert("L").crop(area).getextrema()[0] < 100


def test_the_picture_can_be_had_by_whoever_may_read_the_page(browsing: Browse, alice: User, leaf: Page) -> None:
    response = browsing(alice).get(f"/source/{leaf.pk}/picture")
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["Cache-Control"].startswith("private")
    assert Image.open(io.BytesIO(response.content)).format == "WEBP"


@pytest.mark.parametrize("part", ["", "/picture", "/file"])
def test_to_others_neither_page_nor_picture_nor_file_exist(
    browsing: Browse, bob: User, charlie: User, plugin: Plugin, leaf: Page, part: str
) -> None:
    address = f"/source/{leaf.pk}{part}"
    assert browsing(charlie).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    plugin.is_published = True
    plugin.save()
    assert browsing(charlie).get(address).status_code == 404
    plugin.viewers.add(bob)
    assert browsing(bob).get(address).status_code == 200
    plugin.viewers.remove(bob)
    assert browsing(bob).get(address).status_code == 404


def test_the_file_is_kept_and_not_opened_here(browsing: Browse, alice: User, leaf: Page) -> None:
    response = browsing(alice).get(f"/source/{leaf.pk}/file")
    assert response.headers["Content-Disposition"] == 'attachment; filename="manual.pdf"'
    assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response.content.startswith(b"%PDF-")


def test_a_text_has_neither_picture_nor_file(browsing: Browse, alice: User, handbook: Document) -> None:
    client, leaf = browsing(alice), handbook.pages.get()
    assert client.get(f"/source/{leaf.pk}/picture").status_code == 404
    assert client.get(f"/source/{leaf.pk}/file").status_code == 404
    response = opened(client, leaf, start=0, end=5)
    assert response.context["image"] is None
    assert "could not be found in the picture" not in response.content.decode()


def test_words_without_a_place_are_marked_in_the_text_alone_and_that_is_said(
    browsing: Browse, alice: User, leaf: Page
) -> None:
    Page.objects.filter(pk=leaf.pk).update(packed_words=pack_words([]))
    content = opened(browsing(alice), leaf, **span(leaf)).content.decode()
    assert "could not be found in the picture of the page" in content
    assert f">{CITED}</mark>" in content
    assert 'class="hl"' not in content


def test_a_page_that_cannot_be_drawn_is_read_as_text(
    browsing: Browse, alice: User, leaf: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Any, *, number: int) -> None:
        raise ReadingTimedOut

    monkeypatch.setattr(reader_process, "render_page", fails)
    content = opened(browsing(alice), leaf, **span(leaf)).content.decode()
    assert "This page cannot be drawn: reading the document took too long." in content
    assert f">{CITED}</mark>" in content


def test_a_visitor_waits_kindly_while_an_author_looks(
    browsing: Browse, client: Client, alice: User, leaf: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One place for all who have not signed in, however many they are."""
    monkeypatch.setattr(page_images, "_SLOT_TIMEOUT_SECONDS", 0.01)
    base = leaf.document.knowledge_base
    pins = [{"knowledge_base": base.pk, "revision": base.revision}]
    Release.objects.create(plugin=base.plugin, version="1.0.0", system_prompt="Brief.", knowledge=pins)
    Plugin.objects.update(is_shared=True, is_published=True)
    with page_images._VISITOR_SLOTS:
        told = opened(client, leaf, **span(leaf))
        refused = client.get(reverse("source-picture", args=[leaf.pk]))
        shown = opened(browsing(alice), leaf, **span(leaf))
    assert "Many pages are being drawn right now. Open the page again in a moment" in told.content.decode()
    assert f">{CITED}</mark>" in told.content.decode()
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert 'class="hl"' in shown.content.decode()


def test_pages_are_turned_within_the_version_that_was_cited(browsing: Browse, alice: User, leaf: Page) -> None:
    client = browsing(alice)
    replace_file(leaf.document, file_name="manual.pdf", stream=io.BytesIO(pdf(["Other."])), enqueue=False)
    ingest(leaf.document_id)
    leaf.refresh_from_db()
    response = opened(client, leaf)
    context = response.context
    assert leaf.removed_in is not None
    assert (context["previous"]["number"], context["next"]["number"], context["page_total"]) == (1, 3, 3)
    assert "has been replaced or removed" in response.content.decode()
    # The picture is still that of what was cited.
    assert page_images.read_page_image(page_images.get_page_image(leaf))
    last = Page.objects.get(pk=context["next"]["pk"])
    assert opened(client, last).context["next"] is None


def test_title_section_and_dates_stand_on_the_page(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document
) -> None:
    handbook.effective_from, handbook.superseded_on = "2000-07-01", "2020-01-31"
    handbook.save()
    leaf = handbook.pages.get()
    response = opened(browsing(alice), leaf, **span(leaf, "Shoes with a closed heel"))
    assert (response.context["title"], response.context["section"]) == ("Rules on boots", "Boots › 2 In the office")
    content = response.content.decode()
    assert "superseded on 31 January 2020" in content
    assert "1 July 2000" in content


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        ("2999-01-01", None, "not in force before 1 January 2999"),
        ("2000-01-01", "2999-01-01", "in force"),
        (None, None, ""),
    ],
)
def test_whether_it_is_in_force(
    browsing: Browse, alice: User, handbook: Document, since: str | None, until: str | None, words: str
) -> None:
    Document.objects.update(effective_from=since, superseded_on=until)
    assert opened(browsing(alice), handbook.pages.get()).context["validity"][1] == words


def test_a_renamed_document_is_called_as_it_was_read(browsing: Browse, alice: User, handbook: Document) -> None:
    Document.objects.update(title="Renamed")
    assert opened(browsing(alice), handbook.pages.get()).context["title"] == "Rules on boots"
