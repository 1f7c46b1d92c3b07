"""The picture that other sites show of a plugin: its name, what it says of itself, and how it did.

Drawn with our own fonts, which Pillow's FreeType reads as they are vendored. It says nothing that the page does not.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from PIL import Image, ImageDraw, ImageFont

from marketplace.plugin_page.page_view import listing_or_none, plugin_or_404
from marketplace.plugin_page.release_history import pass_counts, recent_releases
from plugins.models import Plugin

WIDTH, HEIGHT = 1200, 630
_CARD_CACHE_SECONDS = 86_400
_MARGIN, _TEXT_WIDTH = 72, WIDTH - 2 * 72
_PAPER, _INK, _QUIET, _TEAL = "#ffffff", "#141c20", "#40494e", "#065f74"
_FONTS = Path(settings.BASE_DIR) / "static" / "fonts"
# Drawn so many times larger and made smaller: Pillow's lines have hard edges.
_SUPERSAMPLING = 4


@dataclass(frozen=True, kw_only=True)
class SocialCard:
    name: str
    tagline: str
    figures: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()[:24]


@require_safe
def card_view(request: HttpRequest, slug: str) -> HttpResponse:
    """A PNG, 1200 by 630."""
    plugin = plugin_or_404(slug)
    said = build_card(plugin)
    png = caches["process"].get_or_set(f"card:{said.id}", lambda: render_card(said), _CARD_CACHE_SECONDS)
    response = HttpResponse(png, content_type="image/png")
    response["Cache-Control"] = "public, max-age=3600"
    return response


def build_card(plugin: Plugin) -> SocialCard:
    """Two statements beside that for the plugin."""
    latest = recent_releases(plugin, most=1)
    how = pass_counts(latest[0].scorecard) if latest else {}
    listing = listing_or_none(plugin)
    figures = [("Answered right", how.get("right")), ("Refused what it must", how.get("refused"))]
    shown = [(pair.replace("/", " / "), words) for words, pair in figures if pair]
    if listing and listing.sources:
        shown.append((f"{listing.sources:,}", "Source" if listing.sources == 1 else "Sources"))
    return SocialCard(
        name=_printable_text(plugin.name), tagline=_printable_text(plugin.tagline), figures=tuple(shown)
    )


def render_card(said: SocialCard) -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    _draw_mark(image)
    pen.text((_MARGIN + 76, 66), "Lexic", font=_font("serif", 42, bold=True), fill=_INK)
    y = _draw_lines(pen, said.name, y=170, font=_font("serif", 66, bold=True), fill=_INK, step=78, most=2)
    _draw_lines(pen, said.tagline, y=y + 18, font=_font("sans", 32), fill=_QUIET, step=44, most=2)
    _draw_figures(pen, said.figures)
    held = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE).save(held, "PNG")
    return held.getvalue()


def _draw_mark(image: Image.Image) -> None:
    """The mark: a verified citation, `[✓]`, as in static/logo.svg, 28 units wide."""
    unit = 2 * _SUPERSAMPLING
    mark = Image.new("RGB", (28 * unit, 28 * unit), _PAPER)
    pen = ImageDraw.Draw(mark)
    pen.rounded_rectangle((0, 0, 28 * unit - 1, 28 * unit - 1), 5 * unit, fill=_TEAL)
    strokes = [
        [(9.5, 6.5), (6.5, 6.5), (6.5, 21.5), (9.5, 21.5)],
        [(18.5, 6.5), (21.5, 6.5), (21.5, 21.5), (18.5, 21.5)],
        [(10.5, 14.3), (13, 17), (17.6, 11.3)],
    ]
    for stroke in strokes:
        points = [(x * unit, y * unit) for x, y in stroke]
        pen.line(points, fill=_PAPER, width=round(2.2 * unit), joint="curve")
    image.paste(mark.resize((56, 56), Image.Resampling.LANCZOS), (_MARGIN, 64))


def _draw_lines(
    pen: ImageDraw.ImageDraw, text: str, *, y: int, font: ImageFont.FreeTypeFont, fill: str, step: int, most: int
) -> int:
    """Where the next thing may stand."""
    for line in _wrap_lines(text, font=font, most=most):
        pen.text((_MARGIN, y), line, font=font, fill=fill)
        y += step
    return y


def _draw_figures(pen: ImageDraw.ImageDraw, figures: Sequence[tuple[str, str]]) -> None:
    pen.rectangle((_MARGIN, 478, WIDTH - _MARGIN, 483), fill=_INK)
    if not figures:
        pen.text((_MARGIN, 510), "Answers that show their source.", font=_font("sans", 30), fill=_QUIET)
    for place, (figure, words) in enumerate(figures):
        x = _MARGIN + place * _TEXT_WIDTH // 3
        pen.text((x, 502), figure, font=_font("sans", 44, bold=True), fill=_INK)
        pen.text((x, 558), words, font=_font("sans", 25), fill=_QUIET)


def _wrap_lines(text: str, *, font: ImageFont.FreeTypeFont, most: int) -> list[str]:
    """At most so many lines; what does not fit ends in an ellipsis."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most:
        line = [words.pop(0)]
        while words and font.getlength(" ".join([*line, words[0]])) <= _TEXT_WIDTH:
            line.append(words.pop(0))
        lines.append(" ".join(line))
    is_cut = bool(words)
    return [
        _truncate_line(line, font=font, is_cut=is_cut and at == len(lines) - 1) for at, line in enumerate(lines)
    ]


def _truncate_line(line: str, *, font: ImageFont.FreeTypeFont, is_cut: bool) -> str:
    if not is_cut and font.getlength(line) <= _TEXT_WIDTH:
        return line
    while line and font.getlength(f"{line} …") > _TEXT_WIDTH:
        line = line[:-1].rstrip()
    return f"{line} …"


def _font(name: str, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(_FONTS / f"lexic-{name}.woff2", size)
    font.set_variation_by_axes([600.0 if bold else 400.0, 32.0][: len(font.get_variation_axes())])
    return font


def _printable_text(text: str) -> str:
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
