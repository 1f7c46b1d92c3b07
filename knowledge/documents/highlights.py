"""The boxes of the words of a span on the picture of their page, from the boxes that were stored with the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.packed_words import WordBoxes

# In heights of a line: words further apart are not one stroke of the highlighter.
_MAX_GAP = 1.5
# In heights of its words.
_MAX_STROKE_HEIGHT = 1.3


@dataclass(frozen=True, kw_only=True)
class Rectangle:
    """In points from the top left corner of the page as it is shown."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


def highlight_rectangles(words: WordBoxes | None, *, start: int, end: int) -> list[Rectangle]:
    """The strokes of a highlighter over `page.text[start:end]`, a line at a time, in reading order. Empty where none
    of it has a place on the page."""
    strokes: list[Rectangle] = []
    tallest = 0.0  # word of the last stroke
    for box in _word_rectangles(words or (), start, end):
        joined = bounding_rectangle([strokes[-1], box]) if strokes and _continues_stroke(strokes[-1], box) else None
        # Along a line of a scan that lies askew, one stroke would grow over the lines beside it.
        if joined and joined.height <= _MAX_STROKE_HEIGHT * max(box.height, tallest):
            strokes[-1], tallest = joined, max(box.height, tallest)
        else:
            strokes.append(box)
            tallest = box.height
    return strokes


def bounding_rectangle(boxes: Sequence[Rectangle]) -> Rectangle:
    """The smallest rectangle that holds all of them; there must be one."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Rectangle(x=x, y=y, width=right - x, height=bottom - y)


def _word_rectangles(words: WordBoxes, start: int, end: int) -> Iterator[Rectangle]:
    for first, last, x0, top, x1, bottom in words:
        if first < end and start < last and x1 > x0 and bottom > top:
            # A span may begin or end inside a word: the letters of a word share its width.
            letter = (x1 - x0) / (last - first)
            left = x0 + letter * max(0, start - first)
            right = x1 - letter * max(0, last - end)
            yield Rectangle(x=left, y=top, width=right - left, height=bottom - top)


def _continues_stroke(stroke: Rectangle, box: Rectangle) -> bool:
    shared = min(stroke.bottom, box.bottom) - max(stroke.y, box.y)
    lower = min(stroke.height, box.height)
    gap = box.x - stroke.right
    return shared >= lower / 2 and -lower < gap <= _MAX_GAP * max(stroke.height, box.height)
