"""The order in which a person reads what stands on a page: rows from top to bottom, and columns of text one after
another. Rows of a table stay rows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median
from typing import NamedTuple

from knowledge.readers.ocr.recognised_page import Box

_MIN_COLUMN_LINES = 4
# The share of lines that may run over the gap between two columns: titles, pictures.
_MAX_CROSSING_SHARE = 0.25
# Lines of a column fill it; cells of a table do not.
_MIN_FILL = 0.6
_MIN_COLUMN_CHARACTERS = 12
_MAX_DEPTH = 6
_STEPS = 200


class PlacedItem(NamedTuple):
    """A piece of a line: its place when the page is level, how many characters it has, and which line it is."""

    box: Box
    characters: int
    line: int


Row = list[PlacedItem]


def reading_rows(items: Sequence[PlacedItem], *, depth: int = 0) -> list[Row]:
    """The rows of the page in reading order, each from left to right."""
    gap = _column_gap(items) if depth < _MAX_DEPTH else None
    if gap is None:
        return _rows(items)
    rows: list[Row] = []
    left: Row = []
    right: Row = []
    for item in sorted(items, key=lambda one: one.box[1]):
        if item.box[0] < gap < item.box[2]:
            # What runs over both columns ends them.
            rows += _columns(left, right, depth)
            left, right = [], []
            rows.append([item])
        else:
            (left if item.box[2] <= gap else right).append(item)
    return rows + _columns(left, right, depth)


def _columns(left: Sequence[PlacedItem], right: Sequence[PlacedItem], depth: int) -> list[Row]:
    return [*reading_rows(left, depth=depth + 1), *reading_rows(right, depth=depth + 1)]


def _column_gap(items: Sequence[PlacedItem]) -> float | None:
    """Where the page is cut into two columns of text; None where it is not."""
    if len(items) < 2 * _MIN_COLUMN_LINES:
        return None
    start, end = min(item.box[0] for item in items), max(item.box[2] for item in items)
    places = [start + (end - start) * step / _STEPS for step in range(_STEPS // 5, _STEPS * 4 // 5)]
    crossing = {x: sum(item.box[0] < x < item.box[2] for item in items) for x in places}
    fewest = min(crossing.values())
    if fewest > _MAX_CROSSING_SHARE * len(items):
        return None
    best = [x for x in places if crossing[x] == fewest]
    gap = best[len(best) // 2]
    left = [item for item in items if item.box[2] <= gap]
    right = [item for item in items if item.box[0] >= gap]
    return gap if _is_text(left, start, gap) and _is_text(right, gap, end) else None


def _is_text(items: Sequence[PlacedItem], start: float, end: float) -> bool:
    """Whether these are lines of running text, which fill their column."""
    if len(items) < _MIN_COLUMN_LINES:
        return False
    width = max(item.box[2] for item in items) - min(item.box[0] for item in items)
    fill = median(item.box[2] - item.box[0] for item in items) / max(width, 1.0)
    is_wide = width >= (end - start) / 3
    return fill >= _MIN_FILL and is_wide and mean(item.characters for item in items) >= _MIN_COLUMN_CHARACTERS


def _rows(items: Sequence[PlacedItem]) -> list[Row]:
    """What stands beside one another, joined, from top to bottom."""
    rows: list[Row] = []
    for item in sorted(items, key=lambda one: (one.box[1] + one.box[3]) / 2):
        if rows and _is_beside(rows[-1], item):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda one: one.box[0]) for row in rows]


def _is_beside(row: Row, item: PlacedItem) -> bool:
    top, bottom = mean(one.box[1] for one in row), mean(one.box[3] for one in row)
    shared = min(bottom, item.box[3]) - max(top, item.box[1])
    return 2 * shared >= min(bottom - top, item.box[3] - item.box[1])
