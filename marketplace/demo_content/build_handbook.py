"""Builds the committed PDF of the demonstration handbook.

For developers: `python -m marketplace.demo_content.build_handbook`. Nothing that runs needs reportlab.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageTemplate, Paragraph

from marketplace.demo_content.handbook_story import handbook_story
from marketplace.demo_content.handbook_style import (
    ACCENT,
    BAND,
    BAND_TOP,
    BELOW_BAND,
    BOTTOM,
    INK_SOFT,
    LINE,
    MEASURE,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    SANS,
    SIDE,
    TOP,
)

CONTENT_FOLDER = Path(__file__).parent
SOURCE = CONTENT_FOLDER / "handbook.md"
TARGET = CONTENT_FOLDER / "concrete-cover-handbook.pdf"
# The committed file was built with this version of reportlab; another one may order its bytes differently.
BUILT_WITH = "4.5.1"

TITLE = "Concrete cover in buildings"
RUNNING_TITLE = "Concrete cover in buildings: a teaching text, not the standard"
OUTLINE_LEVELS = {"h2": 0, "h3": 1}


class Handbook(BaseDocTemplate):
    """Pages with a running title, and an outline made of the numbered headings."""

    def afterFlowable(self, flowable: Flowable) -> None:
        level = OUTLINE_LEVELS.get(flowable.style.name) if isinstance(flowable, Paragraph) else None
        if level is None:
            return
        heading = flowable.getPlainText()
        key = heading.split(" ", 1)[0]
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(heading, key, level=level, closed=True)


def build_handbook() -> bytes:
    """The handbook as PDF: the same bytes at every run with the same version of reportlab."""
    target = BytesIO()
    # Left uncompressed: the output of zlib differs from one machine to the next.
    document = Handbook(
        target, invariant=1, pageCompression=0, lang="en-GB",
        title=TITLE, author="Lexic demonstration content", subject="A teaching text on concrete cover",
    )  # fmt: skip
    document.addPageTemplates(_page_templates())
    document.build([NextPageTemplate("page"), *handbook_story(SOURCE.read_text(encoding="utf-8"))])
    return target.getvalue()


def _page_templates() -> list[PageTemplate]:
    height = PAGE_HEIGHT - TOP - BOTTOM
    padding = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
    title = Frame(SIDE, PAGE_HEIGHT - BAND, MEASURE, BAND - BAND_TOP, **padding)
    below = Frame(SIDE, BOTTOM, MEASURE, PAGE_HEIGHT - BAND - BOTTOM - BELOW_BAND, **padding)
    inner = Frame(SIDE, BOTTOM, MEASURE, height, **padding)
    return [
        PageTemplate("cover", [title, below], onPage=_draw_band, onPageEnd=_draw_footer),
        PageTemplate("page", [inner], onPageEnd=_draw_footer),
    ]


def _draw_band(canvas: Canvas, _: BaseDocTemplate) -> None:
    canvas.saveState()
    canvas.setFillColor(ACCENT)
    canvas.rect(0, PAGE_HEIGHT - BAND, PAGE_WIDTH, BAND, stroke=0, fill=1)
    canvas.restoreState()


def _draw_footer(canvas: Canvas, document: BaseDocTemplate) -> None:
    # Drawn when the page is done, so that it comes last in the text of the page too.
    canvas.saveState()
    canvas.setStrokeColor(LINE)
    canvas.setLineWidth(0.5)
    canvas.line(SIDE, BOTTOM - 18, PAGE_WIDTH - SIDE, BOTTOM - 18)
    canvas.setFont(SANS, 8)
    canvas.setFillColor(INK_SOFT)
    canvas.drawString(SIDE, BOTTOM - 30, RUNNING_TITLE)
    canvas.drawRightString(PAGE_WIDTH - SIDE, BOTTOM - 30, str(document.page))
    canvas.restoreState()


def main() -> int:
    TARGET.write_bytes(build_handbook())
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
