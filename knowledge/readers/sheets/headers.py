"""Finds the row of a sheet that names its columns. A sheet has no fixed layout: a row counts as header only if there is
evidence for it, because a figure under a wrong name is worse than one without a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from knowledge.readers.tables import column_texts, cut_label, group_labels, is_header

_NO_FIGURES = str.maketrans("", "", "0123456789.,+-−–()' ")


class SheetRow(NamedTuple):
    """A row with its number, its texts up to the last filled or merged cell, the last column of each cell that is
    merged with those to its right, and whether the row above it is hidden. `labels`: the names of its columns, where
    the workbook declares them. `above`: by column, the texts of cells that reach into it from rows above."""

    number: int
    texts: Sequence[str]
    spans: Mapping[int, int] = MappingProxyType({})
    follows_hidden: bool = False
    labels: Sequence[str] | None = None
    above: Mapping[int, str] = MappingProxyType({})

    def shown(self) -> Sequence[str]:
        """The texts as they look: with those from above. A row without any of its own stays empty."""
        if not self.above or not any(self.texts):
            return self.texts
        texts = [*self.texts, *[""] * (max(self.above) + 1 - len(self.texts))]
        return [self.above.get(column, text) for column, text in enumerate(texts)]

    def filled(self) -> list[int]:
        return [column for column, text in enumerate(self.texts) if text]


class Header(NamedTuple):
    """The labels of the columns, and how many of a table's first rows come before the rows that they name."""

    labels: list[str]
    rows: int


NO_HEADER = Header([], 0)


def find_header(head: Sequence[SheetRow], former: Sequence[str] | None, *, has_groups: bool) -> Header:
    """The header of the rows that follow an empty one. `former`: the labels of the rows before that, None at the
    beginning of a sheet. `has_groups`: whether a header may have two rows."""
    at = _first_full_row(head)
    if at is None:
        return NO_HEADER
    here, below = head[at], [row.texts for row in head[at + 1 :]]
    header = _header_at(head, at, has_groups=has_groups)
    if former is None:
        if any(row.follows_hidden for row in head[: at + 1]):
            return NO_HEADER
        is_sure = len(here.texts) > 2 and all(len(row.filled()) < 2 for row in head[:at])
        return header if is_sure or header.rows > at + 1 or _columns_of_figures(here, below) else NO_HEADER
    if at == 0 and former and all(column < len(former) and former[column] for column in here.filled()):
        return _header_or_former(header, here, below, former)
    return header if _columns_of_figures(here, below) else NO_HEADER


def _header_or_former(header: Header, here: SheetRow, below: Sequence[Sequence[str]], former: Sequence[str]) -> Header:
    """The header of rows that have the columns of the table before. It is new where each column has figures below it.
    It is the former one where the first row is plainly one of many. Else there is none."""
    if not header.labels or _repeats_below(here, below):
        return Header(list(former), 0)
    return header if len(_columns_of_figures(here, below)) == len(here.filled()) else NO_HEADER


def _header_at(head: Sequence[SheetRow], at: int, *, has_groups: bool) -> Header:
    # The names of groups may end before the last column, and look like a title above it.
    for first in (at - 1, at):
        if 0 <= first < len(head) - 2 and (labels := _group_labels(head[first], head[first + 1])):
            return Header(labels, first + 2) if has_groups else NO_HEADER
    here, below = head[at], [row.texts for row in head[at + 1 :]]
    if not below or not is_header(here.texts, below):
        return NO_HEADER
    starts = {column: start for start, end in here.spans.items() for column in range(start, end + 1)}
    names = [here.texts[starts.get(column, column)] for column in range(len(here.texts))]
    return Header(list(map(cut_label, names)), at + 1)


def _group_labels(first: SheetRow, second: SheetRow) -> list[str]:
    if second.spans:
        # A header of three rows.
        return []
    return group_labels(first.texts, second.texts, first.spans or None)


def _first_full_row(head: Sequence[SheetRow]) -> int | None:
    """The first row with as many columns as a row of this table has; shorter ones above it are titles."""
    ends = [len(row.texts) for row in head]
    shared = [end for end, count in Counter(ends).items() if count > 1]
    usual = max(shared or ends)
    return next((at for at, row in enumerate(head) if ends[at] >= usual and len(row.filled()) > 1), None)


def _columns_of_figures(row: SheetRow, below: Sequence[Sequence[str]]) -> list[int]:
    """The columns where a word stands above figures of one unit. Values of different kinds speak for pairs of a name
    and a value instead."""
    texts = {column: column_texts(below, column) for column in row.filled() if any(map(str.isalpha, row.texts[column]))}
    return [column for column, cells in texts.items() if all(map(_has_digit, cells)) and len(_units(cells)) == 1]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _units(texts: Iterable[str]) -> set[str]:
    """What is left of figures without their digits, separators and signs."""
    return {text.translate(_NO_FIGURES) for text in texts}


def _repeats_below(row: SheetRow, below: Sequence[Sequence[str]]) -> bool:
    """Whether a text of the row stands in the same column again, as a name of the column never does."""
    return any(row.texts[column] in column_texts(below, column) for column in row.filled())
