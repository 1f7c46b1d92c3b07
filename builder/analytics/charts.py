"""The charts of a plugin's questions and answers. The template draws them as SVG attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from lexic.plots import (
    AxisLabel,
    Bar,
    PlotArea,
    axis_labels,
    grid_lines,
    line_path,
    round_up_count,
    round_up_seconds,
    stacked_bars,
)
from querying.types.answer import Outcome

# The picture of bars, in units of its view box: room for the scale on the left and for the days below.
WIDTH, LEFT, TOP, BOTTOM = 1000.0, 56.0, 12.0, 224.0
# The picture of lines stands in half a row; so do the bars, on a phone.
NARROW_WIDTH = 440.0
# The small picture beside a topic.
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_MARGIN = 96.0, 24.0, 2.0
# What is drawn, from the bottom of a bar to its top, with the class of its colour.
SERIES = {
    Outcome.ANSWERED.value: ("answered", "bar-a"),
    Outcome.CLARIFY.value: ("asked back", "bar-c"),
    Outcome.REFUSED.value: ("refused", "bar-r"),
    Outcome.FAILED.value: ("failed", "bar-w"),
    Outcome.ABANDONED.value: ("left by the caller", "bar-l"),
    Outcome.FOUND.value: ("searched", "bar-f"),
}


@dataclass(frozen=True, kw_only=True)
class DayStatistics:
    """One row of the table beside the picture: counts in the order of `SERIES`, milliseconds."""

    day: date
    counts: list[int]
    median: float | None
    p95: float | None

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def label(self) -> str:
        return f"{self.day.day} {self.day:%b}"


@dataclass(frozen=True, kw_only=True)
class Chart:
    width: float = WIDTH
    rects: list[Bar] = field(default_factory=list)
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
    found = {(day, outcome): count for day, outcome, count in counts}
    times = {day: (median, p95) for day, median, p95 in latency}
    days = [start + timedelta(days=offset) for offset in range(0, (last - start).days + 1, 7 if weekly else 1)]
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
    highest = round_up_count(max(day.total for day in days))
    frame = PlotArea(left=LEFT, right=width, top=TOP, bottom=BOTTOM, highest=highest)
    step = (width - LEFT) / len(days)
    limit = 6 if width == WIDTH else 4
    return Chart(
        width=width,
        rects=stacked_bars([day.counts for day in days], frame, styles=[style for _, style in SERIES.values()]),
        grid=grid_lines(frame),
        labels=axis_labels([day.label for day in days], left=LEFT + step / 2, step=step, limit=limit),
    )


def line_chart(days: Sequence[DayStatistics]) -> Chart:
    """The median and the 95th percentile of the seconds that a question took. A day without any breaks the line."""
    highest = round_up_seconds(max((day.p95 or 0) for day in days) / 1000)
    frame = PlotArea(left=LEFT, right=NARROW_WIDTH, top=TOP, bottom=BOTTOM, highest=highest)
    step = (NARROW_WIDTH - LEFT - 40) / max(1, len(days) - 1)
    lines = []
    for style, words, values in (
        ("ln-1", "median", [day.median for day in days]),
        ("ln-2", "95%", [day.p95 for day in days]),
    ):
        points = [None if v is None else (LEFT + n * step, frame.y(v / 1000)) for n, v in enumerate(values)]
        end = next((point[1] for point in reversed(points) if point), BOTTOM)
        lines.append((style, line_path(points), words, round(end + 4, 1)))
    low, high = lines
    if abs(low[3] - high[3]) < 14:  # keep the words at the ends of the two lines apart
        lines = [(*low[:3], low[3] + 8), (*high[:3], high[3] - 8)]
    labels = axis_labels([day.label for day in days], left=LEFT, step=step, limit=4)
    return Chart(lines=lines, grid=grid_lines(frame, " s"), labels=labels)


def topic_path(counts: Sequence[int]) -> str:
    """The line of a small picture, 96 by 24: one point for each day or week."""
    frame = PlotArea(
        right=_SPARK_WIDTH, top=_SPARK_MARGIN, bottom=_SPARK_HEIGHT - _SPARK_MARGIN, highest=max([*counts, 1])
    )
    step = _SPARK_WIDTH / max(1, len(counts) - 1)
    return line_path([(number * step, frame.y(count)) for number, count in enumerate(counts)])


def relative_lengths(counts: Mapping[str, int], names: Sequence[str]) -> list[tuple[str, int, float]]:
    """Name, count and length of 0 to 100 for each name, the longest bar being the greatest count."""
    greatest = max([*counts.values(), 1])
    return [(name, counts.get(name, 0), round(100 * counts.get(name, 0) / greatest, 1)) for name in names]
