"""How the demonstration handbook looks: paper, type, colours and ruled tables."""

from __future__ import annotations

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import TableStyle

ACCENT = HexColor("#065f74")
ACCENT_SOFT = HexColor("#e8f5f9")
NOTICE = HexColor("#7c500f")
NOTICE_SOFT = HexColor("#fdf4dd")
INK = HexColor("#141c20")
INK_SOFT = HexColor("#40494e")
LINE = HexColor("#889194")

PAGE_WIDTH, PAGE_HEIGHT = A4
SIDE = 30 * mm
TOP = 26 * mm
BOTTOM = 28 * mm
MEASURE = PAGE_WIDTH - 2 * SIDE
# The coloured band of the first page, and how far down it the title begins.
BAND = 92 * mm
BAND_TOP = 38 * mm
BELOW_BAND = 12 * mm

# The fonts every PDF reader has: nothing to embed, so the file is small and the same on every machine.
SERIF, SERIF_BOLD = "Times-Roman", "Times-Bold"
SANS, SANS_BOLD = "Helvetica", "Helvetica-Bold"

BODY = ParagraphStyle("body", fontName=SERIF, fontSize=11, leading=15.4, textColor=INK, spaceAfter=7)
STYLES = {
    "body": BODY,
    "item": ParagraphStyle("item", BODY, spaceAfter=4),
    "h1": ParagraphStyle("h1", fontName=SANS_BOLD, fontSize=31, leading=36, textColor=white, spaceAfter=10),
    "subtitle": ParagraphStyle("subtitle", fontName=SANS, fontSize=13.5, leading=19, textColor=white),
    "h2": ParagraphStyle(
        "h2",
        fontName=SANS_BOLD,
        fontSize=17,
        leading=21,
        textColor=ACCENT,
        spaceBefore=20,
        spaceAfter=6,
        keepWithNext=1,
    ),
    "h3": ParagraphStyle(
        "h3",
        fontName=SANS_BOLD,
        fontSize=11.5,
        leading=15,
        textColor=INK,
        spaceBefore=9,
        spaceAfter=3,
        keepWithNext=1,
    ),
    "caption": ParagraphStyle(
        "caption", fontName=SANS, fontSize=9.5, leading=13, textColor=INK, spaceBefore=6, spaceAfter=5
    ),
    "table_note": ParagraphStyle(
        "table_note", fontName=SANS, fontSize=8.5, leading=11.5, textColor=INK_SOFT, spaceBefore=5
    ),
    "cell": ParagraphStyle("cell", fontName=SANS, fontSize=9, leading=12, textColor=INK),
    "head_cell": ParagraphStyle("head_cell", fontName=SANS_BOLD, fontSize=8.6, leading=12, textColor=ACCENT),
    "notice": ParagraphStyle("notice", BODY, fontSize=10.5, leading=14.6, textColor=INK, spaceAfter=0),
}

RULED = TableStyle(
    [
        ("GRID", (0, 0), (-1, -1), 0.5, LINE),
        ("LINEBELOW", (0, 0), (-1, 0), 1.2, ACCENT),
        ("BACKGROUND", (0, 0), (-1, 0), ACCENT_SOFT),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("LEFTPADDING", (0, 0), (-1, -1), 4.5),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ("TOPPADDING", (0, 0), (-1, -1), 4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
    ]
)

NOTICE_BOX = TableStyle(
    [
        ("BACKGROUND", (0, 0), (-1, -1), NOTICE_SOFT),
        ("LINEBEFORE", (0, 0), (0, -1), 3, NOTICE),
        ("LEFTPADDING", (0, 0), (-1, -1), 12),
        ("RIGHTPADDING", (0, 0), (-1, -1), 12),
        ("TOPPADDING", (0, 0), (-1, -1), 9),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 11),
    ]
)
