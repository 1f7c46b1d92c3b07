"""The lines of a page, as PDFium has them, and whether they can make a table: most pages have none.

A table of two rows and two columns takes three lines in both directions, further apart than lines that count as one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageFrame
from knowledge.readers.pdf.pdfium_calls import (
    count_segments,
    get_object,
    get_object_kind,
    get_object_matrix,
    get_segment,
    get_segment_kind,
    get_segment_point,
    is_segment_closing,
)

# In points: as far apart two lines are taken for one, and what is shorter is no line (that is 1 to pdfplumber).
SAME_LINE, _MIN_LENGTH = 3.0, 1.0
_MIN_LINES = 3
_RECTANGLE_POINTS = 5

_MAX_FORM_DEPTH = 10

_Point = tuple[float, float]
_Matrix = tuple[float, float, float, float, float, float]
_UNCHANGED: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class _Part(NamedTuple):
    """What is drawn without lifting the pen: the ends of its segments, whether one of them is a curve, and whether the
    last goes back to the beginning."""

    points: Sequence[_Point]
    is_curved: bool
    is_closed: bool


class Rule(NamedTuple):
    """A line up or across, in points from the top left corner of the page as it is shown."""

    x0: float
    top: float
    x1: float
    bottom: float
    is_up: bool


def can_make_table(rules: Sequence[Rule]) -> bool:
    """False only where no table of two rows and two columns can be found by lines."""
    up = [rule.x0 for rule in rules if rule.is_up]
    across = [rule.top for rule in rules if not rule.is_up]
    return _count_apart(up) >= _MIN_LINES and _count_apart(across) >= _MIN_LINES


def read_rules(page: Any, *, frame: PageFrame) -> list[Rule]:
    """The lines that are at least a point long, also those in forms, which have coordinates of their own."""
    place = _placing(frame)
    count = pdfium.FPDFPage_CountObjects(page.raw)
    paths = _paths((get_object(page.raw, index) for index in range(count)), _UNCHANGED, _MAX_FORM_DEPTH)
    parts = (part for path, matrix in paths for part in _parts(path, matrix, place))
    return [rule for part in parts for rule in _rules(part) if _length(rule) >= _MIN_LENGTH]


def _paths(items: Iterable[Any], around: _Matrix, depth: int) -> Iterator[tuple[Any, _Matrix]]:
    """Each path, and how its coordinates become those of the page."""
    for item in items:
        kind = get_object_kind(item)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield item, _combined(_matrix(item), around)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            count = pdfium.FPDFFormObj_CountObjects(item)
            children = (pdfium.FPDFFormObj_GetObject(item, index) for index in range(count))
            yield from _paths(children, _combined(_matrix(item), around), depth - 1)


def _matrix(item: Any) -> _Matrix:
    matrix = pdfium.FS_MATRIX()
    get_object_matrix(item, ctypes.byref(matrix))
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _combined(inner: _Matrix, outer: _Matrix) -> _Matrix:
    if outer == _UNCHANGED:
        return inner
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _parts(path: Any, matrix: _Matrix, place: Callable[[float, float], _Point]) -> Iterator[_Part]:
    """As the page is shown."""
    x, y = ctypes.c_float(), ctypes.c_float()
    across, up = ctypes.byref(x), ctypes.byref(y)
    a, b, c, d, e, f = matrix
    points: list[_Point] = []
    is_closed, curves = False, 0
    for index in range(count_segments(path)):
        segment = get_segment(path, index)
        kind = get_segment_kind(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO and points:
            yield _Part(points, curves > 0, is_closed)
            points, curves = [], 0
        curves += kind == pdfium.FPDF_SEGMENT_BEZIERTO
        is_closed = bool(is_segment_closing(segment))
        # Of the three points of a curve the last is on it.
        is_end = kind != pdfium.FPDF_SEGMENT_BEZIERTO or curves % 3 == 0
        if is_end and get_segment_point(segment, across, up):
            points.append(place(a * x.value + c * y.value + e, b * x.value + d * y.value + f))
    if points:
        yield _Part(points, curves > 0, is_closed)


def _placing(frame: PageFrame) -> Callable[[float, float], _Point]:
    """Turns a point of the page into one from the top left corner, as the page is shown."""
    if frame.rotation == 90:
        return lambda x, y: (y - frame.bottom, x - frame.left)
    if frame.rotation == 180:
        return lambda x, y: (frame.right - x, y - frame.bottom)
    if frame.rotation == 270:
        return lambda x, y: (frame.top - y, frame.right - x)
    return lambda x, y: (x - frame.left, frame.top - y)


def _rules(part: _Part) -> Iterator[Rule]:
    """A lone line, the sides of a rectangle, or what of a longer path goes straight up or across."""
    points = part.points
    if _is_line(part):
        yield _rule(points[0], points[1], is_up=points[0][1] != points[1][1])
    elif _is_rectangle(part):
        left, right = sorted((points[0][0], points[2][0]))
        top, bottom = sorted((points[0][1], points[2][1]))
        for y in (top, bottom):
            yield Rule(left, y, right, y, is_up=False)
        for x in (left, right):
            yield Rule(x, top, x, bottom, is_up=True)
    else:
        for begin, end in pairwise(points):
            if begin[0] == end[0] or begin[1] == end[1]:
                yield _rule(begin, end, is_up=begin[0] == end[0])


def _is_line(part: _Part) -> bool:
    """One that goes there, or there and back."""
    is_retraced = part.is_closed and len(part.points) == 3 and part.points[0] == part.points[2]
    return not part.is_curved and (len(part.points) == 2 or is_retraced)


def _is_rectangle(part: _Part) -> bool:
    if part.is_curved or len(part.points) != _RECTANGLE_POINTS:
        return False
    (x0, y0), (x1, y1), (x2, y2), (x3, y3), last = part.points
    goes_up_first = x0 == x1 and y1 == y2 and x2 == x3 and y3 == y0
    goes_across_first = y0 == y1 and x1 == x2 and y2 == y3 and x3 == x0
    return last == part.points[0] and (goes_up_first or goes_across_first)


def _rule(begin: _Point, end: _Point, *, is_up: bool) -> Rule:
    (x0, x1), (top, bottom) = sorted((begin[0], end[0])), sorted((begin[1], end[1]))
    return Rule(x0, top, x1, bottom, is_up)


def _length(rule: Rule) -> float:
    return rule.bottom - rule.top if rule.is_up else rule.x1 - rule.x0


def _count_apart(places: Iterable[float]) -> int:
    """How many of the places are each further from the one before than two that count as one."""
    count, last = 0, float("-inf")
    for place in sorted(places):
        if place - last > SAME_LINE - 0.1:
            count, last = count + 1, place
    return count
