"""A PDF page while it is being read: its text, its words and where they stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

# x0, top, x1, bottom in points, from the top left corner of the page as it is shown.
PageBox = tuple[float, float, float, float]


class PlacedWord(NamedTuple):
    """`PageLayout.text[start:end]`, the place it takes (null where the page does not say) and PDFium's index.

    `size` is the height of its letters in points, along the unrotated page.
    """

    start: int
    end: int
    box: PageBox | None
    size: float
    character: int

    def moved(self, start: int) -> PlacedWord:
        """The word as it stands elsewhere in a text."""
        return PlacedWord(start, start + self.end - self.start, self.box, self.size, self.character)


class PlacedLine(NamedTuple):
    start: int
    end: int
    words: list[PlacedWord]


@dataclass(frozen=True, kw_only=True)
class PageLayout:
    """The text of a page and its words in order of `start`. A line's words are those between its ends."""

    text: str
    words: list[PlacedWord]

    @cached_property
    def lines(self) -> list[PlacedLine]:
        """The lines of the text, each with its words."""
        starts = [word.start for word in self.words]
        lines, start, first = [], 0, 0
        for text in self.text.split("\n"):
            end = start + len(text)
            after = bisect_left(starts, end, first)
            lines.append(PlacedLine(start, end, self.words[first:after]))
            start, first = end + 1, after
        return lines

    @cached_property
    def tops(self) -> list[float]:
        """Where the words begin, from the top of the page."""
        return sorted([word.box[1] for word in self.words if word.box])

    @cached_property
    def bottoms(self) -> list[float]:
        """Where the words end, from the top of the page."""
        return sorted([word.box[3] for word in self.words if word.box])


@dataclass(frozen=True, kw_only=True)
class PageFrame:
    """The visible box of a page in its own coordinates (y grows upwards), and its rotation clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def area(self) -> float:
        return abs((self.right - self.left) * (self.top - self.bottom))

    def is_outside(self, left: float, bottom: float, right: float, top: float) -> bool:
        return right < self.left or left > self.right or top < self.bottom or bottom > self.top

    def to_shown_box(self, left: float, bottom: float, right: float, top: float) -> PageBox:
        """A rectangle as it is shown, rounded to a tenth of a point."""
        return self.to_shown_boxes([(left, bottom, right, top)])[0]

    def to_shown_boxes(self, rectangles: Iterable[tuple[float, float, float, float]]) -> list[PageBox]:
        """`to_shown_box` of each: left, bottom, right and top."""
        x0, y0, x1, y1 = self.left, self.bottom, self.right, self.top
        if self.rotation == 90:
            boxes = [(bottom - y0, left - x0, top - y0, right - x0) for left, bottom, right, top in rectangles]
        elif self.rotation == 180:
            boxes = [(x1 - right, bottom - y0, x1 - left, top - y0) for left, bottom, right, top in rectangles]
        elif self.rotation == 270:
            boxes = [(y1 - top, x1 - right, y1 - bottom, x1 - left) for left, bottom, right, top in rectangles]
        else:
            boxes = [(left - x0, y1 - top, right - x0, y1 - bottom) for left, bottom, right, top in rectangles]
        # As `round(x, 1)`, in a fifth of its time: PDFium's figures have 24 bits, so ten times one is exact.
        return [
            (round(10 * a) / 10, round(10 * b) / 10, round(10 * c) / 10, round(10 * d) / 10) for a, b, c, d in boxes
        ]
