"""Text of scanned pages: stored with how surely it was read, corrected by hand, and read once more."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry
from knowledge import ingest as ingestion
from knowledge.documents.lifecycle import add_file, add_url, reingest_document, update_details
from knowledge.documents.page_corrections import (
    NoCorrection,
    NotRecognised,
    PageHasChanged,
    correct_page,
    page_to_reread,
    reread_page,
)
from knowledge.documents.word_box_alignment import placed_words
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from knowledge.readers.isolation import reader_process
from knowledge.readers.types import DocumentHeader, Limits, OcrReading, PageText, ReadingPoint
from lexic import egress
from lexic.egress import FetchedDocument
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, check_sound, make_base, registered
from tests.knowledge.readers.scans import scanned_pdf

FIRST, BLANK, LAST = "The cover is 46 mm\nin severe exposure.", "", "Use grade M30."
BOXES: list[list[float | int]] = [
    [start, end, 5.0 * start, 10.0, 5.0 * end, 20.0] for start, end in [(0, 3), (4, 9), (10, 12), (13, 15), (16, 18)]
]


@pytest.fixture
def embedder() -> Any:
    with registered(CountingEmbedder()) as _:
        yield


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What OCR reads on the first page, the next time first; the models themselves have tests of their own."""
    texts: list[str] = []

    def read_pages(path: Path, *, source_type: str, limits: Limits, resume: ReadingPoint | None = None) -> Any:
        if source_type != "pdf":
            yield from reader_process.read_pages(path, source_type=source_type, limits=limits)
            return
        assert limits.ocr
        first = texts.pop(0) if texts else FIRST
        yield DocumentHeader(title=None, page_total=3, paged=True)
        for number, text in enumerate([first, BLANK, LAST], start=1):
            if number > (resume.page if resume else 0):
                ocr = OcrReading(confidence=0.94, unsure=((13, 15),) if number == 1 else (), left_out=1)
                yield PageText(number=number, text=text, words=BOXES if number == 1 else [], ocr=ocr)

    monkeypatch.setattr(ingestion, "read_pages", read_pages)
    monkeypatch.setattr("knowledge.documents.page_corrections.read_pages", read_pages)
    return texts


@pytest.fixture
def scan(db: None, embedder: Any, readings: list[str], tmp_path: Path) -> Document:
    content = scanned_pdf(tmp_path / "scan.pdf", ["x"]).read_bytes()
    document = add_file(knowledge_base=make_base(), file_name="scan.pdf", stream=io.BytesIO(content)).document
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"
    return document


def live(document: Document, number: int) -> Page:
    return document.pages.live().get(number=number)


def test_a_page_says_how_surely_it_was_read(scan: Document) -> None:
    page = live(scan, 1)
    assert (page.read_by, page.confidence_percent, page.unsure_spans, page.left_out_words) == ("ocr", 94, [[13, 15]], 1)
    assert page.is_ocr


def test_a_corrected_text_is_a_new_page_with_who_and_when(scan: Document) -> None:
    before, alice = live(scan, 1), User.objects.get(email="alice@example.org")
    correct_page(before, text="The cover is 45 mm\r\nin severe exposure.  ", by=alice)
    assert live(scan, 1).text == FIRST  # until it is published
    ingest(scan.pk)
    page = live(scan, 1)
    assert page.text == "The cover is 45 mm\nin severe exposure."
    assert (page.read_by, page.is_ocr, page.unsure_spans, page.correction.by) == ("hand", False, None, alice)
    # The number stands where the wrong one stood; the second line had no places.
    assert page.word_boxes == BOXES
    before.refresh_from_db()
    assert (before.text, before.removed_in) == (FIRST, page.added_in)
    # The other pages stay the rows that they were, and the blank one is there.
    assert [one.number for one in scan.pages.live().order_by("number")] == [1, 2, 3]
    assert any("45 mm" in text for text in alive(scan.knowledge_base))
    assert not any("46 mm" in text for text in alive(scan.knowledge_base))
    check_sound(scan.knowledge_base)
    assert AuditEntry.objects.get(action=Action.DOCUMENT_CHANGED).details["changed"] == {"columns": ["pages"]}


def test_the_same_text_confirms_what_was_read(scan: Document) -> None:
    correct_page(live(scan, 1), text=FIRST, by=scan.knowledge_base.owner)
    ingest(scan.pk)
    assert (live(scan, 1).read_by, live(scan, 1).text) == ("hand", FIRST)


def test_a_correction_outlives_reading_the_document_again_and_another_title(scan: Document) -> None:
    correct_page(live(scan, 1), text="The cover is 45 mm.", by=scan.knowledge_base.owner)
    # The title changes before the correction is published: then all of it is read.
    scan.refresh_from_db()
    update_details(scan, title="Cover of beams", enqueue=False)
    ingest(scan.pk)
    assert (live(scan, 1).text, live(scan, 1).read_by) == ("The cover is 45 mm.", "hand")
    scan.refresh_from_db()
    reingest_document(scan, enqueue=False)
    ingest(scan.pk)
    assert (live(scan, 1).text, live(scan, 3).text) == ("The cover is 45 mm.", LAST)
    check_sound(scan.knowledge_base)


def test_a_page_is_read_once_more(scan: Document, readings: list[str]) -> None:
    correct_page(live(scan, 1), text="The cover is unknown.", by=scan.knowledge_base.owner)
    ingest(scan.pk)
    readings.append("The cover is 45 mm, OCR says now.")
    page = page_to_reread(live(scan, 1).pk, scan.pk)
    assert page is not None
    reread_page(page)
    ingest(scan.pk)
    assert (live(scan, 1).text, live(scan, 1).read_by) == ("The cover is 45 mm, OCR says now.", "ocr")
    assert page_to_reread(page.pk, scan.pk) is None


def test_a_page_of_an_address_is_read_once_more_from_what_was_fetched_then(
    db: None, embedder: Any, readings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = [scanned_pdf(tmp_path / f"{number}.pdf", ["x" * number]).read_bytes() for number in (1, 2)]

    def fetch(url: str, **options: object) -> FetchedDocument:
        return FetchedDocument(url=url, content_type="application/pdf", body=fetched.pop(0))

    monkeypatch.setattr(egress, "fetch", fetch)
    base = make_base()
    document = add_url(knowledge_base=base, url="https://example.org/rules", enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    before = document.sha256
    readings.append("The cover is 45 mm, OCR says now.")
    page = page_to_reread(live(document, 1).pk, document.pk)
    assert page is not None
    reread_page(page)
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.sha256, len(fetched)) == ("ready", before, 1)
    assert live(document, 1).text == "The cover is 45 mm, OCR says now."
    correct_page(live(document, 1), text="The cover is 40 mm.", by=base.owner)


def test_what_cannot_be_corrected_changes_nothing(scan: Document) -> None:
    owner, page = scan.knowledge_base.owner, live(scan, 1)
    with pytest.raises(NoCorrection):
        correct_page(page, text=" \0 … ", by=owner)
    notes = add_markdown(scan.knowledge_base, "# Notes\n\nGloves are worn.")
    ingest(notes.pk)
    with pytest.raises(NotRecognised):
        correct_page(live(notes, 1), text="Boots are worn.", by=owner)
    correct_page(page, text="The cover is 45 mm.", by=owner)
    with pytest.raises(PageHasChanged):  # it waits to be published
        correct_page(page, text="The cover is 40 mm.", by=owner)
    ingest(scan.pk)
    with pytest.raises(PageHasChanged):  # there is a newer page
        correct_page(page, text="The cover is 40 mm.", by=owner)


def test_words_that_replace_several_take_their_place_together() -> None:
    boxes = [[0, 2, 0, 0, 20, 10], [3, 5, 25, 0, 45, 10], [6, 8, 50, 0, 70, 10], [9, 12, 0, 20, 30, 30]]
    after = placed_words("ab cd ef end", boxes, "abcd ef the end")
    assert after == [[0, 4, 0, 0, 45, 10], [5, 7, 50, 0, 70, 10], [12, 15, 0, 20, 30, 30]]


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_placed_words_lie_in_the_text(before: str, after: str) -> None:
    boxes = [[at, at + 1, at, 0, at + 1, 1] for at in range(0, max(0, len(before) - 1), 2)]
    words = placed_words(before, boxes, after)
    assert all(
        0 <= start < end <= len(after) and after[start:end].split() == [after[start:end]] for start, end, *_ in words
    )
    assert [word[0] for word in words] == sorted({word[0] for word in words})
