"""RTF as its text. Pictures and the instructions of fields are left out, and so is what somebody hid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from knowledge.readers.metadata_titles import given_title
from knowledge.readers.rtf_destinations import drop_binary, move_destinations
from knowledge.readers.single_page import single_page_events
from knowledge.readers.tables import row_lines
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import DamagedDocument, Limits, ReaderEvent

_EMPTY_LINES = re.compile(r"\n{3,}")
_TITLE = re.compile(r"\{\\title ([^{}\\]{1,300})\}")
_ESCAPED = re.compile(r"\\\\")
_HIDING_WORD = re.compile(r"\\[{}\\]|\\(?:v|deleted)(0?)(?![a-z0-9-])|\\plain(?![a-z0-9])|[{}]")


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    content = path.read_bytes()
    stated = _TITLE.search(content[:10_000].decode("latin-1"))
    title = given_title(stated[1]) if stated else ""
    yield from single_page_events(text=text_of_rtf(content), limits=limits, title=title or None)


def text_of_rtf(content: bytes) -> str:
    """Raises `DamagedDocument`."""
    # All bytes of RTF are ASCII, or of the character set that its own words name.
    source = content.decode("latin-1")
    if not source.lstrip().startswith("{\\rtf"):
        raise DamagedDocument()
    text = "\n".join(_lines(_plain_text(move_destinations(drop_hidden(drop_binary(source))))))
    return _EMPTY_LINES.sub("\n\n", text).strip("\n")


def _plain_text(source: str) -> str:
    from striprtf import striprtf

    library: Any = striprtf
    # Where a text speaks of `\\bin`, the library would take it for the word itself.
    written = _ESCAPED.sub(r"\\'5c", source) if "\\\\bin" in source else source
    try:
        return clean_text(library.rtf_to_text(written, errors="replace"))
    except MemoryError:
        raise
    except Exception as error:
        # A word without the number that it needs surfaces as ValueError, LookupError and more.
        raise DamagedDocument() from error


def _lines(text: str) -> Iterator[str]:
    """The lines, each paragraph set apart, and rows of a table with the names of their columns."""
    for is_row, lines in groupby(text.split("\n"), key=_is_row):
        if is_row:
            yield from row_lines([[one_line(cell) for cell in line.rstrip().split("|")[:-1]] for line in lines])
        else:
            for line in lines:
                yield from ("", one_line(line), "")


def _is_row(line: str) -> bool:
    # The library ends each cell with this sign.
    return line.rstrip().endswith("|")


def drop_hidden(source: str) -> str:
    """The source without what `\\v` hides and `\\deleted` marks, to the end of its group or to `\\v0`."""
    kept: list[str] = []
    hidden, at = [False], 0
    for match in _HIDING_WORD.finditer(source):
        kept.append("" if hidden[-1] else source[at : match.start()])
        at, word = match.end(), match[0]
        if word == "{":
            hidden.append(hidden[-1])
        elif word == "}":
            hidden[-2:] = hidden[-2:-1] or [False]
        elif match[1] is not None:
            hidden[-1] = match[1] != "0"
        elif word == "\\plain":
            hidden[-1] = False
        kept.append(word if word in ("{", "}") or not hidden[-1] else "")
    kept.append("" if hidden[-1] else source[at:])
    return "".join(kept)
