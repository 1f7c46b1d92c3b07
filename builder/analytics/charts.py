"""Charts as numbers: where each bar and line stands in the picture. The template draws them as SVG attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from querying.types import Outcome

# The picture of bars, in units of its view box: room for the scale on the left and for the days below.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 1000.0, 250.0, 56.0, 12.0, 224.0
# The picture of lines stands in half a row; so do the bars, on a phone.
NARROW_WIDTH = 440.0
# What is drawn, from the bottom of a bar to its top, with the class of its colour.
SERIES = {
    Outcome.ANSWERED.value: ("answered", "bar-a"),
    Outcome.CLARIFY.value: ("asked back", "bar-c"),
    Outcome.REFUSED.value: ("refused", "bar-r"),
    Outcome.FAILED.value: ("failed", "bar-w"),
    Outcome.ABANDONED.value: ("left by the caller", "bar-l"),
}


@dataclass(frozen=True, kw_only=True)
class BarSegment:
    x: float
    y: float
    width: float
    height: float
    style: str


@dataclass(frozen=True, kw_only=True)
class AxisLabel:
    """A line of the grid with its value, or a day below the bars."""

    at: float
    text: str


@dataclass(frozen=True, kw_only=True)
class DayStatistics:
    """One row of the table beside the picture."""

    day: date
    counts: list[int]
    median: float | None
    p95: float | None

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, kw_only=True)
class Chart:
    width: float = WIDTH
    rects: list[BarSegment] = field(default_factory=list)
    grid: list[AxisLabel] = field(default_factory=list)
    labels: list[AxisLabel] = field(default_factory=list)
    lines: list[tuple[str, str, str, float]] = field(default_factory=list)  # class, path, words, where they stand


def day_statistics(
    first: date,
    last: date,
    *,
    counts: Sequence[tuple[date, str, int]],
    latency: Sequence[tuple[date, float, float]],
    weekly: bool,
) -> list[DayStatistics]:
    """Every day (or Monday) of the range, those without questions too."""
    start = first - timedelta(days=first.weekday()) if weekly else first
    step = 7 if weekly else 1
    found = {(day, outcome): count for day, outcome, count in counts}
    times = {day: (half, most) for day, half, most in latency}
    days = [start + timedelta(days=offset) for offset in range(0, (last - start).days + 1, step)]
    return [
        DayStatistics(
            day=day,
            counts=[found.get((day, outcome), 0) for outcome in SERIES],
            median=times.get(day, (None, None))[0],
            p95=times.get(day, (None, None))[1],
        )
        for day in days
    ]


def bar_chart(days: Sequence[DayStatistics], *, width: float = WIDTH) -> Chart:
    """The questions of each day, stacked by how they ended, in a picture of this width."""
    top = _round_up(max(day.total for day in days))
    scale = (BOTTOM - TOP) / top
    slot = (width - LEFT) / len(days)
    rects = [
        rect
        for number, day in enumerate(days)
        for rect in _bar_segments(day, x=LEFT + number * slot, slot=slot, scale=scale)
    ]
    labels = _day_labels(days, slot=slot, most=6 if width == WIDTH else 4)
    return Chart(width=width, rects=rects, grid=_grid_lines(top, scale), labels=labels)


def _bar_segments(day: DayStatistics, *, x: float, slot: float, scale: float) -> list[BarSegment]:
    rects, y = [], BOTTOM
    gap = min(4.0, slot * 0.15)
    for count, (_, style) in zip(day.counts, SERIES.values(), strict=True):
        height = count * scale
        y -= height
        if count:
            rects.append(
                BarSegment(
                    x=round(x + gap / 2, 1),
                    y=round(y, 1),
                    width=round(slot - gap, 1),
                    height=round(height, 1),
                    style=style,
                )
            )
    return rects


def line_chart(days: Sequence[DayStatistics]) -> Chart:
    """Seconds within which half, and 95 %, of the questions were done with. A day without any breaks the line."""
    top = _round_up_seconds(max((day.p95 or 0) for day in days) / 1000)
    scale = (BOTTOM - TOP) / top
    step = (NARROW_WIDTH - LEFT - 40) / max(1, len(days) - 1)
    drawn = []
    for style, words, values in (
        ("ln-1", "half", [day.median for day in days]),
        ("ln-2", "95%", [day.p95 for day in days]),
    ):
        points = [None if v is None else (LEFT + n * step, BOTTOM - v / 1000 * scale) for n, v in enumerate(values)]
        end = next((point[1] for point in reversed(points) if point), BOTTOM)
        drawn.append((style, _line_path(points), words, round(end + 4, 1)))
    return Chart(
        lines=_separate_labels(drawn),
        grid=_grid_lines(top, scale, unit=" s"),
        labels=_day_labels(days, slot=step, most=4, centred=False),
    )


def _separate_labels(drawn: list[tuple[str, str, str, float]]) -> list[tuple[str, str, str, float]]:
    """Words at the ends of two lines do not stand upon each other."""
    (low, most) = drawn
    if abs(low[3] - most[3]) >= 14:
        return drawn
    return [(*low[:3], low[3] + 8), (*most[:3], most[3] - 8)]


def _line_path(points: Sequence[tuple[float, float] | None]) -> str:
    """Moves and lines. A point alone becomes a dash that can be seen."""
    parts, before = [], None
    for number, point in enumerate(points):
        if point:
            x, y = point
            alone = before is None and (number + 1 == len(points) or points[number + 1] is None)
            parts.append(f"M{x - 3:.1f} {y:.1f}h6" if alone else f"{'L' if before else 'M'}{x:.1f} {y:.1f}")
        before = point
    return "".join(parts)


def _grid_lines(top: float, scale: float, unit: str = "") -> list[AxisLabel]:
    steps = 4 if top % 4 == 0 or unit else 2 if top % 2 == 0 else 1
    values = [top * part / steps for part in range(steps + 1)]
    return [AxisLabel(at=round(BOTTOM - value * scale, 1), text=f"{value:,g}{unit}") for value in values]


def _day_labels(
    days: Sequence[DayStatistics], *, slot: float, most: int = 6, centred: bool = True
) -> list[AxisLabel]:
    every = max(1, math.ceil(len(days) / most))
    middle = slot / 2 if centred else 0
    return [
        AxisLabel(at=round(LEFT + number * slot + middle, 1), text=f"{day.day.day} {day.day:%b}")
        for number, day in enumerate(days)
        if number % every == 0
    ]


def _round_up(value: int) -> int:
    """A number at the top of the scale that people like: 4, 8, 12, 20, 40, 60, 80, 120 …"""
    for step in (4, 8, 12, 20, 40, 60, 80):
        if value <= step:
            return step
    return 10 * _round_up(math.ceil(value / 10))


def _round_up_seconds(value: float) -> float:
    return next((step for step in (0.2, 0.4, 1, 2, 4, 8, 20, 40, 100) if value <= step), math.ceil(value))


def relative_lengths(counts: Mapping[str, int], names: Sequence[str]) -> list[tuple[str, int, float]]:
    """Name, count and length of 0 to 100 for each name, the longest bar being the greatest count."""
    greatest = max([*counts.values(), 1])
    return [(name, counts.get(name, 0), round(100 * counts.get(name, 0) / greatest, 1)) for name in names]
