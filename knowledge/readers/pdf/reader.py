"""PDF: every page's text by PDFium, ruled tables row by row with the help of pdfplumber. Pages that are pictures are
read by OCR where the limits allow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium

from knowledge.readers.metadata_titles import given_title
from knowledge.readers.pdf.drawn_bullets import write_bullets
from knowledge.readers.pdf.filled_tables import CellGrid
from knowledge.readers.pdf.headings import HeadingFinder
from knowledge.readers.pdf.letter_styles import LetterStyles
from knowledge.readers.pdf.page_layout import PageFrame, PageLayout
from knowledge.readers.pdf.page_objects import PageObjects, inspect_page
from knowledge.readers.pdf.page_tables import inline_all_tables
from knowledge.readers.pdf.picture_pages import MIN_PAGE_CHARACTERS, PicturePageReader, has_usable_text
from knowledge.readers.pdf.ruling_lines import Rule, can_make_table, read_rules
from knowledge.readers.pdf.table_head import TableHead
from knowledge.readers.pdf.text_layout import read_layout
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    EncryptedDocument,
    Limits,
    NoText,
    NothingRecognised,
    PageText,
    ReaderEvent,
    ReadingPoint,
    TooLarge,
    TooManyPages,
)

if TYPE_CHECKING:  # numpy and the models are loaded where a page needs them
    from knowledge.readers.ocr.picture_page import PicturePage

# A table of three rows and columns is eight lines; far more lines than any table has are a drawing.
RULED_PAGE_PATH_COUNTS = range(8, 20_000)
# The share of pages, in percent, that may consist of pictures before the document counts as a scan.
_PICTURE_PAGES_PERCENT = 95


def read(path: Path, *, limits: Limits, resume: ReadingPoint | None = None) -> Iterator[ReaderEvent]:
    with closing(_open_pdf(path)) as document:
        pages = _PageReader(document, limits)
        if resume:
            pages.resume(resume)
        title = given_title(document.get_metadata_value("Title")) or None
        yield DocumentHeader(title=title, page_total=len(document), paged=True)
        yield from pages
        pages.check_text()


def _open_pdf(path: Path) -> Any:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise (EncryptedDocument() if locked else DamagedDocument()) from error
    if len(document) == 0:
        raise DamagedDocument("The document has no pages.")
    return document


class _PageReader:
    """The pages in order; counts what decides whether the document has text at all."""

    def __init__(self, document: Any, limits: Limits) -> None:
        if len(document) > limits.max_pages:
            raise TooManyPages(f"The document has {len(document)} pages; at most {limits.max_pages} are read.")
        self._document = document
        self._limits = limits
        self._headings = HeadingFinder()
        self._letters = LetterStyles()
        self._tables: Any = None
        self._table_head: TableHead | None = None  # of a table that ends the page, or the page before
        self._pictures_reader = PicturePageReader(limits) if limits.ocr else None
        self._first = 1
        self._characters = 0
        self._broken = 0
        self._pictures = 0
        self._has_pictures = False
        self._alphanumeric = 0

    def __iter__(self) -> Iterator[PageText]:
        for number in range(self._first, len(self._document) + 1):
            yield replace(self._read_page(number), state=self._state())

    def resume(self, point: ReadingPoint) -> None:
        """Go on after the page of `point`. Raises `DamagedDocument` for a state that is none."""
        try:
            counts, headings = point.state["counts"], point.state["headings"]
            self._characters, self._broken, self._pictures, self._alphanumeric = map(int, counts)
            self._headings, self._has_pictures = HeadingFinder.from_state(headings), bool(point.state["pictures"])
            self._table_head = TableHead.from_state(point.state["table"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedDocument() from error
        self._first = point.page + 1

    def _state(self) -> dict[str, Any]:
        counts = [self._characters, self._broken, self._pictures, self._alphanumeric]
        table = self._table_head.state() if self._table_head else None
        return {"counts": counts, "pictures": self._has_pictures, "headings": self._headings.state(), "table": table}

    def check_text(self) -> None:
        """Raises `NoText` for a scan without a text layer, `DamagedDocument` where no page could be read."""
        total = len(self._document)
        if self._broken == total:
            raise DamagedDocument()
        if self._alphanumeric == 0 or 100 * self._pictures >= _PICTURE_PAGES_PERCENT * total:
            raise self._no_text()

    def _no_text(self) -> NoText:
        if self._pictures_reader and self._pictures_reader.has_read:
            return NothingRecognised()
        return NoText("The document holds pictures of pages but no text.") if self._has_pictures else NoText()

    def _read_page(self, number: int) -> PageText:
        try:
            page = self._document[number - 1]
        except pypdfium2.PdfiumError:
            # One broken page is no reason to lose the others.
            self._broken += 1
            self._table_head = None
            return PageText(number=number, text="")
        with closing(page), closing(page.get_textpage()) as textpage:
            return self._read_open(page, textpage, number)

    def _read_open(self, page: Any, textpage: Any, number: int) -> PageText:
        if textpage.count_chars() > self._limits.max_page_characters:
            raise TooLarge(f"Page {number} holds more text than a page can.")
        left, bottom, right, top = page.get_bbox()
        frame = PageFrame(left=left, bottom=bottom, right=right, top=top, rotation=page.get_rotation())
        objects = inspect_page(page, frame=frame)
        layout = read_layout(textpage, objects=objects, frame=frame)
        if self._pictures_reader and _is_drawn(objects) and not has_usable_text(layout.text):
            found = self._pictures_reader.read(page)
            if sum(map(str.isalnum, found.layout.text)) > sum(map(str.isalnum, layout.text)):
                return self._recognised(found, number, objects)
        self._count(layout, objects)
        rules = read_rules(page, frame=frame) if objects.paths in RULED_PAGE_PATH_COUNTS and layout.words else []
        ruled = self._ruled_grids(rules)
        layout, self._table_head = inline_all_tables(layout, ruled=ruled, rules=rules, before=self._table_head)
        layout = write_bullets(layout, objects.dots)
        headings = self._headings.find(layout, number=number, style=partial(self._letters.style, textpage.raw))
        words = [[word.start, word.end, *word.box] for word in layout.words if word.box]
        return PageText(number=number, text=layout.text, words=words, headings=headings)

    def _recognised(self, found: PicturePage, number: int, objects: PageObjects) -> PageText:
        from knowledge.readers.ocr.picture_page import recognised_page

        self._count(found.layout, objects)
        self._table_head = None
        return recognised_page(found, number=number, headings=self._headings)

    def _count(self, layout: PageLayout, objects: PageObjects) -> None:
        self._characters += len(layout.text)
        if self._characters > self._limits.max_characters:
            raise TooLarge()
        alphanumeric = sum(map(str.isalnum, layout.text))
        self._alphanumeric += alphanumeric
        self._has_pictures |= objects.has_pictures
        self._pictures += alphanumeric < MIN_PAGE_CHARACTERS and _is_drawn(objects)

    def _ruled_grids(self, rules: Sequence[Rule]) -> list[CellGrid]:
        if not can_make_table(rules):
            return []
        # Imported late: many documents have no ruled page, and the library takes longer than their text.
        from knowledge.readers.pdf.ruled_tables import TableFinder

        if self._tables is None:
            self._tables = TableFinder(cpu_seconds=self._limits.table_cpu_seconds)
        return self._tables.grids(rules)


def _is_drawn(objects: PageObjects) -> bool:
    return objects.has_pictures or objects.paths >= RULED_PAGE_PATH_COUNTS.start
