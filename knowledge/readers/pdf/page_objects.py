"""The objects of a PDF page: how many lines it has, how much of it is pictures, and which texts are invisible.

Text is hidden, and dropped, when it lies outside the page, when it is too small to be seen, or when it is not painted
at all. The last is also how a scanner lays recognised text over its picture, so unpainted text stays where pictures
cover half of the page, and where the page has no other text. White text of a readable size stays too: on a dark ground
it is the header of a table, and telling the two apart would mean rendering.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageBox, PageFrame
from knowledge.readers.pdf.pdfium_calls import (
    get_object,
    get_object_bounds,
    get_object_kind,
    get_object_matrix,
    get_text_mode,
)

_MAX_FORM_DEPTH = 3
_UNPAINTED_MODES = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
# In points. Two sizes are compared, as some fonts are defined at size 1 and scaled up elsewhere.
_MIN_VISIBLE_POINTS = 2.0
# How large a bullet is, in points, and how far from round. A page with more shapes than this is a drawing.
_MIN_DOT, _MAX_DOT, _DOT_TOLERANCE = 1.5, 8.0, 0.6
_MAX_SHAPES = 2_000


@dataclass(frozen=True, kw_only=True)
class PageObjects:
    """`hidden` are the addresses of text objects that no reader sees. `dots` are small shapes that are as wide as high:
    they may be bullets."""

    paths: int
    has_pictures: bool
    hidden: frozenset[int]
    dots: tuple[PageBox, ...] = ()


def inspect_page(page: Any, *, frame: PageFrame) -> PageObjects:
    """Count what is on the page. Walks every object once."""
    counted = _ObjectInspector(frame)
    for item in map(get_object, repeat(page.raw), range(pdfium.FPDFPage_CountObjects(page.raw))):
        kind = get_object_kind(item)
        counted.add(item, kind, is_top=True)
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            for child, child_kind in _children(item, depth=1):
                counted.add(child, child_kind, is_top=False)
    return counted.result()


def _children(form: Any, *, depth: int) -> Iterator[tuple[Any, int]]:
    for index in range(pdfium.FPDFFormObj_CountObjects(form)):
        item = pdfium.FPDFFormObj_GetObject(form, index)
        kind = get_object_kind(item)
        yield item, kind
        if depth < _MAX_FORM_DEPTH and kind == pdfium.FPDF_PAGEOBJ_FORM:
            yield from _children(item, depth=depth + 1)


class _ObjectInspector:
    def __init__(self, frame: PageFrame) -> None:
        self.frame = frame
        self.paths = 0
        self.dots: list[PageBox] = []
        self.pictures = 0
        self.picture_area = 0.0
        self.painted = False
        self.unpainted: list[int] = []
        self.invisible: list[int] = []
        self._bounds = _Bounds()

    def add(self, item: Any, kind: int, *, is_top: bool) -> None:
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            self._add_text(item, is_top=is_top)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            self.paths += 1
            if is_top and self.paths <= _MAX_SHAPES:
                self._add_shape(item)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = self._bounds.of(item)
            self.pictures += 1
            self.picture_area += (right - left) * (top - bottom)

    def _add_text(self, item: Any, *, is_top: bool) -> None:
        # Inside a form the bounds are in the form's own coordinates and say nothing about the page.
        if is_top and self._is_invisible(item):
            self.invisible.append(_object_address(item))
        elif get_text_mode(item) in _UNPAINTED_MODES:
            self.unpainted.append(_object_address(item))
        else:
            self.painted = True

    def _add_shape(self, item: Any) -> None:
        left, bottom, right, top = self._bounds.of(item)
        width, height = right - left, top - bottom
        if _MIN_DOT <= width <= _MAX_DOT and abs(width - height) <= _DOT_TOLERANCE:
            self.dots.append(self.frame.to_shown_box(left, bottom, right, top))

    def _is_invisible(self, item: Any) -> bool:
        bounds = self._bounds.of(item)
        return self.frame.is_outside(*bounds) or _is_tiny(item, bounds)

    def result(self) -> PageObjects:
        is_scan = 2 * self.picture_area >= self.frame.area
        unpainted = self.unpainted if self.painted and not is_scan else []
        return PageObjects(
            paths=self.paths,
            has_pictures=self.pictures > 0,
            hidden=frozenset(self.invisible + unpainted),
            dots=tuple(self.dots) if self.paths <= _MAX_SHAPES else (),
        )


def _is_tiny(item: Any, bounds: tuple[float, float, float, float]) -> bool:
    left, bottom, right, top = bounds
    # A dash is low at any size and a blank has no size, so the font has to be tiny as well.
    if (top - bottom >= _MIN_VISIBLE_POINTS and right - left >= _MIN_VISIBLE_POINTS) or right == left:
        return False
    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    if not pdfium.FPDFTextObj_GetFontSize(item, size) or not get_object_matrix(item, ctypes.byref(matrix)):
        return False
    scaled: float = abs(size.value) * max(abs(matrix.c), abs(matrix.d))
    return scaled < _MIN_VISIBLE_POINTS


class _Bounds:
    """Four numbers that PDFium writes to, for one object after another."""

    def __init__(self) -> None:
        self._sides = (ctypes.c_float * 4)()
        self._places = [ctypes.byref(self._sides, at) for at in range(0, ctypes.sizeof(self._sides), 4)]

    def of(self, item: Any) -> tuple[float, float, float, float]:
        """Left, bottom, right and top; zeros where PDFium does not say."""
        if not get_object_bounds(item, *self._places):
            return 0.0, 0.0, 0.0, 0.0
        left, bottom, right, top = self._sides[:]
        return left, bottom, right, top


def _object_address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0
