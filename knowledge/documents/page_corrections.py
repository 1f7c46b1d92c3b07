"""The text of a page that was recognised on a picture, corrected by a person or read once more.

Either makes a new row of the page, staged with the chunks of the whole document, which a worker embeds and publishes;
all that did not change keeps its page, its text and its vectors. The row before stays as it was read.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from knowledge import task_queue
from knowledge.documents.lifecycle import record_change
from knowledge.documents.reading_limits import reading_limits
from knowledge.documents.source_file import stored_file
from knowledge.documents.word_box_alignment import placed_words
from knowledge.embedders import get_embedder
from knowledge.models import Document, DocumentStatus, Page, PageCorrection
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.text_cleaning import clean_text, replace_unstorable
from knowledge.readers.types import Heading, PageText, ReadingPoint
from knowledge.recognised_text import ReadBy
from knowledge.versions import staged_rows, writer
from knowledge.versions.chunk_plan import ParsedSource, plan_chunks
from lexic.errors import InvalidInput, LexicError

MAX_TEXT_LENGTH = 100_000
_START = {"counts": [0, 0, 0, 0], "pictures": False, "headings": {"sizes": [], "recent": []}, "text": False}


class NotRecognised(InvalidInput):
    """Only text that was recognised on a picture can be corrected."""

    code = "not_recognised"
    hint = "Replace the file of the document instead."


class PageHasChanged(LexicError):
    """The document is being read, or this page has been replaced meanwhile."""

    code = "page_changed"
    status = 409
    hint = "Save your text again when the document is ready, after a look at what the page says by then."


class NoCorrection(InvalidInput):
    """A page needs some text."""

    code = "no_correction"
    hint = f"Write what stands on the page, in at most {MAX_TEXT_LENGTH:,} characters."


def correct_page(page: Page, *, text: str, by: User) -> None:
    """Replace the text of a page by what a person says that it says; the same text confirms what OCR has read.

    Raises `NotRecognised`, `PageHasChanged` and `NoCorrection`.
    """
    written = clean_text(replace_unstorable(text)).strip()
    if not page.was_recognised:
        raise NotRecognised
    if not any(map(str.isalnum, written)) or len(written) > MAX_TEXT_LENGTH:
        raise NoCorrection
    if written == page.text and page.read_by == ReadBy.HAND:
        return
    words = placed_words(page.text, page.word_boxes or [], written)
    corrected = PageText(
        number=page.number, text=written, words=words, headings=_headings_in(page, written), label=page.label
    )
    with transaction.atomic():
        document = _lock(page)
        row_id = _stage(document, page, corrected)
        Page.objects.filter(pk=row_id).update(read_by=ReadBy.HAND)
        PageCorrection.objects.create(page_id=row_id, by=by)


def reread_page(page: Page) -> None:
    """Read the page anew, in a confined child, from the bytes that it was read from. Raises `NotRecognised`,
    `PageHasChanged`, and what reading raises."""
    if not page.was_recognised:
        raise NotRecognised
    document = page.document
    source_type = document.ready_source_type or document.source_type
    with stored_file(page.source_sha256, source_type=source_type, url=document.url) as source:
        resume = ReadingPoint(page=page.number - 1, state=_START) if page.number > 1 else None
        events = read_pages(source.path, source_type=source.source_type, limits=reading_limits(), resume=resume)
        with closing(events):
            read = next(event for event in events if isinstance(event, PageText))
    with transaction.atomic():
        document = _lock(page)
        if (read.text, ReadBy.OCR) != (page.text, page.read_by):
            _stage(document, page, replace(read, state=None))


def _lock(page: Page) -> Document:
    """The document, locked. Raises `PageHasChanged` unless it is ready and answers with this page."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("knowledge_base__plugin").present()
    document = rows.filter(pk=page.document_id, status=DocumentStatus.READY).first()
    is_live = Page.objects.live().filter(pk=page.pk, source_sha256=document.sha256).exists() if document else False
    if document is None or not is_live:
        raise PageHasChanged
    return document


def _stage(document: Document, page: Page, read: PageText) -> int:
    """Stage the version of the document that has this text on its page, and have a worker publish it. Gives the row of
    the page."""
    writer.discard_staged(document.pk)
    row_id = writer.insert_staged_pages(document, [(read, page.source_sha256)])[page.number]
    parsed = ParsedSource(title=document.title, is_paged=document.page_count is not None)
    for row in document.pages.live().order_by("number"):
        headings = row.headings or []
        is_this = row.number == page.number
        parsed.pages.append(PageText(number=row.number, text=read.text if is_this else row.text, label=row.label))
        parsed.page_ids[row.number] = row_id if is_this else row.pk
        parsed.headings += (
            read.headings
            if is_this
            else [Heading(page=row.number, start=start, level=level, title=title) for start, level, title in headings]
        )
    planned = plan_chunks(
        document, parsed, title=document.title, embedder=get_embedder(document.knowledge_base.embedder)
    )
    staged_rows.stage_chunks(document, planned, parsed, title=document.title)
    _stage_pages_without_chunks(document, {one.page_id for one in planned} | {row_id})
    now = timezone.now()
    Document.objects.filter(pk=document.pk).update(
        status=DocumentStatus.QUEUED,
        arrived_sha256=document.sha256,
        error="",
        error_code="",
        updated_at=now,
        queued_at=now,
    )
    record_change(document, ["pages"])
    task_queue.enqueue_ingest(document.pk)
    return row_id


def _stage_pages_without_chunks(document: Document, kept: set[int]) -> None:
    """What is published is what staged chunks stand on, and what is staged: blank pages are staged anew."""
    numbers = set(document.pages.staged().values_list("number", flat=True))
    blank = list(document.pages.live().exclude(pk__in=kept).exclude(number__in=numbers))
    for row in blank:
        row.pk, row.added_in = None, None
        row._state.adding = True
    Page.objects.bulk_create(blank)


def _headings_in(page: Page, text: str) -> tuple[Heading, ...]:
    """The headings of the page that its new text still has, where that has them."""
    found, at = [], 0
    for _, level, title in page.headings or []:
        start = text.find(title, at)
        if start >= 0:
            found.append(Heading(page=page.number, start=start, level=level, title=title))
            at = start + len(title)
    return tuple(found)


def page_to_reread(page_id: int, document_id: UUID) -> Page | None:
    """The page, where it still belongs to what the document answers with."""
    pages = Page.objects.live().filter(pk=page_id, document=document_id)
    return pages.select_related("document__knowledge_base__plugin").first()


def page_in_place_of(page_id: int, document_id: UUID) -> Page | None:
    """The page, or the one that has replaced it; None where the document has no such page any more."""
    number = Page.objects.filter(pk=page_id, document=document_id).values("number")
    return Page.objects.live().filter(document=document_id, number__in=number).first()
