"""Computes plots: bars, lines, grids and unit squares. Numbers in, numbers or an SVG's markup out.

Looks are classes and attributes, because the content security policy allows no inline styles. Nothing is fetched, and
no script runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape

PlotPoint = tuple[float, float]
# Numbers that people like at the top of a scale.
_ROUND_COUNTS = (4, 8, 12, 20, 40, 60, 80)
_ROUND_SECONDS = (0.2, 0.4, 1, 2, 4, 8, 20, 40, 100)


@dataclass(frozen=True, kw_only=True)
class PlotArea:
    """The area of a picture that is drawn in, in units of its view box. `highest` is the value at its top."""

    left: float = 0.0
    right: float
    top: float = 0.0
    bottom: float
    highest: float

    def y(self, value: float) -> float:
        """Where a value stands, counted from the top of the picture."""
        return self.bottom - self.height(value)

    def height(self, value: float) -> float:
        return value * (self.bottom - self.top) / self.highest


@dataclass(frozen=True, kw_only=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    style: str = ""


@dataclass(frozen=True, kw_only=True)
class AxisLabel:
    """A line of the grid with its value, or a name below the bars."""

    at: float
    text: str


def stacked_bars(columns: Sequence[Sequence[int]], frame: PlotArea, *, styles: Sequence[str]) -> list[Bar]:
    """A stack of bars for each column, from the bottom up in the order of its counts. A count of 0 has no bar."""
    slot = (frame.right - frame.left) / len(columns)
    gap = min(4.0, slot * 0.15)
    bars = []
    for number, counts in enumerate(columns):
        y = frame.bottom
        for count, style in zip(counts, styles, strict=True):
            height = frame.height(count)
            y -= height
            if count:
                x = frame.left + number * slot + gap / 2
                bar = Bar(
                    x=round(x, 1), y=round(y, 1), width=round(slot - gap, 1), height=round(height, 1), style=style
                )
                bars.append(bar)
    return bars


def line_path(points: Sequence[PlotPoint | None]) -> str:
    """Moves and lines; None breaks the line. A point alone becomes a dash that can be seen."""
    parts, before = [], None
    for number, point in enumerate(points):
        if point:
            x, y = point
            alone = before is None and (number + 1 == len(points) or points[number + 1] is None)
            parts.append(f"M{x - 3:.1f} {y:.1f}h6" if alone else f"{'L' if before else 'M'}{x:.1f} {y:.1f}")
        before = point
    return "".join(parts)


def grid_lines(frame: PlotArea, unit: str = "") -> list[AxisLabel]:
    """Lines that part the height of the frame, with their values."""
    steps = 4 if frame.highest % 4 == 0 or unit else 2 if frame.highest % 2 == 0 else 1
    values = [frame.highest * part / steps for part in range(steps + 1)]
    return [AxisLabel(at=round(frame.y(value), 1), text=f"{value:,g}{unit}") for value in values]


def axis_labels(names: Sequence[str], *, left: float, step: float, limit: int) -> list[AxisLabel]:
    """At most `limit` of the names, evenly spread; the first one stands at `left`."""
    every = max(1, math.ceil(len(names) / limit))
    return [
        AxisLabel(at=round(left + number * step, 1), text=name)
        for number, name in enumerate(names)
        if number % every == 0
    ]


def round_up_count(value: int) -> int:
    """A number at the top of the scale that people like: 4, 8, 12, 20, 40, 60, 80, 120 …"""
    top = next((step for step in _ROUND_COUNTS if value <= step), 0)
    return top or 10 * round_up_count(math.ceil(value / 10))


def round_up_seconds(value: float) -> float:
    """The same for seconds: 0.2, 0.4, 1, 2, 4, 8 …"""
    return next((step for step in _ROUND_SECONDS if value <= step), math.ceil(value))


# --- Unit squares ------------------------------------------------------------------------------------------------

_PLOT_SIZE, _PLOT_MARGIN = 280, 44
_UNIT_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True)
class UnitPlot:
    """A unit square. `line` runs through its points; `dots` are drawn as large as they have weight; `ticks` name
    places of the x axis, which else counts from 0 to 1."""

    title: str
    x: str
    y: str
    line: Sequence[PlotPoint] = ()
    dots: Sequence[tuple[float, float, int]] = ()
    diagonal: bool = False
    ticks: Sequence[tuple[float, str]] = ()


def reliability_plot(bins: Sequence[tuple[float, float, int]], *, stated: str = "stated probability") -> UnitPlot:
    """Share right against what was stated; on the diagonal both are the same."""
    return UnitPlot(title="Reliability", x=stated, y="share right", dots=bins, diagonal=True)


def render_svg(plot: UnitPlot) -> str:
    """The plot as one `<svg>` element that says in words what it shows."""
    size = _PLOT_SIZE + 2 * _PLOT_MARGIN
    parts = [_axes_markup(plot)]
    if plot.diagonal:
        parts.append(f'<path stroke="#bbb" stroke-dasharray="4" d="{_unit_path([(0, 0), (1, 1)])}"/>')
    if plot.line:
        parts.append(f'<path fill="none" stroke="#0b57a4" stroke-width="2" d="{_unit_path(plot.line)}"/>')
    heaviest = max((weight for *_, weight in plot.dots), default=1)
    parts += [_dot_markup(x, y, weight, heaviest) for x, y, weight in plot.dots]
    title = f'<text font-weight="600" x="{_PLOT_MARGIN}" y="22">{escape(plot.title)}</text>'
    label = escape(f"{plot.title}: {plot.y} against {plot.x}")
    about = f'viewBox="0 0 {size} {size}" width="{size}" role="img" aria-label="{label}" font-size="12"'
    return f"<svg {about}>{title}{''.join(parts)}</svg>"


def render_bars(rows: Sequence[tuple[str, float]], *, title: str) -> str:
    """A file of its own: a bar for each name, with its value and a line at 1."""
    left, length, step, top = 300.0, 360.0, 28.0, 56.0
    highest = max([1.0, *(value for _, value in rows)])
    one, bottom = left + length / highest, top + step * len(rows)
    parts = [f'<text x="12" y="28" font-size="16">{escape(title)}</text>']
    for number, (name, value) in enumerate(rows):
        y, width = top + step * number, length * value / highest
        parts.append(f'<text x="{left - 8:.0f}" y="{y + 14:.0f}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{left:.0f}" y="{y:.0f}" width="{width:.1f}" height="18" fill="#2f6f9f"/>')
        parts.append(f'<text x="{left + width + 6:.1f}" y="{y + 14:.0f}">{value:.2f}</text>')
    parts.append(f'<path d="M{one:.1f} {top - 6:.0f}V{bottom:.0f}" stroke="#888" stroke-dasharray="4 3"/>')
    size = f'viewBox="0 0 {left + length + 60:.0f} {bottom + 12:.0f}"'
    look = 'font-family="sans-serif" font-size="13"'
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}>{background}{"".join(parts)}</svg>'


def _axes_markup(plot: UnitPlot) -> str:
    bottom, right = _to_pixels(0, 0), _to_pixels(1, 1)
    frame = (
        f'<rect x="{_PLOT_MARGIN}" y="{_PLOT_MARGIN}" width="{_PLOT_SIZE}" height="{_PLOT_SIZE}"'
        ' fill="none" stroke="#999"/>'
    )
    named = plot.ticks or [(tick, f"{tick:g}") for tick in _UNIT_TICKS]
    x_labels = "".join(_tick_label(_to_pixels(x, 0)[0], bottom[1] + 15, name, anchor="middle") for x, name in named)
    y_labels = "".join(
        _tick_label(_PLOT_MARGIN - 6, _to_pixels(0, y)[1] + 4, f"{y:g}", anchor="end") for y in _UNIT_TICKS
    )
    middle = _PLOT_MARGIN + _PLOT_SIZE / 2
    x_name = f'<text text-anchor="middle" x="{middle}" y="{bottom[1] + 34:.1f}">{escape(plot.x)}</text>'
    y_name = f'<text text-anchor="end" x="{right[0]:.1f}" y="{_PLOT_MARGIN - 8}">{escape(plot.y)}</text>'
    return frame + x_labels + y_labels + x_name + y_name


def _tick_label(left: float, top: float, name: str, *, anchor: str) -> str:
    look = f'fill="#555" font-size="11" text-anchor="{anchor}"'
    return f'<text {look} x="{left:.1f}" y="{top:.1f}">{escape(name)}</text>'


def _dot_markup(x: float, y: float, weight: int, heaviest: int) -> str:
    left, top = _to_pixels(x, y)
    radius = 3 + 7 * (weight / heaviest) ** 0.5
    look = 'fill="#0b57a4" fill-opacity="0.7"'
    words = f"{weight} questions: {y:.2f} at {x:.2f}"
    return f'<circle cx="{left:.1f}" cy="{top:.1f}" r="{radius:.1f}" {look}><title>{words}</title></circle>'


def _unit_path(points: Sequence[PlotPoint]) -> str:
    return line_path([_to_pixels(x, y) for x, y in points])


def _to_pixels(x: float, y: float) -> PlotPoint:
    return _PLOT_MARGIN + _PLOT_SIZE * min(1.0, max(0.0, x)), _PLOT_MARGIN + _PLOT_SIZE * (1 - min(1.0, max(0.0, y)))
