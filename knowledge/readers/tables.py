"""Writes a table as text: one line per row, each cell with the name of its column if there is one.

A row such as `Exposure: severe | Cover: 45 mm` still means the same when it is found alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

CELL_SEPARATOR = " | "
MAX_LABEL_LENGTH = 60
# How many rows below a header are asked whether they differ from it.
_ROWS_WEIGHED = 8
# 2024, 2024/25, 2024-05, 2024-05-01: what begins with a digit and still names a column.
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?:[/–-][0-9]{2,4}){0,2}")

_SEPARATOR_ROW = re.compile(r"[|:\s-]{3,500}$")

RowTexts = Sequence[str]


class LabelledCell(NamedTuple):
    """A non-empty cell of a row: the label to print before it (may be empty) and its column."""

    label: str
    column: int


def is_separator_row(text: str) -> bool:
    """The line under the headers of a Markdown table."""
    return "-" in text and _SEPARATOR_ROW.match(text) is not None


def row_lines(rows: Sequence[RowTexts]) -> list[str]:
    """The lines of a table, top to bottom; rows without any text are left out."""
    layout = zip(rows, layout_rows(rows), strict=True)
    return [_line(texts, cells) for texts, cells in layout if cells]


def row_line(row: RowTexts, labels: Sequence[str]) -> str:
    """One row with its cells named by the labels of their columns; empty where no cell has text."""
    return _line(row, _layout_row(row, labels))


def _line(row: RowTexts, cells: Sequence[LabelledCell]) -> str:
    return CELL_SEPARATOR.join(f"{label}: {row[column]}" if label else row[column] for label, column in cells)


def layout_rows(rows: Sequence[RowTexts]) -> list[list[LabelledCell]]:
    """For every row its non-empty cells with their labels. Header rows come first and have no labels."""
    labels, header_rows = header_labels(rows)
    return [_layout_row(row, labels if i >= header_rows else []) for i, row in enumerate(rows)]


def layout_body(rows: Sequence[RowTexts], labels: Sequence[str]) -> list[list[LabelledCell]]:
    """For every row its non-empty cells with the labels of a header that stands elsewhere."""
    return [_layout_row(row, labels) for row in rows]


def _layout_row(row: RowTexts, labels: Sequence[str]) -> list[LabelledCell]:
    filled = [column for column, text in enumerate(row) if text]
    # A row with one cell is a title across the table, which belongs to no column.
    named = len(filled) > 1
    return [LabelledCell(labels[column] if named and column < len(labels) else "", column) for column in filled]


def header_labels(rows: Sequence[RowTexts]) -> tuple[list[str], int]:
    """The labels of the columns and how many rows they take up: `([], 0)` where there is no header."""
    if len(rows) < 2:
        return [], 0
    if len(rows) > 2 and (labels := group_labels(rows[0], rows[1])):
        return labels, 2
    if is_header(rows[0], rows[1:]):
        return list(map(cut_label, rows[0])), 1
    return [], 0


def cut_label(text: str) -> str:
    """A label that is short enough to stand before each cell of its column."""
    return text if len(text) <= MAX_LABEL_LENGTH else f"{text[: MAX_LABEL_LENGTH - 1].rstrip()}…"


def is_header(row: RowTexts, below: Sequence[RowTexts]) -> bool:
    """Whether a row can name the columns of the rows below it: words, or years and the like above other figures."""
    filled = [(column, text) for column, text in enumerate(row) if text]
    if len(filled) < 2 or 2 * len(filled) < len(row):
        return False
    if 2 * sum(len(text) > MAX_LABEL_LENGTH for _, text in filled) >= len(filled):
        return False
    if all(_is_name(text) for _, text in filled):
        return True
    is_distinct = len({text for _, text in filled}) == len(filled)
    starts_with_name = not row[0] or _is_name(row[0])
    return (
        is_distinct
        and starts_with_name
        and all(_is_name(text) or _names_figures(text, column_texts(below, column)) for column, text in filled)
    )


def column_texts(rows: Sequence[RowTexts], column: int) -> list[str]:
    """What stands in a column of the first few rows, without its empty cells."""
    return [row[column] for row in rows[:_ROWS_WEIGHED] if column < len(row) and row[column]]


def _is_name(text: str) -> bool:
    return any(map(str.isalpha, text)) and not text[0].isdigit()


def _names_figures(text: str, below: Sequence[str]) -> bool:
    """Whether a head that begins with a digit differs from what it stands above: a year from figures that are no
    years, `28 days` from figures without a word."""
    if _YEAR.fullmatch(text):
        return bool(below) and not any(map(_YEAR.fullmatch, below))
    return any(map(str.isalpha, text)) and bool(below) and not any(map(str.isalpha, "".join(below)))


def group_labels(first: RowTexts, second: RowTexts, spans: Mapping[int, int] | None = None) -> list[str]:
    """The labels of a header of two rows, the first of which names groups of columns; empty where it is none.

    `spans`: the last column of each cell of the first row that is known to be wide, by its first column. Where that is
    not known, the gaps of the first row count as wide cells if the second row leaves no doubt.
    """
    width = max(len(first), len(second))
    upper, lower = pad_row(first, width), pad_row(second, width)
    wide = _gaps(upper) if spans is None else dict(spans)
    if not wide or not all(_is_name(text) or _YEAR.fullmatch(text) for text in (*upper, *lower) if text):
        return []
    if not _are_groups(upper, lower, wide) or (spans is None and not _fill_groups(lower, wide)):
        return []
    groups = {column: upper[start] for start, end in wide.items() for column in range(start, min(end + 1, width))}
    return [_group_label(groups.get(column, ""), upper[column], lower[column]) for column in range(width)]


def _group_label(group: str, upper: str, lower: str) -> str:
    label = f"{group} {lower}".strip() if lower and lower != upper else group or upper
    return cut_label(label)


def pad_row(row: RowTexts, width: int) -> list[str]:
    """The cells, and empty ones up to this width."""
    return [*row, *[""] * (width - len(row))]


def _gaps(row: RowTexts) -> dict[int, int]:
    """The last column of each filled cell that has empty ones to its right, by its own column."""
    filled = [column for column, text in enumerate(row) if text]
    ends = [column - 1 for column in (*filled[1:], len(row))]
    return {start: end for start, end in zip(filled, ends, strict=False) if end > start}


def _are_groups(upper: RowTexts, lower: RowTexts, wide: Mapping[int, int]) -> bool:
    """Whether the second row names columns of groups and nothing else, or the same columns in each group."""
    named = [tuple(lower[start : end + 1]) for start, end in wide.items()]
    narrow = [column for column, text in enumerate(upper) if text and column not in wide]
    if not any(map(any, named)) or any(lower[column] not in ("", upper[column]) for column in narrow):
        return False
    return bool(narrow) or (len(named) > 1 and len(set(named)) == 1 and len(set(named[0])) == len(named[0]))


def _fill_groups(lower: RowTexts, wide: Mapping[int, int]) -> bool:
    return all(all(lower[start : end + 1]) for start, end in wide.items())
