"""The one figure of the demonstration handbook: where nominal cover is measured in a beam."""

from __future__ import annotations

from reportlab.graphics.shapes import Circle, Drawing, Line, Rect, String
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.units import mm

from marketplace.demo_content.handbook_style import ACCENT, INK, INK_SOFT, LINE, MEASURE, SANS, SANS_BOLD

CONCRETE = HexColor("#eef2f3")
LEFT, FOOT, WIDTH, HEIGHT = 12 * mm, 4 * mm, 52 * mm, 60 * mm
COVER, LINK, BAR = 9 * mm, 1.6 * mm, 4.6 * mm


def beam_section() -> Drawing:
    """A beam cut across, with its link, four bars and the nominal cover marked below."""
    drawing = Drawing(MEASURE, HEIGHT + 2 * FOOT)
    drawing.add(Rect(LEFT, FOOT, WIDTH, HEIGHT, rx=4, ry=4, fillColor=CONCRETE, strokeColor=LINE, strokeWidth=0.8))
    _draw_reinforcement(drawing)
    _draw_cover(drawing)
    _draw_labels(drawing)
    return drawing


def _draw_reinforcement(drawing: Drawing) -> None:
    inset = COVER + LINK / 2
    drawing.add(
        Rect(
            LEFT + inset, FOOT + inset, WIDTH - 2 * inset, HEIGHT - 2 * inset,
            rx=6, ry=6, fillColor=None, strokeColor=ACCENT, strokeWidth=LINK,
        )
    )  # fmt: skip
    reach = COVER + LINK + BAR / 2 + 0.6 * mm
    for x in (LEFT + reach, LEFT + WIDTH - reach):
        for y in (FOOT + reach, FOOT + HEIGHT - reach):
            drawing.add(Circle(x, y, BAR / 2, fillColor=INK, strokeColor=INK))


def _draw_cover(drawing: Drawing) -> None:
    middle = LEFT + WIDTH / 2
    _draw_line(drawing, middle, FOOT, middle, FOOT + COVER, INK)
    for y in (FOOT, FOOT + COVER):
        _draw_line(drawing, middle - 2 * mm, y, middle + 2 * mm, y, INK)


def _draw_labels(drawing: Drawing) -> None:
    words = LEFT + WIDTH + 16 * mm
    reach = COVER + LINK + BAR / 2 + 0.6 * mm
    rows = [
        (LEFT + WIDTH - reach + BAR / 2, FOOT + HEIGHT - reach, "Main bar"),
        (LEFT + WIDTH - COVER, FOOT + HEIGHT / 2, "Link: the outermost reinforcement"),
        (LEFT + WIDTH / 2 + 0.8 * mm, FOOT + COVER / 2, "Nominal cover"),
    ]
    for x, y, label in rows:
        _draw_line(drawing, x, y, words - 2 * mm, y, INK_SOFT)
        font = SANS_BOLD if label == "Nominal cover" else SANS
        drawing.add(String(words, y - 3, label, fontName=font, fontSize=9.5, fillColor=INK))


def _draw_line(drawing: Drawing, x1: float, y1: float, x2: float, y2: float, colour: Color) -> None:
    drawing.add(Line(x1, y1, x2, y2, strokeColor=colour, strokeWidth=0.7))
