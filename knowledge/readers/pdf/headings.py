"""Headings of a PDF, which has none: clause numbers, captions, larger or bolder letters, lines in capitals, and
titles that stand alone between two paragraphs.

A missed heading costs a section path; a wrong one misleads. So each rule wants a short line that does not end like a
sentence, and a title at the edge of a page that stood at the edge of one of the two pages before is a running head.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import filterfalse
from statistics import median
from typing import Any, NamedTuple

from knowledge.readers.pdf.letter_styles import LetterStyle
from knowledge.readers.pdf.page_layout import PageLayout, PlacedLine
from knowledge.readers.text_cleaning import one_line
from knowledge.readers.types import CAPTION_LEVEL, Heading

_MAX_HEADING_LENGTH = 120
_MAX_CLAUSE_TITLE_LENGTH = 80
_FULL_PAGE_LINES = 12
_TOP_LINES = 2
_BOLD_LEVEL, _PLAIN_LEVEL = 4, 5
_MAX_PLAIN_WORDS = 10
_MIN_PARAGRAPH_CHARACTERS = 40
# In heights of a letter: wider than between words, and than between the lines of a paragraph.
_COLUMN_GAP, _PARAGRAPH_GAP = 1.5, 0.3
_SENTENCE_ENDS = tuple(".!?:;)”")
_OPENING_MARKS = "“\"'(«"
# Larger than the body by this much, and the level that goes with it.
_SIZE_LEVELS = ((1.7, 1), (1.4, 2), (1.18, 3))

_NUMBERED_HEADING = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s{1,8}(?=[^\W\d_])(.{2,100})")
_NAMED_HEADING = re.compile(
    r"((?ai:Chapter|Part|Annex|Appendix|Schedule|Section|Article|Clause|Table))\s{1,4}"
    r"[A-Z0-9][A-Z0-9.\-]{0,9}[a-z]?(?:\s{0,4}[:.–—-]\s{0,4}|\s{1,8}(?=[A-Z(])|$)(.{0,100})"
)
_LEVELS_BY_NAME = {
    **dict.fromkeys(("chapter", "part", "annex", "appendix", "schedule", "article"), 1),
    **dict.fromkeys(("section", "clause"), 2),
    "table": CAPTION_LEVEL,
}
_RUN_IN_HEADING = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,5}\.?\s{1,8}[^\W\d_][^.]{1,50})\.(?:\s|$)")
# A line of a table of contents: dots that lead to a page number.
_LEADER_DOTS = re.compile(r"(?:\.\s?){4}")


StyleOfCharacter = Callable[[int], LetterStyle]


class _Line(NamedTuple):
    """A line with words. The gaps are to the line before and after, in points; infinite at the page's ends."""

    placed: PlacedLine
    text: str
    size: float
    is_bold: bool
    gap_before: float
    gap_after: float
    is_edge: bool
    follows_sentence: bool  # the line above ends one

    @property
    def has_columns(self) -> bool:
        """Whether words stand far apart: a row of a table, after a number that may stand before a title."""
        gap = _COLUMN_GAP * self.size
        boxes = [word.box for word in self.placed.words if word.box]
        lefts, rights = [box[0] for box in boxes[2:]], [box[2] for box in boxes[1:]]
        return any(left - right > gap for left, right in zip(lefts, rights, strict=False))

    def is_aligned_with(self, below: _Line) -> bool:
        """Whether it begins where the line below begins, or has the same middle: labels of a drawing stand anywhere."""
        spans = [(line.words[0].box, line.words[-1].box) for line in (self.placed, below.placed)]
        edges = [(first[0], last[2]) for first, last in spans if first and last]
        if len(edges) < 2:
            return True
        (left, right), (left_below, right_below) = edges
        is_centred = abs(left + right - left_below - right_below) <= 2 * self.size
        return abs(left - left_below) <= self.size / 2 or is_centred


class HeadingFinder:
    """Finds the headings page by page; what it knows of the body's letters grows with the pages."""

    def __init__(self) -> None:
        # Characters by the size of their letters, in half points, and how many of them are bold.
        self._sizes: Counter[int] = Counter()
        self._bold = 0
        # Left and right pages have running heads of their own, so two pages are remembered.
        self._recent: deque[frozenset[str]] = deque([frozenset(), frozenset()], maxlen=2)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HeadingFinder:
        """One that knows what another knew when it gave this `state`."""
        finder = cls()
        finder._sizes.update({int(size): int(count) for size, count in state["sizes"]})
        finder._bold = int(state.get("bold", 0))
        finder._recent.extend(frozenset(map(str, titles)) for titles in state["recent"])
        return finder

    def state(self) -> dict[str, Any]:
        """As JSON. In the order of counting, which decides between sizes that are equally frequent."""
        sizes = list(map(list, self._sizes.items()))
        return {"sizes": sizes, "bold": self._bold, "recent": [sorted(titles) for titles in self._recent]}

    def find(self, page: PageLayout, *, number: int, style: StyleOfCharacter) -> tuple[Heading, ...]:
        """`style` tells how the character with PDFium's index is set."""
        lines = _measure_lines(page, style)
        body = self._body_style(lines)
        found = list(_find_headings(lines, body=body, number=number))
        known = frozenset().union(*self._recent)
        edges = {line.placed.words[0].start: _without_digits(line.text) for line in lines if line.is_edge}
        self._recent.append(frozenset(edges.values()))
        return tuple(heading for heading in found if edges.get(heading.start) not in known)

    def _body_style(self, lines: Sequence[_Line]) -> LetterStyle:
        """The usual style so far, or the size of this page where a full page is set in larger letters."""
        here: Counter[int] = Counter()
        for line in lines:
            here[round(2 * line.size)] += len(line.text)
            self._bold += len(line.text) * line.is_bold
        self._sizes += here
        usual = self._sizes.most_common(1)[0][0] if self._sizes else 0
        size = max(usual, here.most_common(1)[0][0]) if len(lines) >= _FULL_PAGE_LINES else usual
        return LetterStyle(size / 2, 2 * self._bold > self._sizes.total())


def _measure_lines(page: PageLayout, style: StyleOfCharacter) -> list[_Line]:
    placed = [line for line in page.lines if line.words]
    gaps = [float("inf"), *_gaps(placed), float("inf")]
    texts = [one_line(page.text[line.start : line.end]) for line in placed]
    lines = []
    for position, line in enumerate(placed):
        first, last = style(line.words[0].character), style(line.words[-1].character)
        lines.append(
            _Line(
                placed=line,
                text=texts[position],
                # The usual of its words: one tall bracket does not make a line large.
                size=min(first.size, last.size) or median(word.size for word in line.words),
                is_bold=first.is_bold and last.is_bold,
                gap_before=gaps[position],
                gap_after=gaps[position + 1],
                is_edge=position < _TOP_LINES or position == len(placed) - 1,
                follows_sentence=position == 0 or texts[position - 1][-1:] in _SENTENCE_ENDS,
            )
        )
    return lines


def _gaps(lines: Sequence[PlacedLine]) -> list[float]:
    """How much white there is between each line and the next; negative where that begins a new column."""
    boxes = [[word.box for word in line.words if word.box] for line in lines]
    tops = [min([box[1] for box in line], default=None) for line in boxes]
    bottoms = [max([box[3] for box in line], default=None) for line in boxes]
    pairs = zip(bottoms, tops[1:], strict=False)
    return [0.0 if bottom is None or top is None else top - bottom for bottom, top in pairs]


def _find_headings(lines: Sequence[_Line], *, body: LetterStyle, number: int) -> Iterator[Heading]:
    # Where capitals are common (forms, transcripts), they do not make a heading.
    capitals = sum(_is_uppercase(line.text) for line in lines) * 4 <= len(lines)
    # Most lines of some pages are paragraphs of their own; the closer ones show how far lines are apart.
    gaps = sorted(line.gap_before for line in lines[1:])
    pitch = gaps[len(gaps) // 4] if gaps else 0.0
    heading: Heading | None = None
    for above, line, below in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        # `10.6 Waivers. This agreement may` is headed `10.6 Waivers`, as contracts do.
        run_in = _RUN_IN_HEADING.match(line.text)
        title = run_in[1] if run_in else line.text
        measured = line._replace(text=title) if run_in else line
        level = _heading_level(measured, below, body, capitals=capitals, pitch=pitch)
        if heading and above and _goes_on(above, line, pitch):
            if level == heading.level:
                heading = replace(heading, title=f"{heading.title} {title}")
                continue
            if _is_set_off(line, body) and not _has_number_or_name(heading.title):
                heading = None  # a sentence in bold letters, or in capitals
        if heading and len(heading.title) <= _MAX_HEADING_LENGTH:
            yield heading
        start = line.placed.words[0].start
        heading = Heading(page=number, start=start, level=level, title=title.removesuffix(":")) if level else None
    if heading and len(heading.title) <= _MAX_HEADING_LENGTH:
        yield heading


def _is_set_off(line: _Line, body: LetterStyle) -> bool:
    """In larger or bolder letters than the body, or in capitals."""
    return line.size >= _SIZE_LEVELS[-1][0] * body.size or (line.is_bold and not body.is_bold) or line.text.isupper()


def _has_number_or_name(title: str) -> bool:
    return title[0].isdigit() or _NAMED_HEADING.fullmatch(title) is not None


def _goes_on(line: _Line, below: _Line, pitch: float) -> bool:
    """Whether a heading takes two lines: of the same large or bold letters, close together, and not numbered anew."""
    is_close = line.gap_after <= max(pitch, 0.0) + _PARAGRAPH_GAP * line.size
    is_same = (line.size, line.is_bold) == (below.size, below.is_bold)
    return is_close and is_same and not _has_number_or_name(below.text)


def _can_be_heading(title: str) -> bool:
    """Short, without leader dots, not broken off, and made of letters rather than formulas or figures."""
    return (
        3 <= len(title) <= _MAX_HEADING_LENGTH
        and (title[0].isalnum() or title[0] in _OPENING_MARKS)
        and title[-1] not in ",;"
        and " | " not in title
        and not _LEADER_DOTS.search(title)
        and _is_mostly_letters(title)
    )


def _is_mostly_letters(title: str) -> bool:
    letters = sum(map(str.isalpha, title))
    return letters >= 3 and 2 * letters >= len(title) - title.count(" ")


def _heading_level(line: _Line, below: _Line | None, body: LetterStyle, *, capitals: bool, pitch: float) -> int | None:
    if not _can_be_heading(line.text):
        return None
    words, size = line.text.split(), line.size / body.size if body.size else 1.0
    goes_on_small = below is not None and below.text[0].islower()
    is_large, is_bold = size >= _SIZE_LEVELS[-1][0], line.is_bold and not body.is_bold
    if line.is_edge and (words[0].isdigit() or words[-1].isdigit()) and not is_large:
        return None  # a running head with the number of the page
    if level := _level_by_number(line.text, is_set_off=is_bold or is_large) or _level_by_name(line.text):
        # The first line of a clause is no heading of it.
        return level if is_bold or is_large or not goes_on_small else None
    if line.text.endswith(".") or line.text[0].isdigit() or line.has_columns:
        return None
    if level := next((level for factor, level in _SIZE_LEVELS if size >= factor), None):
        return level
    if is_bold and (below is None or line.is_aligned_with(below)):
        return _BOLD_LEVEL
    is_apart = line.follows_sentence or line.gap_before >= pitch + _PARAGRAPH_GAP * line.size
    is_title = capitals and is_apart and _is_uppercase(line.text)
    return _PLAIN_LEVEL if is_title or _stands_alone(line, below, pitch) else None


def _stands_alone(line: _Line, below: _Line | None, pitch: float) -> bool:
    """A title above a paragraph or a list, with more white above it than between lines, and below it as well unless it
    ends with a colon. Titles one after another are a list, or an address."""
    gap = line.gap_before if line.text.endswith(":") else min(line.gap_before, line.gap_after)
    if below is None or gap < pitch + _PARAGRAPH_GAP * line.size or not line.is_aligned_with(below):
        return False
    is_followed = len(below.text) >= _MIN_PARAGRAPH_CHARACTERS or not below.text[0].isalpha()
    return is_followed and _is_title(line.text) and not _is_title(below.text)


def _is_title(text: str) -> bool:
    """A short question, or few words of which the long ones have a capital, with no value after a colon."""
    words = text[:-1].split() if text[-1] in ":?" else text.split()
    long_words = [word for word in words if len(word) > 3]
    is_capital = all(word[0].isupper() or not word[0].isalpha() for word in [*words[:1], *long_words])
    is_short = len(words) <= _MAX_PLAIN_WORDS and not any(word[-1] in ":.;,?!" for word in words)
    return is_short and bool(long_words) and (is_capital or (text[-1] == "?" and text[0].isupper()))


def _level_by_number(text: str, *, is_set_off: bool) -> int | None:
    match = _NUMBERED_HEADING.fullmatch(text)
    if match is None or not match[2][0].isupper() or len(match[2]) > _MAX_CLAUSE_TITLE_LENGTH:
        return None
    depth = match[1].count(".")
    # "12 spoons" is a list or a measure; a lone number needs larger or bolder letters to be a heading.
    if (depth == 0 and not is_set_off) or match[2].endswith("."):
        return None
    return min(depth + 1, 5)


def _level_by_name(text: str) -> int | None:
    match = _NAMED_HEADING.fullmatch(text)
    if match is None or match[2].endswith(".") or not text[0].isupper():
        return None
    return _LEVELS_BY_NAME[match[1].lower()]


def _is_uppercase(text: str) -> bool:
    if not text.isupper() or len(text) > 80:
        return False
    letters = sum(map(str.isalpha, text))
    return letters >= 5 and 10 * letters >= 6 * len(text)


def _without_digits(title: str) -> str:
    return "".join(filterfalse(str.isdigit, title))
