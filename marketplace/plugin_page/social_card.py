"""The image that other sites show of a plugin: its name, its tagline, and its golden results.

It is drawn with our own fonts, which Pillow's FreeType reads as they are vendored, and says nothing that the page does
not.
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

from marketplace.plugin_page.page_view import plugin_or_404
from marketplace.plugin_page.release_history import pass_counts, recent_releases
from plugins.models import Plugin

WIDTH, HEIGHT = 1200, 630
_CARD_CACHE_SECONDS = 86_400
_MARGIN, _TEXT_WIDTH, _MAX_LINES = 72, WIDTH - 2 * 72, 2
_PAPER, _INK, _QUIET, _TEAL = "#ffffff", "#141c20", "#40494e", "#065f74"
_FONTS = Path(settings.BASE_DIR) / "static" / "fonts"
# Drawn this many times larger and then scaled down, because Pillow's lines have hard edges.
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
    """A PNG, 1200 by 630. Raises Http404."""
    plugin = plugin_or_404(slug)
    card = build_card(plugin)
    png = caches["process"].get_or_set(f"card:{card.id}", lambda: render_card(card), _CARD_CACHE_SECONDS)
    response = HttpResponse(png, content_type="image/png")
    response["Cache-Control"] = "public, max-age=3600"
    return response


def build_card(plugin: Plugin) -> SocialCard:
    """The words and figures of the card. Two statements beside that for the plugin."""
    latest = recent_releases(plugin, limit=1)
    counts = pass_counts(latest[0].scorecard) if latest else {}
    listing = getattr(plugin, "listing", None)
    rates = [(counts.get("right"), "Answered right"), (counts.get("refused"), "Refused what it must")]
    figures = [(rate.replace("/", " / "), label) for rate, label in rates if rate]
    if listing and listing.sources:
        figures.append((f"{listing.sources:,}", "Source" if listing.sources == 1 else "Sources"))
    return SocialCard(
        name=_printable_text(plugin.name), tagline=_printable_text(plugin.tagline), figures=tuple(figures)
    )


def render_card(card: SocialCard) -> bytes:
    """The card as a PNG."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    _draw_mark(image)
    pen.text((_MARGIN + 76, 66), "Lexic", font=_font("serif", 42, bold=True), fill=_INK)
    y = _draw_lines(pen, card.name, y=170, font=_font("serif", 66, bold=True), fill=_INK, step=78)
    _draw_lines(pen, card.tagline, y=y + 18, font=_font("sans", 32), fill=_QUIET, step=44)
    _draw_figures(pen, card.figures)
    file = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE).save(file, "PNG")
    return file.getvalue()


def _draw_mark(image: Image.Image) -> None:
    """The logo, 28 units wide: a verified citation, `[✓]`, as in static/logo.svg."""
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
    pen: ImageDraw.ImageDraw, text: str, *, y: int, font: ImageFont.FreeTypeFont, fill: str, step: int
) -> int:
    """Draws the text from `y` down, and returns where the next text may begin."""
    for line in _wrap_lines(text, font=font):
        pen.text((_MARGIN, y), line, font=font, fill=fill)
        y += step
    return y


def _draw_figures(pen: ImageDraw.ImageDraw, figures: Sequence[tuple[str, str]]) -> None:
    pen.rectangle((_MARGIN, 478, WIDTH - _MARGIN, 483), fill=_INK)
    if not figures:
        pen.text((_MARGIN, 510), "Answers that show their source.", font=_font("sans", 30), fill=_QUIET)
    for column, (figure, label) in enumerate(figures):
        x = _MARGIN + column * _TEXT_WIDTH // 3
        pen.text((x, 502), figure, font=_font("sans", 44, bold=True), fill=_INK)
        pen.text((x, 558), label, font=_font("sans", 25), fill=_QUIET)


def _wrap_lines(text: str, *, font: ImageFont.FreeTypeFont) -> list[str]:
    """At most two lines; what does not fit ends in an ellipsis."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < _MAX_LINES:
        line = words.pop(0)
        while words and font.getlength(f"{line} {words[0]}") <= _TEXT_WIDTH:
            line = f"{line} {words.pop(0)}"
        is_cut_off = bool(words) and len(lines) == _MAX_LINES - 1
        if is_cut_off or font.getlength(line) > _TEXT_WIDTH:
            while line and font.getlength(f"{line} …") > _TEXT_WIDTH:
                line = line[:-1].rstrip()
            line = f"{line} …"
        lines.append(line)
    return lines


def _font(name: str, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(_FONTS / f"lexic-{name}.woff2", size)
    font.set_variation_by_axes([600.0 if bold else 400.0, 32.0][: len(font.get_variation_axes())])
    return font


def _printable_text(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
