"""Ruled tables of a PDF: pdfplumber finds the cells by their lines, PDFium's words are put into them.

pdfplumber's own text glues words together in some files, and its words have no place in ours; so only its
geometry is used.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pdfplumber
from pdfminer.pdfinterp import PDFResourceManager

from knowledge.readers.pdf.filled_tables import CellGrid

_MAX_PAGE_SECONDS = 3.0
_MAX_CELLS = 5_000


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
