"""Turns the handbook's markdown into the paragraphs, tables and notices that are laid out on its pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    FrameBreak,
    KeepTogether,
    ListFlowable,
    ListItem,
    PageBreak,
    Paragraph,
    Spacer,
    Table,
)

from marketplace.demo_content.beam_section import beam_section
from marketplace.demo_content.handbook_style import (
    ACCENT,
    MEASURE,
    NOTICE_BOX,
    PAGE_HEIGHT,
    RULED,
    SERIF,
    SERIF_BOLD,
    STYLES,
)

# A chapter does not begin in the last part of a page.
CHAPTER_NEEDS = PAGE_HEIGHT * 0.42
# The widest words of these tables decide; a table with other headings shares the width equally.
COLUMN_SHARES = {
    "Surroundings of the concrete face": (0.14, 0.48, 0.38),
    "Nominal cover, not less than": (0.2, 0.32, 0.48),
    "Beams, simply supported": (0.09, 0.128, 0.132, 0.128, 0.132, 0.128, 0.132, 0.13),
    "Greatest crack width": (0.72, 0.28),
}
QUANTITY = re.compile(r"([=\d]) (mm|h|m|kg|percent|days|\d)")
REFERENCE = re.compile(r"\b(Table|[Cc]lause|[Cc]hapter) (\d)")
FIGURES = {"beam-section": beam_section}


def handbook_story(markdown: str) -> list[Flowable]:
    """The flowables of the handbook, in reading order. Raises KeyError for Markdown that it has no style for."""
    root = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(markdown))
    return list(_join_tables([part for node in root.children for part in BLOCK_RENDERERS[node.type](node)]))


def _join_tables(parts: list[Flowable]) -> Iterator[Flowable]:
    """Keep a caption, its table and its note on one page."""
    held: list[Flowable] = []
    for part in parts:
        role = _style_name(part)
        if held and role not in ("table", "table_note"):
            yield KeepTogether([*held, Spacer(0, 9)])
            held = []
        if role == "caption" or held:
            held.append(part)
        else:
            yield part
    if held:
        yield KeepTogether(held)


def _style_name(part: Flowable) -> str:
    if isinstance(part, Table):
        return "table"
    return part.style.name if isinstance(part, Paragraph) else ""


def _inline(node: SyntaxTreeNode) -> str:
    if node.type == "text":
        return _with_nbsp(escape(node.content, quote=False))
    if node.type == "softbreak":
        return " "
    inner = "".join(_inline(child) for child in node.children)
    return f"<b>{inner}</b>" if node.type == "strong" else inner


def _with_nbsp(text: str) -> str:
    # A number stays on one line with its unit, a table with its number: readers take them as one.
    return REFERENCE.sub("\\1\u00a0\\2", QUANTITY.sub("\\1\u00a0\\2", text))


def _heading(node: SyntaxTreeNode) -> list[Flowable]:
    title = Paragraph(_inline(node), STYLES[node.tag])
    return [CondPageBreak(CHAPTER_NEEDS), title] if node.tag == "h2" else [title]


def _paragraph(node: SyntaxTreeNode) -> list[Flowable]:
    content = node.children[0]
    if content.children[0].type == "image":
        return _figure(content.children[0])
    style = _paragraph_style(content.content)
    paragraph = Paragraph(_inline(node), STYLES[style])
    return [paragraph, FrameBreak()] if style == "subtitle" else [paragraph]


def _paragraph_style(text: str) -> str:
    if text.startswith("**Table "):
        return "caption"
    if text.startswith("Note to Table "):
        return "table_note"
    return "subtitle" if text.startswith("A short handbook") else "body"


def _figure(image: SyntaxTreeNode) -> list[Flowable]:
    drawing = FIGURES[str(image.attrs["src"])]()
    return [KeepTogether([drawing, Paragraph(_with_nbsp(escape(image.content)), STYLES["caption"]), Spacer(0, 6)])]


def _list(node: SyntaxTreeNode) -> list[Flowable]:
    items = [ListItem(Paragraph(_inline(item), STYLES["item"])) for item in node.children]
    numbered = node.type == "ordered_list"
    look = (
        {"bulletType": "1", "bulletFormat": "%s.", "bulletFontName": SERIF_BOLD, "bulletFontSize": 11}
        if numbered
        else {"bulletType": "bullet", "start": "•", "bulletFontName": SERIF, "bulletFontSize": 11}
    )
    return [ListFlowable(items, leftIndent=16, bulletColor=ACCENT, **look), Spacer(0, 2)]


def _table(node: SyntaxTreeNode) -> list[Flowable]:
    rows = [row.children for section in node.children for row in section.children]
    cells = [
        [Paragraph(_inline(cell), STYLES["cell" if number else "head_cell"]) for cell in row]
        for number, row in enumerate(rows)
    ]
    heading = rows[0][1].children[0].content
    shares = COLUMN_SHARES.get(heading, (1 / len(rows[0]),) * len(rows[0]))
    return [Table(cells, colWidths=[MEASURE * share for share in shares], style=RULED, repeatRows=1)]


def _notice(node: SyntaxTreeNode) -> list[Flowable]:
    text = [Paragraph(_inline(child), STYLES["notice"]) for child in node.children]
    return [Table([[text]], colWidths=[MEASURE], style=NOTICE_BOX), Spacer(0, 16)]


def _page_end(_: SyntaxTreeNode) -> list[Flowable]:
    return [PageBreak()]


BLOCK_RENDERERS: dict[str, Callable[[SyntaxTreeNode], list[Flowable]]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "bullet_list": _list,
    "ordered_list": _list,
    "table": _table,
    "blockquote": _notice,
    "hr": _page_end,
}
