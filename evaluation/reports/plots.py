"""Small plots by hand: numbers in, the markup of an SVG out. Nothing is fetched and no script runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape

PlotPoint = tuple[float, float]

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
        parts.append(f'<path stroke="#bbb" stroke-dasharray="4" d="{_line_path([(0, 0), (1, 1)])}"/>')
    if plot.line:
        parts.append(f'<path fill="none" stroke="#0b57a4" stroke-width="2" d="{_line_path(plot.line)}"/>')
    heaviest = max((weight for *_, weight in plot.dots), default=1)
    parts += [_dot_markup(x, y, weight, heaviest) for x, y, weight in plot.dots]
    title = f'<text font-weight="600" x="{_PLOT_MARGIN}" y="22">{escape(plot.title)}</text>'
    label = escape(f"{plot.title}: {plot.y} against {plot.x}")
    # Looks are attributes, not styles: the builder's pages allow no style that stands in a page.
    about = f'viewBox="0 0 {size} {size}" width="{size}" role="img" aria-label="{label}" font-size="12"'
    return f"<svg {about}>{title}{''.join(parts)}</svg>"


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


def _line_path(points: Sequence[PlotPoint]) -> str:
    return "M" + " L".join(f"{left:.1f} {top:.1f}" for left, top in (_to_pixels(x, y) for x, y in points))


def _to_pixels(x: float, y: float) -> PlotPoint:
    return _PLOT_MARGIN + _PLOT_SIZE * min(1.0, max(0.0, x)), _PLOT_MARGIN + _PLOT_SIZE * (
        1 - min(1.0, max(0.0, y))
    )
