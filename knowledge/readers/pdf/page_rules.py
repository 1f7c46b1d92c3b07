"""Whether the lines of a page can make a table, as PDFium has them: most have underlines or a frame, and no table.

A table of two rows and two columns takes three lines in both directions, further apart than lines that count as one.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

# In points: as far apart pdfplumber takes two lines for one, and what is shorter is no line for it (that is 1 there).
_SAME_LINE, _MIN_LENGTH = 3.0, 0.9
_MIN_LINES = 3


def can_have_table(page: Any) -> bool:
    """False only where no table of two rows and two columns can be found by lines. The paths of forms, which have
    coordinates of their own, are not looked at: a page that has them may have a table."""
    lines = _Lines()
    for index in range(pdfium.FPDFPage_CountObjects(page.raw)):
        item = pdfium.FPDFPage_GetObject(page.raw, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            return True
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            lines.add(_points(item))
            if lines.can_be_table():
                return True
    return False


class _Lines:
    """Where lines that go up may stand, and lines that go across, in tenths of a point."""

    def __init__(self) -> None:
        self._across: set[int] = set()
        self._up: set[int] = set()
        self._has_new = False

    def add(self, points: list[tuple[float, float]]) -> None:
        xs, ys = {round(10 * x) for x, _ in points}, {round(10 * y) for _, y in points}
        before = len(self._up) + len(self._across)
        if _is_long(ys):
            self._up |= xs
        if _is_long(xs):
            self._across |= ys
        self._has_new = len(self._up) + len(self._across) > before

    def can_be_table(self) -> bool:
        return self._has_new and all(_count_apart(places) >= _MIN_LINES for places in (self._up, self._across))


def _is_long(places: set[int]) -> bool:
    return bool(places) and max(places) - min(places) >= 10 * _MIN_LENGTH


def _count_apart(places: set[int]) -> int:
    """How many of the places are each further from the one before than two that count as one."""
    count, last = 0, float("-inf")
    for place in sorted(places):
        if place - last > 10 * _SAME_LINE - 1:
            count, last = count + 1, place
    return count


def _points(path: Any) -> list[tuple[float, float]]:
    """The ends of the path's segments, on the page."""
    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPageObj_GetMatrix(path, matrix)
    found = []
    for index in range(pdfium.FPDFPath_CountSegments(path)):
        if pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFPath_GetPathSegment(path, index), x, y):
            across, up = x.value, y.value
            found.append(
                (matrix.a * across + matrix.c * up + matrix.e, matrix.b * across + matrix.d * up + matrix.f),
            )
    return found
