"""Words by the lines that they stand on, whatever their order in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedWord
from knowledge.readers.pdf.table_head import Columns
from knowledge.readers.tables import CELL_SEPARATOR

# In heights of letters: the least white between columns.
MIN_GAP = 0.7
_MIN_GAPS_OF_PAGE = 4
_LEADER_DOTS = "...."
LEADER = re.compile(r"\.{4,}")


@dataclass(frozen=True)
class WordLine:
    """Words side by side, from left to right."""

    words: Sequence[PlacedWord]
    top: float
    bottom: float

    @cached_property
    def middles(self) -> list[float]:
        """Of its words, from the left."""
        return [(word_box(word)[0] + word_box(word)[2]) / 2 for word in self.words]

    @cached_property
    def stretches(self) -> Columns:
        """From where to where its words stand without a gap."""
        boxes = [word_box(word) for word in self.words]
        return join_stretches([(box[0], box[2]) for box in boxes], [MIN_GAP * word.size for word in self.words])

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @cached_property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def free_words(page: PageLayout) -> list[PlacedWord]:
    """The words that are in no table yet, without the dots that lead from cell to cell: these are white."""
    if CELL_SEPARATOR not in page.text and _LEADER_DOTS not in page.text:  # most pages
        return [word for word in page.words if word.box]
    return [
        word
        for line in page.lines
        if CELL_SEPARATOR not in page.text[line.start : line.end]
        for word in line.words
        if word.box and not LEADER.fullmatch(page.text, word.start, word.end)
    ]


def free_lines(page: PageLayout) -> list[WordLine]:
    """The lines of the words that are in no table yet; none where hardly a word stands apart from the one before, which
    most pages of prose are done with."""
    words = free_words(page)
    return word_lines(words) if _has_gaps(words) else []


def _has_gaps(words: Sequence[PlacedWord]) -> bool:
    gaps = 0
    for (_, _, box, size, _), (_, _, next_box, _, _) in pairwise(words):
        assert box is not None
        assert next_box is not None
        if next_box[0] - box[2] >= MIN_GAP * size and box[1] < next_box[3]:
            gaps += 1
            if gaps == _MIN_GAPS_OF_PAGE:
                return True
    return False


def word_lines(words: Sequence[PlacedWord]) -> list[WordLine]:
    """The words by the height at which they stand, from the top."""
    groups: list[list[PlacedWord]] = []
    last = float("-inf")
    sums = [word_box(word)[1] + word_box(word)[3] for word in words]
    for at in sorted(range(len(words)), key=sums.__getitem__):
        word, middle = words[at], sums[at] / 2
        if middle - last > word.size / 2:
            groups.append([])
            last = middle
        groups[-1].append(word)
    found = []
    for group in groups:
        group.sort(key=_left)
        boxes = [word_box(word) for word in group]
        found.append(WordLine(group, min([box[1] for box in boxes]), max([box[3] for box in boxes])))
    return found


def word_box(word: PlacedWord) -> PageBox:
    assert word.box is not None
    return word.box


def join_stretches(stretches: Iterable[tuple[float, float]], gaps: Iterable[float]) -> list[tuple[float, float]]:
    """From where to where they reach, from the left: one that begins nearer than its gap goes on with those before."""
    found: list[tuple[float, float]] = []
    end = float("-inf")
    for stretch, gap in zip(stretches, gaps, strict=False):
        left, right = stretch
        if left - end >= gap:
            found.append(stretch)
            end = right
        elif right > end:
            found[-1] = found[-1][0], right
            end = right
    return found


def _left(word: PlacedWord) -> float:
    return word_box(word)[0]
