"""Lines whose words stand in columns: they share strips of white from top to bottom."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

from knowledge.readers.pdf.table_head import Columns
from knowledge.readers.pdf.word_lines import MIN_GAP, WordLine, join_stretches, word_box

# In heights of letters: the most white between the lines of one table, and between its head and its first row.
MAX_LEADING = 3.0
_MAX_COLUMNS, _MAX_ROWS, _MIN_ROWS = 20, 300, 2


@dataclass(frozen=True)
class Block:
    """Lines whose words stand in these columns."""

    lines: Sequence[WordLine]
    columns: Columns


class BlockFinder:
    """Finds the blocks that begin at the lines of a page, best asked from the top. Where one has the columns of the
    block before it, at the same line, it goes on as that does: so a page is not read once for each of its lines."""

    def __init__(self, lines: Sequence[WordLine]) -> None:
        self._lines = lines
        # Of the block that was found last: its lines, and its columns down to each of them.
        self._start = self._end = 0
        self._columns: list[Columns] = [()] * len(lines)

    def find(self, start: int, *, least: int) -> Block | None:
        """The lines from `start` on that share white strips, if these part as many columns as `least` or more."""
        end, columns = self._find_end(start)
        taken = list(self._lines[start:end])
        while taken and len(taken[-1].stretches) == 1 and is_name(taken[-1], columns):
            taken.pop()  # the heading of what follows
        is_table = len(taken) >= _MIN_ROWS and least <= len(columns) <= _MAX_COLUMNS
        return Block(taken, columns) if is_table else None

    def _find_end(self, start: int) -> tuple[int, Columns]:
        """The line after the last, and the columns."""
        limit = min(len(self._lines), start + _MAX_ROWS)
        columns, at = self._lines[start].stretches, start + 1
        # What ended because it was long enough might have gone on.
        known = self._end if self._start <= start and self._end < self._start + _MAX_ROWS else 0
        known_columns = self._columns[known - 1]
        self._columns[start] = columns
        while at < limit:
            joined = self._widened_by(columns, at)
            if joined is None:
                break
            columns = joined
            if at < known and columns == self._columns[at]:
                at, columns = known, known_columns
                break
            self._columns[at] = columns
            at += 1
        self._start, self._end = start, at
        return at, columns

    def _widened_by(self, columns: Columns, at: int) -> Columns | None:
        """The columns, as wide as they are with the line; None where it is too far from the one above, or hides what is
        between them."""
        above, line = self._lines[at - 1], self._lines[at]
        if line.middle - above.middle > MAX_LEADING * max(line.height, above.height):
            return None
        joined = _widened(columns, line)
        return None if len(joined) < len(columns) else joined


def is_name(line: WordLine, columns: Columns) -> bool:
    """Whether it begins in the first column."""
    return len(columns) < 2 or word_box(line.words[0])[0] < columns[1][0]


def _widened(columns: Columns, line: WordLine) -> Columns:
    gap = MIN_GAP * line.words[0].size
    # Most lines of a table stand inside, and change nothing.
    if gap > 0 and _are_inside(line.stretches, columns) and _are_apart(columns, gap):
        return columns
    return join_stretches(sorted([*columns, *line.stretches]), repeat(gap))


def _are_inside(stretches: Columns, columns: Columns) -> bool:
    lefts = [left for left, _ in columns]
    if stretches[0][0] < lefts[0]:
        return False
    return all(right <= columns[bisect_right(lefts, left) - 1][1] for left, right in stretches)


def _are_apart(columns: Columns, gap: float) -> bool:
    return all(right[0] - left[1] >= gap for left, right in pairwise(columns))
