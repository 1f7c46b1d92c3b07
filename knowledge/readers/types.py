"""The types of readers: limits in, a header and pages out, or the reason why a document cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from knowledge.readers.formats import FORMAT_NAMES
from lexic.errors import LexicError

MEGABYTE = 1024 * 1024
# Below every heading: the caption of a table, which heads its rows and nothing after them.
CAPTION_LEVEL = 7
# Of what a page is called.
MAX_LABEL_LENGTH = 100


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one document may cost. Sizes in bytes or characters, times in seconds."""

    max_bytes: int = 50 * MEGABYTE
    max_pages: int = 5_000
    max_page_characters: int = 400_000
    # A source without pages is one long page, so it gets more room than a page of a PDF.
    max_unpaged_characters: int = 5_000_000
    max_characters: int = 50_000_000
    memory_bytes: int = 1_200 * MEGABYTE
    cpu_seconds: int = 60
    # Without a page. A busy machine reads slowly; what stands still is given up. The caller's own time does not count.
    stall_seconds: float = 55.0
    # After this much processor time on tables, the remaining pages keep their plain text.
    table_cpu_seconds: float = 25.0
    # Whether pages that are pictures are read by OCR; what that may take in all, beyond the limits above, which the
    # child can raise to these; and the scripts whose letters are believed (none: all that are known).
    ocr: bool = False
    ocr_memory_bytes: int = 3_000 * MEGABYTE
    ocr_cpu_seconds: int = 4 * 3600
    ocr_scripts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading at `PageText.text[start:]`. Level 1 is the highest, 6 the lowest; 7 is a table's caption."""

    page: int
    start: int
    level: int
    title: str


@dataclass(frozen=True, kw_only=True)
class DocumentHeader:
    """First event of every document. `paged` is false where the source has no pages of its own."""

    title: str | None
    page_total: int
    paged: bool
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class OcrReading:
    """How surely the text of a page was recognised. It has the usual score of the letters (0 to 1), the spans of
    numbers that were read differently a second time, how many words were too unsure to be kept, and the cost (0: not
    known)."""

    confidence: float
    unsure: tuple[tuple[int, int], ...] = ()
    left_out: int = 0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PageText:
    """One page, numbered from 1.

    `words` are boxes `[start, end, x0, top, x1, bottom]`: character offsets into `text`, then points from the
    top left corner of the page as it is shown. Null where the source has no such thing. `state` is what a reader has to
    know to go on after this page; None where it has to begin again. `label` is what people call a page that has no
    printed number, at most `MAX_LABEL_LENGTH` characters: “slide 3”, “sheet Prices, rows 2–40”; empty for “page 3”.
    `ocr` is set where the text was recognised on a picture.
    """

    number: int
    text: str
    words: list[list[float | int]] | None = None
    headings: tuple[Heading, ...] = ()
    state: dict[str, Any] | None = None
    label: str = ""
    ocr: OcrReading | None = None


@dataclass(frozen=True, kw_only=True)
class ReadingPoint:
    """Where a reading goes on: after this page, with the `state` that came with it."""

    page: int
    state: dict[str, Any]


ReaderEvent = DocumentHeader | PageText


class Reader(Protocol):
    """Reads one file: a `DocumentHeader`, then its pages in order. Raises `UnreadableDocument`.

    One whose pages have a `state` takes `resume` as well, and leaves out the pages before.
    """

    def __call__(self, path: Path, *, limits: Limits, **resume: ReadingPoint) -> Iterator[ReaderEvent]: ...


class UnreadableDocument(LexicError):
    """The document cannot be read."""

    code = "damaged"
    status = 422
    hint = "Open the document in its own program, save it again and upload the new file."


class EncryptedDocument(UnreadableDocument):
    """The document is locked with a password."""

    code = "encrypted"
    hint = "Remove the password and upload the document again."


class NoText(UnreadableDocument):
    """The document holds no text that can be read."""

    code = "no_text"
    hint = "If it is a scan, run text recognition (OCR) on it and upload the result."


class NothingRecognised(NoText):
    """The document is pictures, and OCR has recognised no text on them."""

    hint = (
        "OCR reads printed letters of the Latin, Greek, Chinese and Japanese scripts. Add handwriting, and other "
        "scripts, as text."
    )


class DamagedDocument(UnreadableDocument):
    """The document is damaged and cannot be read."""


class TooLarge(UnreadableDocument):
    """The document is too large to be read."""

    code = "too_large"
    status = 413
    hint = "Split it into smaller documents."


class TooManyPages(UnreadableDocument):
    """The document has too many pages."""

    code = "too_many_pages"
    status = 413
    hint = "Split it into smaller documents."


class UnsupportedDocument(UnreadableDocument):
    """This type of document is not supported."""

    code = "unsupported"
    hint = f"Upload a {FORMAT_NAMES} file."


class OldOfficeFile(UnsupportedDocument):
    """This is a password-protected or old Office file."""

    hint = "Remove the password, or save it as .docx, .pptx, .xlsx or PDF, and upload that."


class ReadingTimedOut(UnreadableDocument):
    """Reading the document took too long."""

    code = "timeout"
    hint = "Read it again: reading continues after the pages that were read. If it stops there once more, split it."


class OutOfMemory(UnreadableDocument):
    """Reading the document needed too much memory."""

    code = "memory"
    hint = "Split it into smaller documents, or save it again with its own program."


class EmptyDocument(UnreadableDocument):
    """The document is empty."""

    code = "empty"
    hint = "Upload a document that holds text."


ERRORS_BY_CODE: dict[str, type[UnreadableDocument]] = {
    error.code: error
    for error in (
        EncryptedDocument,
        NoText,
        DamagedDocument,
        TooLarge,
        TooManyPages,
        UnsupportedDocument,
        ReadingTimedOut,
        OutOfMemory,
        EmptyDocument,
    )
}
