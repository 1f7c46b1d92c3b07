"""Ruled tables of a PDF: pdfplumber finds the cells between PDFium's lines, and PDFium's words are put into them.

pdfplumber's own text glues words together in some files, and reading a page once more with it would take longer than
everything else; so only its geometry is used.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pdfplumber.table import (
    Table,
    TableSettings,
    cells_to_tables,
    edges_to_intersections,
    intersections_to_cells,
    merge_edges,
)
from pdfplumber.utils.geometry import filter_edges

from knowledge.readers.pdf.filled_tables import CellGrid
from knowledge.readers.pdf.ruling_lines import Rule

_MAX_PAGE_SECONDS = 3.0
_MAX_CELLS = 5_000


class _TimeLimitReached(BaseException):
    """Not an `Exception`, so that no handler inside a library swallows it."""


class TableFinder:
    """Finds the ruled tables of one file, page by page, within a budget of processor time."""

    def __init__(self, *, cpu_seconds: float) -> None:
        self._seconds_left = cpu_seconds

    def grids(self, rules: Sequence[Rule]) -> list[CellGrid]:
        """The tables between the lines of a page, none where they take too long."""
        if self._seconds_left <= 0:
            return []
        started = time.process_time()
        try:
            with _time_limit(min(_MAX_PAGE_SECONDS, self._seconds_left)):
                return [grid for grid in _find_grids(rules) if _can_be_table(grid)]
        except MemoryError:
            raise
        except (_TimeLimitReached, Exception):
            # Whatever a broken page makes of the library, its plain text is still there.
            return []
        finally:
            self._seconds_left -= time.process_time() - started


def _find_grids(rules: Sequence[Rule]) -> list[CellGrid]:
    settings = TableSettings()
    edges = merge_edges(
        [_edge(rule) for rule in rules],
        settings.snap_x_tolerance,
        settings.snap_y_tolerance,
        settings.join_x_tolerance,
        settings.join_y_tolerance,
    )
    edges = filter_edges(edges, min_length=settings.edge_min_length)
    crossings = edges_to_intersections(edges, settings.intersection_x_tolerance, settings.intersection_y_tolerance)
    return [_grid(cells) for cells in cells_to_tables(intersections_to_cells(crossings))]


def _edge(rule: Rule) -> dict[str, Any]:
    return {
        "x0": rule.x0,
        "x1": rule.x1,
        "top": rule.top,
        "bottom": rule.bottom,
        "width": rule.x1 - rule.x0,
        "height": rule.bottom - rule.top,
        "orientation": "v" if rule.is_up else "h",
    }


def _grid(cells: Any) -> CellGrid:
    page: Any = None  # which it needs for texts only
    return [row.cells for row in Table(page, cells).rows]


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


def _can_be_table(grid: CellGrid) -> bool:
    return len(grid) > 1 and any(len(row) > 1 for row in grid) and sum(map(len, grid)) <= _MAX_CELLS
