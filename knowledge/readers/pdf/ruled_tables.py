"""Ruled tables of a PDF: pdfplumber finds the cells by their lines, PDFium's words are put into them.

pdfplumber's own text glues words together in some files, and its words have no place in ours; so only its
geometry is used. A table's words leave the page's text and come back as one line a row, where they stood.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdfplumber
from pdfminer.pdfinterp import PDFResourceManager

from knowledge.readers.pdf.layout_writer import LayoutWriter
from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedLine, PlacedWord, split_lines
from knowledge.readers.tables import CELL_SEPARATOR, LabelledCell, layout_rows

_MAX_PAGE_SECONDS = 3.0
_MAX_CELLS = 5_000
# More words than this in one cell: the lines frame columns of prose, they do not rule a table.
_MAX_CELL_WORDS = 120
# A grid with fewer words than this belongs to a chart.
_MIN_FILLED_PERCENT = 35

# Rows of cells; null where a cell of another row or column reaches in.
CellGrid = list[list[PageBox | None]]


class _TimeLimitReached(BaseException):
    """Not an `Exception`, so that no handler inside a PDF library swallows it."""


class _WithoutFonts(PDFResourceManager):
    """Text without a font is not laid out: tables are found by lines, and letters would take most of the time."""

    def get_font(self, objid: object, spec: Mapping[str, object]) -> Any:
        return None


class TableFinder:
    """Finds the ruled tables of one file, page by page, within a budget of processor time."""

    def __init__(self, path: Path, *, cpu_seconds: float) -> None:
        self._path = path
        self._seconds_left = cpu_seconds
        self._pdf: Any = None

    def close(self) -> None:
        if self._pdf is not None:
            self._pdf.close()

    def grids(self, number: int, *, shift: tuple[float, float]) -> list[CellGrid]:
        """Tables of page `number` (from 1), none where the library fails. `shift` is taken off x and y."""
        if self._seconds_left <= 0:
            return []
        started = time.process_time()
        try:
            with _time_limit(min(_MAX_PAGE_SECONDS, self._seconds_left)):
                return self._find(number, shift)
        except MemoryError:
            raise
        except (_TimeLimitReached, Exception):
            # Whatever a broken page makes of the library, its plain text is still there.
            return []
        finally:
            self._seconds_left -= time.process_time() - started

    def _find(self, number: int, shift: tuple[float, float]) -> list[CellGrid]:
        if self._pdf is None:
            self._pdf = pdfplumber.open(self._path)
            self._pdf.rsrcmgr = _WithoutFonts()
        page = self._pdf.pages[number - 1]
        try:
            grids = [_shifted_grid(table, shift) for table in page.find_tables()]
        finally:
            # Without this each page keeps 3.5 MB until the end.
            page.close()
        return [grid for grid in grids if _can_be_table(grid)]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TimeLimitReached()

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _shifted_grid(table: Any, shift: tuple[float, float]) -> CellGrid:
    dx, dy = shift
    return [
        [(cell[0] - dx, cell[1] - dy, cell[2] - dx, cell[3] - dy) if cell else None for cell in row.cells]
        for row in table.rows
    ]


def _can_be_table(grid: CellGrid) -> bool:
    return len(grid) > 1 and any(len(row) > 1 for row in grid) and sum(map(len, grid)) <= _MAX_CELLS


@dataclass(kw_only=True)
class _FilledTable:
    """The words of each cell, by row and column."""

    grid: CellGrid
    cells: dict[tuple[int, int], list[PlacedWord]] = field(default_factory=dict)
    is_written: bool = False

    def take(self, word: PlacedWord) -> bool:
        place = self._place(word.box) if word.box else None
        if place is None:
            return False
        self.cells.setdefault(place, []).append(word)
        return True

    def _place(self, box: PageBox) -> tuple[int, int] | None:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        for i, row in enumerate(self.grid):
            for j, cell in enumerate(row):
                if cell and cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]:
                    return i, j
        return None

    def is_meaningful(self) -> bool:
        """Two rows and two columns with words, most cells filled, and none that holds a page of prose."""
        rows, columns = {i for i, _ in self.cells}, {j for _, j in self.cells}
        longest = max(map(len, self.cells.values()), default=0)
        drawn = sum(cell is not None for row in self.grid for cell in row)
        is_filled = 100 * len(self.cells) >= _MIN_FILLED_PERCENT * drawn
        return len(rows) > 1 and len(columns) > 1 and longest <= _MAX_CELL_WORDS and is_filled


def inline_tables(page: PageLayout, grids: list[CellGrid]) -> PageLayout:
    """The page with its tables row by row. Every word stays on the page exactly once, with its box."""
    owners: dict[int, _FilledTable] = {}
    for grid in grids:
        table = _FilledTable(grid=grid)
        free = [word for word in page.words if word.character not in owners]
        taken = [word.character for word in free if table.take(word)]
        if table.is_meaningful():
            owners.update(dict.fromkeys(taken, table))
    if not owners:
        return page
    writer = LayoutWriter(page)
    for line in split_lines(page):
        _write_line(writer, line, owners)
    return writer.page()


def _write_line(writer: LayoutWriter, line: PlacedLine, owners: dict[int, _FilledTable]) -> None:
    for table in filter(None, (owners.get(word.character) for word in line.words)):
        if not table.is_written:
            table.is_written = True
            _write_table(writer, table)
    left = [word for word in line.words if word.character not in owners]
    if len(left) == len(line.words):
        writer.copy(line)
    elif left:
        writer.words(left)
        writer.text("\n")


def _write_table(writer: LayoutWriter, table: _FilledTable) -> None:
    rows = [
        [" ".join(map(writer.word_text, table.cells.get((i, j), []))) for j in range(len(row))]
        for i, row in enumerate(table.grid)
    ]
    for i, cells in enumerate(layout_rows(rows)):
        if cells:
            _write_table_row(writer, table, i, cells)


def _write_table_row(writer: LayoutWriter, table: _FilledTable, row: int, cells: list[LabelledCell]) -> None:
    for position, cell in enumerate(cells):
        writer.text(CELL_SEPARATOR if position else "")
        writer.text(f"{cell.label}: " if cell.label else "")
        writer.words(table.cells[row, cell.column])
    writer.text("\n")
