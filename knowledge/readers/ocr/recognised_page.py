"""The result of OCR on the picture of a page: words with their places and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

# x and y of a corner, in pixels from the top left corner of the picture.
Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
# x0, top, x1, bottom.
Box = tuple[float, float, float, float]


class RecognisedWord(NamedTuple):
    """`corners` begin at the top left of the word and go round it; `score` is 0 to 1. `is_unsure`: a number that read
    differently at another scale."""

    text: str
    score: float
    corners: Corners
    is_unsure: bool = False


@dataclass(frozen=True)
class RecognisedLine:
    """Words that were found as one line, left to right, and the height of its letters in pixels."""

    words: Sequence[RecognisedWord]
    corners: Corners

    @property
    def height(self) -> float:
        top_left, _, _, bottom_left = self.corners
        return math.dist(top_left, bottom_left)

    @property
    def width(self) -> float:
        return math.dist(self.corners[0], self.corners[1])

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True)
class RecognisedPage:
    """The lines of a picture in no order. `quarter_turns`: how often it was turned to the left until it was upright;
    the corners are those of the upright picture, `width` and `height` too."""

    width: int
    height: int
    lines: Sequence[RecognisedLine] = field(default_factory=list)
    quarter_turns: int = 0

    def skew(self) -> float:
        """By how much the lines fall to the right, in radians: the usual slope of the longer ones."""
        longest = sorted(self.lines, key=lambda line: line.width, reverse=True)[: max(5, len(self.lines) // 2)]
        slopes = [
            math.atan2(right[1] - left[1], right[0] - left[0])
            for left, right in ((line.corners[0], line.corners[1]) for line in longest)
        ]
        return median(slopes) if slopes else 0.0

    def to_picture(self, corners: Corners) -> Box:
        """The box of a word on the picture as it came, before it was turned upright."""
        points = [self._turned_back(point) for point in corners]
        return bounds(points)

    def _turned_back(self, point: Point) -> Point:
        x, y = point
        match self.quarter_turns % 4:
            case 1:
                return self.height - y, x
            case 2:
                return self.width - x, self.height - y
            case 3:
                return y, self.width - x
        return x, y


def bounds(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def levelled(corners: Corners, skew: float) -> Box:
    """The box of a word when its page is turned by as much as it is skewed."""
    cosine, sine = math.cos(skew), math.sin(skew)
    return bounds([(x * cosine + y * sine, y * cosine - x * sine) for x, y in corners])
