"""Maps the text of a page to its places in the XML of a Word file.

The map is computed from the original file whenever it is needed, by the code that reads the page, so that the two
cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.names import W
from knowledge.readers.docx.reader import ParagraphSegment, open_document, read_body
from knowledge.readers.docx.visible_text import text_pieces
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.zip_checks import check_archive


class RunPosition(NamedTuple):
    """Page characters `start` to `end` are the characters `run_start` to `run_end` of one run.

    `paragraph` and `run` count all `w:p` and all `w:r` of the document part from 0, in the order of the XML. A run's
    text is that of its `w:t`, with one character for each tab, line break and hyphen that does not break. Both lengths
    are the same, except that one white space of the page may stand for several in the run.
    """

    start: int
    end: int
    paragraph: int
    run: int
    run_start: int
    run_end: int


@dataclass(frozen=True, kw_only=True)
class PagePositions:
    """The text of the page as the reader gives it, the name of the document part, and the positions in page order.

    A character of the page that no run holds (labels of a table, breaks between paragraphs) has no position. One that
    the reader repeats (a cell that continues below) has the position of the run that it repeats. `marks` are the places
    of the bullets and numbers that Word draws itself.
    """

    text: str
    part: str
    positions: tuple[RunPosition, ...]
    marks: tuple[tuple[int, int], ...] = ()


def read_positions(path: Path, *, has_marks: bool = True) -> PagePositions:
    """The positions of a Word file's text, with or without the marks of lists. Raises `UnreadableDocument`."""
    check_archive(path)
    document = open_document(path)
    body = read_body(document, has_marks=has_marks)
    numbers = _ElementNumbers(document.element, body.hidden)
    positions = [position for segment in body.segments for position in _segment_positions(segment, numbers)]
    name = str(document.part.partname).lstrip("/")
    return PagePositions(text=body.text(), part=name, positions=tuple(positions), marks=tuple(body.mark_spans))


class _Source(NamedTuple):
    """The run of a piece of text, and where in the run's text the piece begins."""

    paragraph: int
    run: int
    start: int


class _ElementNumbers:
    """Numbers of the paragraphs and runs of a part, and the offsets of pieces of text in their runs."""

    def __init__(self, root: Any, hidden: HiddenText) -> None:
        self.hidden = hidden
        # The elements are kept, because numbers go by identity.
        self._paragraphs = {paragraph: number for number, paragraph in enumerate(root.iter(f"{W}p"))}
        self._runs = {run: number for number, run in enumerate(root.iter(f"{W}r"))}

    def sources(self, paragraphs: tuple[Any, ...]) -> Iterator[tuple[_Source | None, str]]:
        """The pieces of text of these paragraphs with the run each stands in; None for text outside of runs."""
        for paragraph in paragraphs:
            lengths: dict[Any, int] = {}
            for element, text in text_pieces(paragraph, self.hidden):
                run = next(element.iterancestors(f"{W}r"), None)
                if run is None or element.tag == f"{W}p":
                    yield None, text
                    continue
                start = lengths.get(run, 0)
                lengths[run] = start + len(text)
                nearest = next(run.iterancestors(f"{W}p"))
                yield _Source(self._paragraphs[nearest], self._runs[run], start), text


class _RawCharacter(NamedTuple):
    character: str
    source: _Source | None
    offset: int


def _segment_positions(segment: ParagraphSegment, numbers: _ElementNumbers) -> Iterator[RunPosition]:
    """The positions of one segment: neighbouring characters of one run together."""
    if not segment.text:
        return
    raw = [
        _RawCharacter(character, source, source.start + offset if source else 0)
        for source, text in numbers.sources(segment.paragraphs)
        for offset, character in _kept_characters(text)
    ]
    pending: RunPosition | None = None
    for position in _character_positions(segment, raw):
        joined = _joined(pending, position) if pending else None
        if pending and not joined:
            yield pending
        pending = joined or position
    if pending:
        yield pending


def _kept_characters(text: str) -> Iterable[tuple[int, str]]:
    """The characters that the reader keeps, with their offsets."""
    if clean_text(text) == text:
        return enumerate(text)
    return [(offset, letter) for offset, letter in enumerate(text) if letter == "\r" or clean_text(letter)]


def _joined(left: RunPosition, right: RunPosition) -> RunPosition | None:
    """Both as one, where the right one goes on where the left one ends, and both map character to character."""
    follows = left.run == right.run and left.end == right.start and left.run_end == right.run_start
    exact = all(position.end - position.start == position.run_end - position.run_start for position in (left, right))
    if not follows or not exact:
        return None
    return RunPosition(
        start=left.start,
        end=right.end,
        paragraph=left.paragraph,
        run=left.run,
        run_start=left.run_start,
        run_end=right.run_end,
    )


def _character_positions(segment: ParagraphSegment, raw: list[_RawCharacter]) -> Iterator[RunPosition]:
    """One position for each character and run. What the reader does to a segment is to drop and to shorten white
    space, so every other character follows in order."""
    at = 0
    for offset, character in enumerate(segment.text, segment.start):
        first = at
        while at < len(raw) and raw[at].character.isspace():
            at += 1
        if character.isspace():
            yield from _space_positions(offset, raw[first:at])
        elif at == len(raw) or raw[at].character != character:
            raise ValueError("the text of the page does not stand in its paragraphs")
        else:
            source, run_offset = raw[at].source, raw[at].offset
            at += 1
            if source:
                yield _position(offset, source, run_offset, run_offset + 1)


def _space_positions(offset: int, spaces: list[_RawCharacter]) -> Iterator[RunPosition]:
    """The positions of one white space of the page: one for each run that holds a part of it."""
    for source, group in groupby(spaces, key=lambda space: space.source and space.source[:2]):
        same_run = list(group)
        if source:
            yield _position(offset, same_run[0].source, same_run[0].offset, same_run[-1].offset + 1)


def _position(offset: int, source: _Source | None, run_start: int, run_end: int) -> RunPosition:
    assert source
    return RunPosition(
        start=offset,
        end=offset + 1,
        paragraph=source.paragraph,
        run=source.run,
        run_start=run_start,
        run_end=run_end,
    )
