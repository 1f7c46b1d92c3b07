"""Pictures: each is a page, read by OCR; a TIFF may have several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowledge.readers.image.picture_file import MAX_PAGES, open_pictures, page_count, page_picture
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    Limits,
    NothingRecognised,
    PageText,
    ReaderEvent,
    ReadingPoint,
    TooManyPages,
    UnsupportedDocument,
)


def read(path: Path, *, limits: Limits, resume: ReadingPoint | None = None) -> Iterator[ReaderEvent]:
    if not limits.ocr:
        raise UnsupportedDocument("Pictures are not read: text recognition (OCR) is off on this site.")
    with open_pictures(path) as pictures:
        total = page_count(pictures)
        if total > min(MAX_PAGES, limits.max_pages):
            raise TooManyPages()
        yield DocumentHeader(title=None, page_total=total, paged=True)
        yield from _pages(pictures, total, limits, resume)


def _pages(pictures: Any, total: int, limits: Limits, resume: ReadingPoint | None) -> Iterator[PageText]:
    # Imported late, so that a file that is none costs nothing.
    from knowledge.readers.ocr.document_pages import RecognisedPages

    try:
        pages = RecognisedPages(limits, state=resume.state if resume else None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedDocument() from error
    for number in range(resume.page + 1 if resume else 1, total + 1):
        picture, size = page_picture(pictures, number, longest_side=pages.longest_side)
        page = pages.read(picture, number=number, width_points=size[0])
        yield replace(page, state=pages.state())
    if not pages.has_text:
        raise NothingRecognised()
