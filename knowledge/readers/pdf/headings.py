"""Headings of a PDF, which has none: clause numbers, captions, larger letters, lines in capitals.

A missed heading costs a section path; a wrong one misleads. So each rule wants a short line that does not
end like a sentence, and a title that stood on one of the two pages before is taken for a running head.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from knowledge.readers.pdf.page_layout import PageLayout, PlacedLine, split_lines
from knowledge.readers.text_cleaning import one_line
from knowledge.readers.types import Heading

_MAX_HEADING_LENGTH = 120
_MAX_CLAUSE_TITLE_LENGTH = 80
_CAPTION_LEVEL = 6
_FULL_PAGE_LINES = 12
_OPENING_MARKS = "“\"'(«"
# Larger than the body by this much, and the level that goes with it.
_SIZE_LEVELS = ((1.7, 1), (1.4, 2), (1.18, 3))

_NUMBERED_HEADING = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s{1,8}(?=[^\W\d_])(.{2,100})")
_NAMED_HEADING = re.compile(
    r"((?i:Chapter|Part|Annex|Appendix|Schedule|Section|Article|Clause|Table|Figure))\s{1,4}"
    r"[A-Z0-9][A-Z0-9.\-]{0,9}(?:\s{0,4}[:.–—-]\s{0,4}|\s{1,8}(?=[A-Z(])|$)(.{0,100})"
)
_LEVELS_BY_NAME = {
    **dict.fromkeys(("chapter", "part", "annex", "appendix", "schedule", "article"), 1),
    **dict.fromkeys(("section", "clause"), 2),
    **dict.fromkeys(("table", "figure"), _CAPTION_LEVEL),
}
_RUN_IN_HEADING = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,5}\.?\s{1,8}[^\W\d_][^.]{1,50})\.(?:\s|$)")
# A line of a table of contents: dots that lead to a page number.
_LEADER_DOTS = re.compile(r"(?:\.\s?){4}")


class _HeadingCandidate(NamedTuple):
    """A line that may be a heading. `size` is relative to the body's; an edge is a page's first or last."""

    text: str
    size: float
    is_bold: bool
    is_edge: bool


class HeadingFinder:
    """Finds the headings page by page; what it knows of the body's letters grows with the pages."""

    def __init__(self) -> None:
        self._sizes: Counter[int] = Counter()
        # Left and right pages have running heads of their own, so two pages are remembered.
        self._recent: deque[frozenset[str]] = deque([frozenset(), frozenset()], maxlen=2)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HeadingFinder:
        """One that knows what another knew when it gave this `state`."""
        finder = cls()
        finder._sizes.update({int(size): int(count) for size, count in state["sizes"]})
        finder._recent.extend(frozenset(map(str, titles)) for titles in state["recent"])
        return finder

    def state(self) -> dict[str, Any]:
        """As JSON. In the order of counting, which decides between sizes that are equally frequent."""
        return {"sizes": list(map(list, self._sizes.items())), "recent": [sorted(titles) for titles in self._recent]}

    def find(self, page: PageLayout, *, number: int, is_bold: Callable[[int], bool]) -> tuple[Heading, ...]:
        """`is_bold` says whether the character with PDFium's index is set in bold."""
        lines = [line for line in split_lines(page) if line.words]
        found = list(_find_headings(page, lines, body=self._body_size(lines), number=number, is_bold=is_bold))
        known = frozenset().union(*self._recent)
        self._recent.append(frozenset(_without_digits(heading.title) for heading in found))
        return tuple(heading for heading in found if _without_digits(heading.title) not in known)

    def _body_size(self, lines: list[PlacedLine]) -> int:
        """The usual size so far, or that of this page where a full page is set in larger letters."""
        here: Counter[int] = Counter()
        for line in lines:
            here[round(_line_size(line))] += line.end - line.start
        self._sizes += here
        usual = self._sizes.most_common(1)[0][0] if self._sizes else 0
        return max(usual, here.most_common(1)[0][0]) if len(lines) >= _FULL_PAGE_LINES else usual


def _line_size(line: PlacedLine) -> float:
    """The height of most of its letters: one tall bracket does not make a line large."""
    return sorted(word.size for word in line.words)[len(line.words) // 2]


def _find_headings(
    page: PageLayout, lines: list[PlacedLine], *, body: int, number: int, is_bold: Callable[[int], bool]
) -> Iterator[Heading]:
    texts = [one_line(page.text[line.start : line.end]) for line in lines]
    # Where capitals are common (forms, transcripts), they do not make a heading.
    capitals = sum(map(_is_uppercase, texts)) * 4 <= len(texts)
    for position, (line, text) in enumerate(zip(lines, texts, strict=True)):
        # `10.6 Waivers. This agreement may` is headed `10.6 Waivers`, as contracts do.
        run_in = _RUN_IN_HEADING.match(text)
        title = run_in[1] if run_in else text
        if not _can_be_heading(title):
            continue
        first, last = line.words[0], line.words[-1]
        candidate = _HeadingCandidate(
            text=title,
            size=_line_size(line) / body if body else 1.0,
            is_bold=is_bold(first.character) and is_bold(last.character),
            is_edge=position in (0, len(lines) - 1),
        )
        if level := _heading_level(candidate, capitals=capitals):
            yield Heading(page=number, start=first.start, level=level, title=title)


def _can_be_heading(title: str) -> bool:
    """Short, without leader dots, not broken off, and made of letters rather than formulas or figures."""
    letters = sum(map(str.isalpha, title))
    return (
        3 <= len(title) <= _MAX_HEADING_LENGTH
        and letters >= 3
        and 2 * letters >= len(title) - title.count(" ")
        and (title[0].isalnum() or title[0] in _OPENING_MARKS)
        and title[-1] not in ",;"
        and not _LEADER_DOTS.search(title)
        and " | " not in title
    )


def _heading_level(line: _HeadingCandidate, *, capitals: bool) -> int | None:
    words = line.text.split()
    has_page_number = words[0].isdigit() or words[-1].isdigit()
    is_running_head = line.is_edge and has_page_number and line.size < _SIZE_LEVELS[-1][0]
    if is_running_head:
        return None
    if level := _level_by_number(line) or _level_by_name(line):
        return level
    if line.text.endswith(".") or line.text[0].isdigit():
        return None
    if level := next((level for factor, level in _SIZE_LEVELS if line.size >= factor), None):
        return level
    return 2 if capitals and _is_uppercase(line.text) else None


def _level_by_number(line: _HeadingCandidate) -> int | None:
    match = _NUMBERED_HEADING.fullmatch(line.text)
    if match is None or not match[2][0].isupper() or len(match[2]) > _MAX_CLAUSE_TITLE_LENGTH:
        return None
    depth = match[1].count(".")
    # "12 spoons" is a list or a measure; a lone number needs larger or bolder letters to be a heading.
    if depth == 0 and not (line.is_bold or line.size >= _SIZE_LEVELS[-1][0]):
        return None
    return None if match[2].endswith(".") else min(depth + 1, 5)


def _level_by_name(line: _HeadingCandidate) -> int | None:
    match = _NAMED_HEADING.fullmatch(line.text)
    if match is None or match[2].endswith(".") or not line.text[0].isupper():
        return None
    return _LEVELS_BY_NAME[match[1].lower()]


def _is_uppercase(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return letters >= 5 and text.isupper() and len(text) <= 80 and 10 * letters >= 6 * len(text)


def _without_digits(title: str) -> str:
    return "".join(character for character in title if not character.isdigit())
