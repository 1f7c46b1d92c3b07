"""Questions with answers line by line: "Q: Who can join?" over "A: Anyone." A question is the heading of its answer,
which often repeats none of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from knowledge.readers.types import Heading

# "Q:", "Q1.", "Frage 3:", in bold letters of Markdown or not.
_LABEL = r"(?P<label>[^\W\d_]{1,10})[ ]?\d{0,3}[.:)]"
_MARKS = r"[*_]{0,3}"
_QUESTION = re.compile(rf"{_MARKS}{_LABEL}{_MARKS}\s{{1,4}}{_MARKS}(?P<title>\S[^\n]{{2,200}}[?？]){_MARKS}")
_ANSWER = re.compile(rf"{_MARKS}{_LABEL}{_MARKS}\s{{1,4}}\S")
_BOLD_QUESTION = re.compile(r"(?P<marks>\*\*|__)(?P<title>[^*_\n]{2,200}[?？])(?P=marks):?")
# One pair of lines may look so by chance.
_MIN_PAIRS = 2
# Below all headings that a document has.
_LEVEL = 6


def question_headings(text: str, *, page: int) -> list[Heading]:
    """A heading for each question of the page that stands over its answer: in bold letters of Markdown, or with a label
    where its answer has another, again and again."""
    lines = list(_placed_lines(text))
    pairs = [(at, found, _answer_label(below)) for (at, line), (_, below) in pairwise(lines) if (found := _asks(line))]
    labels = Counter((found["label"].casefold(), answer) for _, found, answer in pairs if "label" in found and answer)
    return [
        Heading(page=page, start=at, level=_LEVEL, title=found["title"].strip())
        for at, found, answer in pairs
        if "label" not in found or labels[found["label"].casefold(), answer] >= _MIN_PAIRS
    ]


def _placed_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with words, and where it starts."""
    at = 0
    for line in text.splitlines(keepends=True):
        if bare := line.strip():
            yield at + line.find(bare), bare
        at += len(line)


def _asks(line: str) -> dict[str, str]:
    found = _QUESTION.fullmatch(line) or _BOLD_QUESTION.fullmatch(line)
    return found.groupdict() if found else {}


def _answer_label(line: str) -> str:
    """The label of a line that answers; empty where it has none, or asks itself."""
    found = None if _QUESTION.fullmatch(line) else _ANSWER.match(line)
    return found["label"].casefold() if found else ""


def with_question_headings(text: str, headings: Sequence[Heading], *, page: int) -> list[Heading]:
    """The headings of a page with those of its questions, in order; a line that is a heading already stays one."""
    asked = question_headings(text, page=page) if "?" in text or "？" in text else []
    taken = {_line_start(text, heading.start) for heading in headings}
    return sorted([*headings, *(one for one in asked if _line_start(text, one.start) not in taken)], key=_start)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _start(heading: Heading) -> int:
    return heading.start
