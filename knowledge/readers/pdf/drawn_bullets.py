"""Bullets that a page draws instead of writing them, as browsers do when they print a list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from knowledge.readers.pdf.layout_writer import LayoutWriter
from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedLine
from knowledge.readers.tables import CELL_SEPARATOR

BULLET = "• "
# One dot alone may be part of a drawing.
_MIN_ITEMS = 2
# A bullet stands at most so many heights of the line before it.
_MAX_GAP = 2.0


def write_bullets(page: PageLayout, dots: Sequence[PageBox]) -> PageLayout:
    """The page with a bullet before each line that has a dot right before it; `dots` are small round or square shapes,
    in any order."""
    places = sorted(((top + bottom) / 2, right) for _, top, right, bottom in dots)
    items = {line.start for line in page.lines if _has_dot(line, page, places)} if len(dots) >= _MIN_ITEMS else set()
    if len(items) < _MIN_ITEMS:
        return page
    writer = LayoutWriter(page)
    for line in page.lines:
        if line.start in items:
            writer.text(BULLET)
        writer.copy(line)
    return writer.page()


def _has_dot(line: PlacedLine, page: PageLayout, places: Sequence[tuple[float, float]]) -> bool:
    """`places` are the middles of the dots, from the top, and where each ends."""
    box = line.words[0].box if line.words else None
    if box is None or CELL_SEPARATOR in page.text[line.start : line.end]:
        return False
    left, top, _, bottom = box
    beside = places[bisect_left(places, (top, 0.0)) : bisect_right(places, (bottom, float("inf")))]
    return any(0 <= left - right <= _MAX_GAP * (bottom - top) for _, right in beside)
