"""Two texts side by side, line by line, with the words that differ marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

# Comparing takes time that grows with the square of these: of what is longer only this much is compared.
MAX_LINES = 400
MAX_LINE_LENGTH = 4_000
MAX_WORDS = 300
# So many lines that are the same stand around each difference.
CONTEXT_LINES = 2
_WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, kw_only=True)
class LineSegment:
    """A stretch of a line; `is_different` where the other side does not have it."""

    text: str
    is_different: bool


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of both sides. A side that has no such line is empty. `skipped` lines that are the same are left out
    in its place."""

    kind: Literal["same", "changed", "gone", "new", "skipped"]
    then: tuple[LineSegment, ...] = ()
    now: tuple[LineSegment, ...] = ()
    skipped: int = 0


def compare_texts(then: str, now: str) -> list[Row]:
    """The differences with a few lines around them, in reading order. Empty: there are none in what is compared."""
    old, new = _compared_lines(then), _compared_lines(now)
    rows: list[Row] = []
    operations = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for place, (kind, old_from, old_to, new_from, new_to) in enumerate(operations):
        if kind == "equal":
            rows += _same(old[old_from:old_to], is_first=place == 0, is_last=place == len(operations) - 1)
        else:
            rows += _different(old[old_from:old_to], new[new_from:new_to])
    return rows if any(row.kind != "skipped" for row in rows) else []


def _compared_lines(text: str) -> list[str]:
    return [line[:MAX_LINE_LENGTH] for line in text.splitlines()[:MAX_LINES]]


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[Row]:
    head = 0 if is_first else CONTEXT_LINES
    tail = 0 if is_last else CONTEXT_LINES
    skipped = max(0, len(lines) - head - tail)
    if skipped < 2 and not (is_first and is_last):
        skipped = 0
    shown = lines[:head] if skipped else lines
    yield from (_same_row(line) for line in shown)
    if skipped:
        yield Row(kind="skipped", skipped=skipped)
        yield from (_same_row(line) for line in lines[len(lines) - tail :])


def _same_row(line: str) -> Row:
    both = (LineSegment(text=line, is_different=False),)
    return Row(kind="same", then=both, now=both)


def _different(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    for then, now in zip_longest(old, new):
        if then is None:
            yield Row(kind="new", now=(LineSegment(text=now, is_different=True),))
        elif now is None:
            yield Row(kind="gone", then=(LineSegment(text=then, is_different=True),))
        else:
            before, after = _different_words(then, now)
            yield Row(kind="changed", then=before, now=after)


def _different_words(then: str, now: str) -> tuple[tuple[LineSegment, ...], tuple[LineSegment, ...]]:
    old, new = _WORDS.findall(then), _WORDS.findall(now)
    if len(old) > MAX_WORDS or len(new) > MAX_WORDS:
        return (LineSegment(text=then, is_different=True),), (LineSegment(text=now, is_different=True),)
    before: list[LineSegment] = []
    after: list[LineSegment] = []
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for words, side in ((old[old_from:old_to], before), (new[new_from:new_to], after)):
            if words:
                side.append(LineSegment(text="".join(words), is_different=kind != "equal"))
    return tuple(before), tuple(after)
