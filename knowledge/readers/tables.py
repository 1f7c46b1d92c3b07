"""How a table reads as text: one line a row, each cell named by its column's header where there is one.

A row that says `Exposure: severe | Cover: 45 mm` still means the same when it is found alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

CELL_SEPARATOR = " | "
MAX_LABEL_LENGTH = 60

RowTexts = Sequence[str]


class LabelledCell(NamedTuple):
    """A non-empty cell of a row: the label to print before it (may be empty) and its column."""

    label: str
    column: int


def row_lines(rows: Sequence[RowTexts]) -> list[str]:
    """The lines of a table, top to bottom; rows without any text are left out."""
    layout = zip(rows, layout_rows(rows), strict=True)
    return [
        CELL_SEPARATOR.join(f"{label}: {texts[column]}" if label else texts[column] for label, column in cells)
        for texts, cells in layout
        if cells
    ]


def layout_rows(rows: Sequence[RowTexts]) -> list[list[LabelledCell]]:
    """For every row its non-empty cells with their labels. Header rows come first and have no labels."""
    labels, header_rows = header_labels(rows)
    return [_layout_row(row, labels if i >= header_rows else []) for i, row in enumerate(rows)]


def _layout_row(row: RowTexts, labels: Sequence[str]) -> list[LabelledCell]:
    filled = [column for column, text in enumerate(row) if text]
    # A row with one cell is a title across the table, which belongs to no column.
    named = len(filled) > 1
    return [LabelledCell(labels[column] if named and column < len(labels) else "", column) for column in filled]


def header_labels(rows: Sequence[RowTexts]) -> tuple[list[str], int]:
    """The labels of the columns and how many rows they take up: `([], 0)` where there is no header."""
    if len(rows) < 2 or not _is_header(rows[0]):
        return [], 0
    if len(rows) > 2 and _continues_header(rows[0], rows[1]):
        return _merge_header_rows(rows[0], rows[1]), 2
    return list(rows[0]), 1


def _is_header(row: RowTexts) -> bool:
    filled = [text for text in row if text]
    return len(filled) >= 2 and 2 * len(filled) >= len(row) and all(map(_can_be_label, filled))


def _can_be_label(text: str) -> bool:
    return len(text) <= MAX_LABEL_LENGTH and any(map(str.isalpha, text)) and not text[0].isdigit()


def _continues_header(first: RowTexts, second: RowTexts) -> bool:
    """Whether the second row names the columns that a wide cell of the first row spans."""
    gaps = [column for column, text in enumerate(first) if not text and column > 0]
    filled = [text for text in second if text]
    return any(column < len(second) and second[column] for column in gaps) and all(map(_can_be_label, filled))


def _merge_header_rows(first: RowTexts, second: RowTexts) -> list[str]:
    labels, wide = [], ""
    for column, text in enumerate(first):
        below = second[column] if column < len(second) else ""
        wide = text or wide
        labels.append(f"{wide} {below}".strip() if below else text)
    return labels
