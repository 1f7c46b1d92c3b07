"""Reads CSV in any character set. The separator is the one that splits most of the first rows evenly."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from knowledge.readers.sheets.headers import SheetRow
from knowledge.readers.sheets.pages import SheetPager
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import DocumentHeader, EmptyDocument, Limits, ReaderEvent, TooLarge

_DELIMITERS = (";", "\t", ",", "|")
_NAMED_DELIMITER = re.compile(r"sep=([,;\t|])[ \t,;|]{0,1000}(?:\n|$)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 20, 64_000
_MAX_CELL_CHARACTERS = 100_000


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    text = clean_text(decode_bytes(path.read_bytes()))
    pager = SheetPager(limits)
    rows = enumerate(_csv_rows(text, find_delimiter(text)), start=1)
    if _NAMED_DELIMITER.match(text):
        next(rows)
    pager.add_sheet((SheetRow(number, _texts(row)) for number, row in rows), has_groups=False)
    if not any(map(str.isalnum, (letter for page in pager.pages for letter in page.text))):
        raise EmptyDocument()
    yield DocumentHeader(title=None, page_total=len(pager.pages), paged=True)
    yield from pager.pages


def find_delimiter(text: str) -> str:
    """The separator that the file names in a line `sep=;`, or the one that cuts as many of the first rows evenly as any
    other does. A comma between digits is a decimal comma as long as anything else can separate."""
    if named := _NAMED_DELIMITER.match(text):
        return named[1]
    sample = text[:_SAMPLE_CHARACTERS]
    whole = _DECIMAL_COMMA.sub(".", sample)
    even = {
        delimiter: _evenness(list(islice(_csv_rows(whole if delimiter == "," else sample, delimiter), _SAMPLE_ROWS)))
        for delimiter in _DELIMITERS
    }
    # A first row without a comma is the head of one column of decimals.
    if not any(rows for rows, _ in even.values()) and "," in sample.partition("\n")[0]:
        return ","
    return max(_DELIMITERS, key=lambda delimiter: (even[delimiter][0], delimiter in ";\t", even[delimiter][1]))


def _texts(row: Sequence[str]) -> list[str]:
    texts = list(map(one_line, row))
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _evenness(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many rows have as many cells as most of them, where those are two at least; and how many cells that is."""
    widths = [len(row) for row in rows if len(row) > 1]
    usual = max(set(widths), key=widths.count, default=0)
    return widths.count(usual), usual


def _csv_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_MAX_CELL_CHARACTERS)
    quoting = csv.QUOTE_NONE if _has_loose_quotes(text, delimiter) else csv.QUOTE_MINIMAL
    try:
        yield from _reader(text, delimiter, quoting=quoting)
    except csv.Error as error:
        raise TooLarge("A cell of the table is too long.") from error


def _reader(text: str, delimiter: str, **options: Any) -> Iterator[list[str]]:
    # newline="": what breaks a line inside quotation marks belongs to its cell.
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, **options)


def _has_loose_quotes(text: str, delimiter: str) -> bool:
    """Whether quotation marks are part of the cells, such as the sign for inches: as marks around cells they are
    broken, and every line alone has as many cells as the others."""
    if '"' not in text:
        return False
    try:
        deque(_reader(text, delimiter, strict=True), maxlen=0)
    except csv.Error:
        with suppress(csv.Error):
            widths = {len(row) for row in _reader(text, delimiter, quoting=csv.QUOTE_NONE) if row}
            return len(widths) == 1 and max(widths) > 1
    return False
