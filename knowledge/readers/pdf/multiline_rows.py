"""Groups the lines of a table into rows, because a cell may have several lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from knowledge.readers.pdf.page_layout import PlacedWord
from knowledge.readers.pdf.word_lines import WordLine, word_box

# The words of one line, by column.
LineCells = Sequence[Sequence[PlacedWord]]

# Lines of one cell are nearer to each other than rows, at most so much of that.
WRAPPED_LEADING = 0.85
# A name that goes on is set in by so many heights of its letters.
_INDENT = 0.4


def merge_rows(cells: Sequence[LineCells], lines: Sequence[WordLine]) -> list[list[list[PlacedWord]]]:
    """The words of each row, by column, from those of each line."""
    return [merge_lines([cells[at] for at in row]) for row in group_rows(cells, lines)]


def merge_lines(lines: Sequence[LineCells]) -> list[list[PlacedWord]]:
    """The lines of one row as one."""
    return [[word for line in lines for word in line[at]] for at in range(len(lines[0]))]


def group_rows(cells: Sequence[LineCells], lines: Sequence[WordLine]) -> list[list[int]]:
    """The lines of each row, by their places: a row begins with a name and a cell beside it. `cells` has all words of
    each line.

    Above the first name, rows begin with whatever column comes first there.
    """
    tops = [line.top for line in lines]
    first = next((at for at, of_line in enumerate(cells) if _begins(of_line, 0)), len(cells))
    above = _group(cells, tops, range(first), _first_filled(cells[:first]))
    return [*above, *_group(cells, tops, range(first, len(cells)), 0)]


def are_rows(lines: Sequence[LineCells]) -> bool:
    """Whether each line of a ruled row is a row of its own: most have something in every column that is used."""
    used = [column for column in range(len(lines[0])) if any(cells[column] for cells in lines)]
    full = sum(all(cells[column] for column in used) for cells in lines)
    return len(lines) > 2 and len(used) > 1 and full >= 0.6 * len(lines)


def _group(lines: Sequence[LineCells], tops: Sequence[float], places: Sequence[int], anchor: int) -> list[list[int]]:
    begun = [tops[at] for at in places if _begins(lines[at], anchor)]
    step = min([lower - upper for upper, lower in pairwise(begun)], default=0.0)
    rows: list[list[int]] = []
    for at in places:
        is_near = bool(rows) and tops[at] - tops[rows[-1][-1]] < WRAPPED_LEADING * step
        if rows and _goes_on(lines, rows[-1], at, anchor=anchor, is_near=is_near):
            rows[-1].append(at)
        else:
            rows.append([at])
    return rows


def _goes_on(lines: Sequence[LineCells], row: Sequence[int], at: int, *, anchor: int, is_near: bool) -> bool:
    cells = lines[at]
    if not cells[anchor]:
        return True
    if _begins(cells, anchor):
        return is_near and not all(cells)
    name = next((lines[above][anchor] for above in row if lines[above][anchor]), None)
    return is_near or (name is not None and _is_set_in(cells[anchor][0], name[0]))


def _begins(cells: LineCells, anchor: int) -> bool:
    """Whether the line begins a row: it has a name and another cell."""
    return bool(cells[anchor]) and sum(map(bool, cells)) > 1


def _first_filled(lines: Sequence[LineCells]) -> int:
    return min((at for cells in lines for at, cell in enumerate(cells) if cell), default=0)


def _is_set_in(word: PlacedWord, name: PlacedWord) -> bool:
    return word_box(word)[0] - word_box(name)[0] > _INDENT * name.size
