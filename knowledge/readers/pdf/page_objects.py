"""What a PDF page is drawn with: how many lines, how much of it is pictures, which texts nobody can see.

Text is hidden, and dropped, when it lies outside the page, when it is too small to be seen, or when it is not
painted at all. The last is also how a scanner lays recognised text over its picture, so unpainted text stays
where pictures cover half of the page, and where the page has no other text. White text of a readable size
stays too: on a dark ground it is the header of a table, and telling the two apart would mean rendering.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageFrame

_MAX_FORM_DEPTH = 3
_UNPAINTED_MODES = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
# In points. Two sizes are compared, as some fonts are defined at size 1 and scaled up elsewhere.
_MIN_VISIBLE_POINTS = 2.0


@dataclass(frozen=True, kw_only=True)
class PageObjects:
    """`hidden` are the addresses of text objects that no reader sees."""

    paths: int
    has_pictures: bool
    hidden: frozenset[int]


def inspect_page(page: Any, *, frame: PageFrame) -> PageObjects:
    """Count what is on the page. Walks every object once."""
    counted = _ObjectInspector(frame)
    for index in range(pdfium.FPDFPage_CountObjects(page.raw)):
        for item, depth in _with_children(pdfium.FPDFPage_GetObject(page.raw, index), 0):
            counted.add(item, is_top=depth == 0)
    return counted.result()


def _with_children(item: Any, depth: int) -> Iterator[tuple[Any, int]]:
    yield item, depth
    if depth < _MAX_FORM_DEPTH and pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_FORM:
        for index in range(pdfium.FPDFFormObj_CountObjects(item)):
            yield from _with_children(pdfium.FPDFFormObj_GetObject(item, index), depth + 1)


class _ObjectInspector:
    def __init__(self, frame: PageFrame) -> None:
        self.frame = frame
        self.paths = 0
        self.pictures = 0
        self.picture_area = 0.0
        self.painted = False
        self.unpainted: list[int] = []
        self.invisible: list[int] = []

    def add(self, item: Any, *, is_top: bool) -> None:
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            self._add_text(item, is_top=is_top)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            self.paths += 1
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = _object_bounds(item)
            self.pictures += 1
            self.picture_area += (right - left) * (top - bottom)

    def _add_text(self, item: Any, *, is_top: bool) -> None:
        bounds = _object_bounds(item)
        # Inside a form the bounds are in the form's own coordinates and say nothing about the page.
        if is_top and (self.frame.is_outside(*bounds) or _is_tiny(item, bounds)):
            self.invisible.append(_object_address(item))
        elif pdfium.FPDFTextObj_GetTextRenderMode(item) in _UNPAINTED_MODES:
            self.unpainted.append(_object_address(item))
        else:
            self.painted = True

    def result(self) -> PageObjects:
        is_scan = 2 * self.picture_area >= self.frame.area
        unpainted = self.unpainted if self.painted and not is_scan else []
        return PageObjects(
            paths=self.paths, has_pictures=self.pictures > 0, hidden=frozenset(self.invisible + unpainted)
        )


def _is_tiny(item: Any, bounds: tuple[float, float, float, float]) -> bool:
    left, bottom, right, top = bounds
    # A dash is low at any size and a blank has no size, so the font has to be tiny as well.
    if min(top - bottom, right - left) >= _MIN_VISIBLE_POINTS or right == left:
        return False
    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    if not pdfium.FPDFTextObj_GetFontSize(item, size) or not pdfium.FPDFPageObj_GetMatrix(item, matrix):
        return False
    scaled: float = abs(size.value) * max(abs(matrix.c), abs(matrix.d))
    return scaled < _MIN_VISIBLE_POINTS


def _object_bounds(item: Any) -> tuple[float, float, float, float]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _object_address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0
