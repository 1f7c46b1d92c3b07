"""Plain text, in whatever character set it comes."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from knowledge.readers.latin_charsets import latin_charset
from knowledge.readers.script_charsets import LATIN, likely_charset
from knowledge.readers.single_page import single_page_events
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.types import Heading, Limits, ReaderEvent

# Guessing a character set from more than this costs time and changes nothing.
_SAMPLE_BYTES = 100_000
# Text in another script than the Latin one is mostly made of other bytes.
_MIN_SCRIPT_SHARE = 0.1
# A line with an empty one or a rule below it, and something below that. It ends like no sentence and no list.
_FIRST_LINE = re.compile(r"\s*(\S[^\n]{1,78}[^\s.,;:!?])[ \t]*\n(?:[ \t]*[=-]{3,}[ \t]*\n)?[ \t]*\n\s*\S")
_MAX_HEADING_WORDS = 12
_NOT_ASCII = re.compile(rb"[\x80-\xff]")

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
    yield from single_page_events(text=text, limits=limits, headings=_first_heading(text))


def _first_heading(text: str) -> list[Heading]:
    """The first line where it stands over the text as its heading: short, alone, and no sentence."""
    found = _FIRST_LINE.match(text)
    if found is None or len(found[1].split()) > _MAX_HEADING_WORDS or not found[1][0].isalnum():
        return []
    return [Heading(page=1, start=found.start(1), level=1, title=found[1])]


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
    """The character set of text that is not UTF-8. The library knows many, but needs more than a few words, and cannot
    tell the Latin sets from each other by the few letters that differ."""
    first = _NOT_ASCII.search(data)
    start = max(0, first.start() - _SAMPLE_BYTES // 2) if first else 0
    sample = data[start : start + _SAMPLE_BYTES]
    if len(_NOT_ASCII.findall(sample)) < _MIN_SCRIPT_SHARE * len(sample):
        return latin_charset(sample)
    likely = likely_charset(sample) or _librarys_guess(sample)
    return latin_charset(sample) if likely == LATIN else likely


def _librarys_guess(sample: bytes) -> str:
    # Imported late: nearly all text is UTF-8 and never gets here.
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return LATIN if best is None or _is_latin(str(best)) else best.encoding


def _is_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha() and not character.isascii()]
    latin = sum(unicodedata.name(letter, "").startswith(("LATIN", "FEMININE", "MASCULINE")) for letter in letters)
    return 2 * latin >= len(letters)
