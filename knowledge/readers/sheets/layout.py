"""The layout of a sheet: what is hidden, which cells are merged with those to their right or below, and which areas are
tables that name their columns."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from lxml import etree

from knowledge.readers.safe_xml import parse_xml
from knowledge.readers.tables import cut_label
from knowledge.readers.text_cleaning import clean_text, one_line

MAX_COLUMN = 16_384
_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MAX_TABLES = 200
_ROW, _COLUMNS, _MERGED = f"{_SPACE}row", f"{_SPACE}col", f"{_SPACE}mergeCell"
_TABLE_COLUMN = f"{_SPACE}tableColumn"


class DeclaredTable(NamedTuple):
    """An area that its author made a table of, with the labels of the sheet's columns up to its last; none where the
    names of its columns are not shown."""

    first_row: int
    last_row: int
    labels: list[str]

    def labels_at(self, row: int) -> list[str]:
        """The labels for the cells of a row: none for the header itself."""
        return self.labels if row > self.first_row else []


@dataclass
class SheetLayout:
    """Rows are numbered from 1, columns from 0. `spans`: by row, the last column of each wide cell by its first.
    `heights`: by row, the last row of each cell over several rows by its column. `tables` are sorted by their first
    rows."""

    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    spans: defaultdict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    heights: defaultdict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    tables: list[DeclaredTable] = field(default_factory=list)


class DeclaredLabels:
    """Says what the columns of a row are called by the tables around it, of rows in ascending order."""

    def __init__(self, tables: Iterable[DeclaredTable]) -> None:
        self._waiting = deque(tables)
        self._around: list[DeclaredTable] = []

    def at(self, row: int) -> list[str] | None:
        """The labels of a row's cells; None outside of any table."""
        while self._waiting and self._waiting[0].first_row <= row:
            self._around.append(self._waiting.popleft())
        self._around = [table for table in self._around if table.last_row >= row]
        return _joined_labels([table.labels_at(row) for table in self._around]) if self._around else None


def read_layout(sheet: Any) -> SheetLayout:
    """The layout of a sheet that openpyxl opened for reading alone, which passes over it. Raises
    `etree.XMLSyntaxError`, `ValueError`."""
    layout, row = SheetLayout(), 0
    with sheet.parent._archive.open(sheet._worksheet_path) as part:
        for _, element in etree.iterparse(
            part, events=("end",), tag=(_ROW, _COLUMNS, _MERGED), resolve_entities=False, no_network=True
        ):
            if element.tag == _ROW:
                row = int(float(element.get("r", row + 1)))
                if _is_set(element, "hidden"):
                    layout.hidden_rows.add(row)
            elif element.tag == _MERGED:
                _add_span(layout, element.get("ref", ""))
            elif _is_set(element, "hidden"):
                first, last = int(element.get("min", 1)), int(element.get("max", 1))
                layout.hidden_columns.update(range(first - 1, min(last, MAX_COLUMN)))
            _forget(element)
    layout.tables = _declared_tables(sheet)
    return layout


def _joined_labels(rows: Sequence[Sequence[str]]) -> list[str]:
    """The labels of tables that stand side by side."""
    return [next(filter(None, labels), "") for labels in zip_longest(*rows, fillvalue="")]


def _declared_tables(sheet: Any) -> list[DeclaredTable]:
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    archive = sheet.parent._archive
    relations = get_rels_path(sheet._worksheet_path)
    members = set(archive.namelist())
    if relations not in members:
        return []
    parts = [one.Target for one in get_dependents(archive, relations) if one.Type.endswith("/table")]
    targets = [part for part in parts if part in members]
    return sorted(_declared_table(parse_xml(archive.read(target))) for target in targets[:_MAX_TABLES])


def _declared_table(root: etree._Element) -> DeclaredTable:
    from openpyxl.utils import range_boundaries
    from openpyxl.utils.escape import unescape

    first, top, last, bottom = range_boundaries(root.get("ref", ""))
    names = [one_line(clean_text(unescape(one.get("name", "")))) for one in root.iter(_TABLE_COLUMN)]
    if root.get("headerRowCount") == "0" or not first or not last or len(names) != last - first + 1:
        return DeclaredTable(top, bottom, [])
    return DeclaredTable(top, bottom, [*[""] * (first - 1), *map(cut_label, names)])


def _is_set(element: etree._Element, name: str) -> bool:
    return element.get(name) in ("1", "true")


def _add_span(layout: SheetLayout, reference: str) -> None:
    from openpyxl.utils import range_boundaries

    first, row, last, bottom = range_boundaries(reference)
    if first and row and last and last > first:
        layout.spans[row][first - 1] = last - 1
    if first and row and bottom and bottom > row:
        layout.heights[row][first - 1] = bottom


def _forget(element: etree._Element) -> None:
    """Give back what a part that was read takes up."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
