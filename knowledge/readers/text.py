"""Plain text, in whatever character set it comes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from knowledge.readers.single_page import single_page_events
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.types import Limits, ReaderEvent

# Guessing a character set from more than this costs time and changes nothing.
_SAMPLE_BYTES = 100_000

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    # A form feed ends a printed page, but nobody cites a text file by page.
    text = clean_text(decode_bytes(path.read_bytes())).replace("\f", "\n")
    yield from single_page_events(text=text, limits=limits)


def decode_bytes(data: bytes) -> str:
    """The bytes as text: by their mark, else as UTF-8, else by the best guess. Never raises for bad bytes."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guess_encoding(data), errors="replace")


def _guess_encoding(data: bytes) -> str:
    # Imported late: nearly all text is UTF-8 and never gets here.
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE_BYTES]).best()
    return best.encoding if best else "cp1252"
