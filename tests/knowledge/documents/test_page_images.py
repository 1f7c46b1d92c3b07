"""Pages of PDFs as pictures: drawn in a process of their own, kept within bounds, and never from bad bytes."""

from __future__ import annotations

import base64
import json
import os
import textwrap
import zlib
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from knowledge.documents import page_images
from knowledge.documents.lifecycle import delete_document
from knowledge.documents.page_images import (
    NoPageImage,
    PageImagesBusy,
    evict_page_images,
    get_page_image,
    read_page_image,
)
from knowledge.ingest import ingest
from knowledge.models import Page
from knowledge.prune import delete_orphaned_files, prune_knowledge_base
from knowledge.readers.isolation import reader_process
from knowledge.readers.isolation.reader_process import render_page
from knowledge.readers.isolation.rendered_page import RenderedPage, decode_rendered_page
from knowledge.readers.types import DamagedDocument, Limits, ReadingTimedOut, UnreadableDocument
from tests.knowledge.bases import CountingEmbedder, add_markdown, add_pdf, make_base, registered
from tests.knowledge.readers.made import lines, pdf
from tests.request_slot import held_request_slot
from tests.stored_files import stored_path


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Path:
    cache.clear()
    settings.LEXIC_FILES_DIR = tmp_path / "files"
    return settings.LEXIC_FILES_DIR / "pictures"


@pytest.fixture
def page(db: None) -> Page:
    """The second page of a PDF that has been read."""
    with registered(CountingEmbedder()):
        document = add_pdf(make_base(), ["One page about valves.", "Another about gauges."])
        ingest(document.pk)
    return document.pages.get(number=2)


@pytest.fixture
def impostor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(program: str) -> Path:
        entry = tmp_path / "entry.py"
        entry.write_text("import os, sys, time\n" + textwrap.dedent(program))
        monkeypatch.setattr(reader_process, "_RENDERER_ENTRY", entry)
        document = tmp_path / "document"
        document.write_bytes(b"x")
        return document

    return use


# --- The child ------------------------------------------------------------------------------------------


def test_a_page_is_drawn_twice_its_size(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", lines("Black on white."))
    drawing = render_page(path, number=1)
    assert (drawing.width, drawing.height) == (round(drawing.page_width * 2), round(drawing.page_height * 2))
    assert {drawing.pixels[:3], min(drawing.pixels)} == {b"\xff\xff\xff", 0}


def test_a_poster_is_no_larger_than_a_screen(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setPageSize((14_000, 500))
        lines("A very wide page.", top=100)(canvas)

    drawing = render_page(pdf(tmp_path / "a.pdf", draw), number=1)
    assert (drawing.width, drawing.page_width) == (2200, 14_000)


@pytest.mark.parametrize("number", [0, 2, 10**9])
def test_a_page_that_is_not_there(tmp_path: Path, number: int) -> None:
    with pytest.raises(UnreadableDocument):
        render_page(pdf(tmp_path / "a.pdf", lines("One page.")), number=number)


def test_what_is_no_pdf_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\nnothing")
    with pytest.raises(DamagedDocument):
        render_page(path, number=1)


def test_a_drawing_without_end_is_ended(impostor: Any) -> None:
    with pytest.raises(ReadingTimedOut):
        render_page(impostor("time.sleep(600)"), number=1, limits=Limits(stall_seconds=0.5))


def test_a_child_that_dies_says_nothing(impostor: Any) -> None:
    with pytest.raises(UnreadableDocument):
        render_page(impostor("os._exit(3)"), number=1)


def line(*fields: Any, pixels: bytes = b"\0" * 12) -> bytes:
    packed = base64.b64encode(zlib.compress(pixels)).decode()
    return json.dumps(["drawing", *fields, packed]).encode()


def test_the_line_of_a_drawing() -> None:
    drawing = decode_rendered_page(line(2, 2, 1.0, 1.0))
    assert (drawing.width, drawing.height, drawing.pixels) == (2, 2, b"\0" * 12)


@pytest.mark.parametrize(
    "said",
    [
        line(2, 2, 1.0, 1.0, pixels=b"\0" * 11),
        line(0, 2, 1.0, 1.0),
        line(2_401, 1, 1.0, 1.0),
        line(True, 2, 1.0, 1.0),
        line(2, 2, 0, 1.0),
        line(2, 2, float("nan"), 1.0),
        line(2, 2, "x", 1.0),
        line(2, 2),
        b'["drawing",2,2,1,1,"%%%"]',
        b'["drawing",2,2,1,1,"AAAA"]',
        b'["error"]',
        b"[]",
        b"{}",
        b"\xff",
    ],
)
def test_a_line_that_is_none_of_ours_is_refused(said: bytes) -> None:
    with pytest.raises(DamagedDocument):
        decode_rendered_page(said)


@given(st.binary(max_size=300))
def test_no_line_does_more_than_be_refused(said: bytes) -> None:
    with pytest.raises(UnreadableDocument):
        decode_rendered_page(said)


def test_of_a_bomb_only_what_the_picture_needs_is_unpacked() -> None:
    assert len(decode_rendered_page(line(2, 2, 1, 1, pixels=b"\0" * 200_000_000)).pixels) == 12


# --- What is kept ---------------------------------------------------------------------------------------


def test_a_picture_is_drawn_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    first = get_page_image(page)
    monkeypatch.setattr(reader_process, "render_page", None)
    assert get_page_image(page) == first
    with Image.open(BytesIO(read_page_image(first))) as image:
        assert (image.format, image.size) == ("WEBP", (round(first.width * 2), round(first.height * 2)))
    assert (first.width, first.height) == (595.3, 841.9)


def test_a_text_has_no_picture(db: None) -> None:
    with registered(CountingEmbedder()):
        document = add_markdown(make_base(), "Wear boots.")
        ingest(document.pk)
    with pytest.raises(NoPageImage):
        get_page_image(document.pages.get())


def test_a_page_that_cannot_be_drawn_is_not_tried_for_everybody(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def fails(path: Path, *, number: int) -> None:
        tries.append(number)
        raise ReadingTimedOut

    monkeypatch.setattr(reader_process, "render_page", fails)
    for _ in range(3):
        with pytest.raises(NoPageImage, match="This page cannot be drawn: reading the document took too long"):
            get_page_image(page)
    assert tries == [2]


def test_a_file_that_is_gone_is_said_to_be_gone(page: Page) -> None:
    stored_path(page.source_sha256).unlink()
    with pytest.raises(NoPageImage, match="no longer on this server"):
        get_page_image(page)


def test_only_so_many_are_drawn_at_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_images, "_SLOT_TIMEOUT_SECONDS", 0.01)
    with page_images._RENDER_SLOTS, page_images._RENDER_SLOTS, pytest.raises(PageImagesBusy):
        get_page_image(page)
    assert get_page_image(page)


def test_whoever_waits_for_a_picture_lets_other_requests_in(page: Page) -> None:
    with held_request_slot() as limit:
        get_page_image(page)
        assert limit._working == 0
        limit._working = 1  # another's
        get_page_image(page)
        assert limit._working == 1


def test_visitors_never_take_the_last_place(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_images, "_SLOT_TIMEOUT_SECONDS", 0.01)
    tried = []

    def draws(path: Path, *, number: int) -> RenderedPage:
        with pytest.raises(PageImagesBusy):
            get_page_image(page, is_for_visitor=True)
        tried.append(page_images._RENDER_SLOTS.acquire(blocking=False))
        page_images._RENDER_SLOTS.release()
        return RenderedPage(width=1, height=1, page_width=10, page_height=10, pixels=b"abc")

    monkeypatch.setattr(reader_process, "render_page", draws)
    assert get_page_image(page, is_for_visitor=True)
    assert tried == [True]


def test_a_visitor_who_cannot_be_served_leaves_the_places_as_they_were(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_images, "_SLOT_TIMEOUT_SECONDS", 0.01)
    with page_images._RENDER_SLOTS, page_images._RENDER_SLOTS, pytest.raises(PageImagesBusy):
        get_page_image(page, is_for_visitor=True)
    assert get_page_image(page, is_for_visitor=True)


def test_what_was_drawn_while_one_waited_is_not_drawn_again(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    first = get_page_image(page)
    answers = iter([None, first])
    monkeypatch.setattr(page_images, "_cached_image", lambda page: next(answers))
    monkeypatch.setattr(reader_process, "render_page", None)
    assert get_page_image(page) == first


def test_those_that_nobody_looks_at_make_way(page: Page, store: Path) -> None:
    images = get_page_image(page.document.pages.get(number=1)), get_page_image(page)
    older, newer = (store.parent / image.name for image in images)
    os.utime(older, (1, 1))
    assert evict_page_images(max_bytes=older.stat().st_size + newer.stat().st_size) == 0
    assert evict_page_images(max_bytes=newer.stat().st_size) == 1
    assert [path.name for path in store.glob("*/*/*")] == [newer.name]


def test_a_picture_goes_with_its_file(page: Page, store: Path) -> None:
    get_page_image(page)
    delete_document(page.document)
    prune_knowledge_base(page.document.knowledge_base, older_than=timedelta(0))
    delete_orphaned_files([page.source_sha256], older_than=timedelta(0))
    assert list(store.glob("*/*")) == []


def test_a_page_that_was_replaced_shows_what_was_cited(page: Page) -> None:
    """A picture belongs to the bytes, not to the document."""
    Page.objects.filter(pk=page.pk).update(removed_in=9)
    page.document.sha256 = "f" * 64
    page.document.save()
    page.refresh_from_db()
    assert read_page_image(get_page_image(page))
