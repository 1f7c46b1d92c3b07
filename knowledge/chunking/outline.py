"""The sections of a page: what stands under one heading. The path of headings is carried from page to page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from knowledge.chunking.question_headings import QuestionHeading, with_question_headings
from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.readers.types import CAPTION_LEVEL, Heading, PageText

SectionPath = tuple[str, ...]

_MAX_NAME_LENGTH = 200
# A line as wide as this and mostly of letters is prose, and no row of a table that was drawn without lines.
_PROSE_CHARACTERS, _PROSE_LETTERS_PERCENT = 60, 75


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a page under one heading; the first one of a page may have none."""

    start: int
    end: int
    path: SectionPath
    title: str = ""

    def is_bare(self, text: str) -> bool:
        """Whether there is nothing but the heading and its mark-up."""
        said = text[self.start : self.end].strip()
        _, _, below = said.partition("\n")
        # A heading of two lines, or one that goes on in its own line.
        squeezed, title = "".join(said.split()), "".join(self.title.split())
        if title and title in squeezed:
            below = squeezed.partition(title)[2]
        return bool(title) and not any(map(str.isalnum, below))


class Outline:
    """The headings of a document. The path is carried from page to page, so pages must be asked for in order."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._by_page: dict[int, list[Heading]] = {}
        for heading in sorted(headings, key=lambda one: (one.page, one.start)):
            self._by_page.setdefault(heading.page, []).append(heading)
        self._open: list[tuple[int, str]] = []

    def sections(self, page: PageText) -> Iterator[Section]:
        headings = with_question_headings(page.text, self._by_page.get(page.number, []), page=page.number)
        edges = [min(heading.start, len(page.text)) for heading in headings] + [len(page.text)]
        yield Section(start=0, end=edges[0], path=self._path())
        for heading, (start, end) in zip(headings, pairwise(edges), strict=True):
            if heading.level < CAPTION_LEVEL:
                self._enter(heading)
                yield Section(start=start, end=end, path=self._path(), title=heading.title)
            else:
                headed = _end_under(heading, page.text, start, end)
                yield Section(start=start, end=headed, path=(*self._path(), _name(heading)), title=heading.title)
                yield Section(start=headed, end=end, path=self._path())

    def _enter(self, heading: Heading) -> None:
        while self._open and self._open[-1][0] >= heading.level:
            self._open.pop()
        if name := _name(heading):
            self._open.append((heading.level, name))

    def _path(self) -> SectionPath:
        return tuple(name for _, name in self._open)


def _name(heading: Heading) -> str:
    return " ".join(heading.title.split())[:_MAX_NAME_LENGTH]


def _end_under(heading: Heading, text: str, start: int, end: int) -> int:
    """Where what stands under a question or a caption ends."""
    return min(heading.end, end) if isinstance(heading, QuestionHeading) else _table_end(text, start, end)


def _table_end(text: str, start: int, end: int) -> int:
    """Where the table under a caption ends: its rows, or all lines to the first of prose where they were not ruled."""
    lines = text[start:end].splitlines(keepends=True)
    at, is_in_rows = start, False
    for line in lines:
        is_row = CELL_SEPARATOR in line
        is_over = not is_row if is_in_rows else at > start and not is_row and _is_prose(line)
        if is_over and line.strip():
            return at
        is_in_rows = is_in_rows or is_row
        at += len(line)
    return end


def _is_prose(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    return len(line) >= _PROSE_CHARACTERS and 100 * letters >= _PROSE_LETTERS_PERCENT * len("".join(line.split()))


def chunk_sections(sections: Iterable[Section], *, text: str) -> list[Section]:
    """The sections of a page that are cut, in order. A heading with nothing under it joins what follows: the next
    section, or at the end of the page the one before. So whatever a section says stands under its own heading."""
    cut: list[Section] = []
    start: int | None = None  # of the headings that wait for what they head
    for section in sections:
        if not text[section.start : section.end].strip():
            continue
        start = section.start if start is None else start
        if not section.is_bare(text):
            cut.append(replace(section, start=start))
            start = None
    if start is None:
        return cut
    if cut:
        return [*cut[:-1], replace(cut[-1], end=len(text))]
    return [Section(start=start, end=len(text), path=section.path, title=section.title)]
