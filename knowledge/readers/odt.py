"""OpenDocument text: paragraphs, items of lists with their marks, headings by their level, tables row by row, and notes
below what refers to them. What somebody deleted or hid, and comments, are left out; nothing outside the file is
followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from knowledge.readers.odt_styles import OdtListMarks, raised_style_names
from knowledge.readers.safe_xml import parse_xml
from knowledge.readers.single_page import single_page_events
from knowledge.readers.superscripts import end_of, raised_text
from knowledge.readers.tables import row_lines
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.text_lines import TextLines
from knowledge.readers.types import DamagedDocument, EncryptedDocument, Heading, Limits, ReaderEvent, TooLarge
from knowledge.readers.zip_checks import check_archive, open_archive

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAWING = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_MARGINS = tuple(f"{_STYLE}{kind}{which}" for kind in ("header", "footer") for which in ("", "-left", "-first"))
_MANIFEST, _STYLES = "META-INF/manifest.xml", "styles.xml"
# Text that nobody sees on the page, or that belongs to something else.
_SKIPPED = frozenset(
    {f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}hidden-text", f"{_TEXT}note", f"{_TEXT}ruby-text"}
    | {f"{_DRAWING}title", f"{_DRAWING}desc"}
)
_CHARACTERS = {f"{_TEXT}tab": " ", f"{_TEXT}line-break": "\n", f"{_TEXT}s": " "}
_PARAGRAPHS = frozenset({f"{_TEXT}p", f"{_TEXT}h"})
# Set on what stands above the line, which only the styles say.
_RAISED = "raised"
# A cell or a row may claim to be there a million times; what is beyond this is the empty rest of a sheet.
_MAX_REPEATED = 100
_MAX_CELLS = 500_000


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path, needs="content.xml")
    content, styles = _parts(path)
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise DamagedDocument()
    roots = [root for root in (styles, content) if root is not None]
    _mark_raised(content, raised_style_names(roots))
    page = _BodyText(OdtListMarks(roots))
    page.add_blocks(body)
    page.add_margins(styles)
    title = next((heading.title for heading in page.headings if heading.level == 1), None)
    yield from single_page_events(text=page.text(), limits=limits, title=title, headings=page.headings)


def _parts(path: Path) -> tuple[etree._Element, etree._Element | None]:
    """What was written, and the styles, which hold the headers and footers of pages."""
    with open_archive(path) as archive:
        names = archive.namelist()
        if _MANIFEST in names and b"encryption-data" in archive.read(_MANIFEST):
            raise EncryptedDocument()
        styles = parse_xml(archive.read(_STYLES)) if _STYLES in names else None
        return parse_xml(archive.read("content.xml")), styles


def _mark_raised(content: etree._Element, styles: frozenset[str]) -> None:
    for span in content.iter(f"{_TEXT}span") if styles else ():
        if span.get(f"{_TEXT}style-name") in styles:
            span.set(_RAISED, "")


class _BodyText(TextLines):
    """Gathers the text of a document as lines, with the offsets of its headings."""

    def __init__(self, marks: OdtListMarks) -> None:
        super().__init__()
        self._marks = marks

    def add_blocks(self, container: etree._Element) -> None:
        stack = [iter(container)]
        while stack:
            block = next(stack[-1], None)
            if block is None:
                stack.pop()
            elif block.tag in _PARAGRAPHS:
                self._add_paragraph(block)
            elif block.tag == f"{_TABLE}table":
                for line in row_lines(_table_rows(block)):
                    self.append(line)
                self.append("")
            elif isinstance(block.tag, str) and not _is_skipped(block):
                stack.append(iter(block))

    def add_margins(self, styles: etree._Element | None) -> None:
        """What headers and footers say, each once, in one line. A page number alone says nothing."""
        margins = [] if styles is None else [*styles.iter(*_MARGINS)]
        texts = (one_line(" ".join(_paragraph_text(one) for one in margin.iter(*_PARAGRAPHS))) for margin in margins)
        for text in dict.fromkeys(texts):
            if any(map(str.isalpha, text)):
                self.append(text)
                self.append("")

    def _add_paragraph(self, paragraph: etree._Element) -> None:
        mark = self._marks.next_mark(paragraph)
        text = "\n".join(filter(None, map(one_line, _paragraph_text(paragraph).split("\n"))))
        if text:
            if paragraph.tag == f"{_TEXT}h":
                level = paragraph.get(f"{_TEXT}outline-level", "1")
                number = min(int(level), 6) if level.isascii() and level.isdigit() and len(level) < 3 else 1
                title = one_line(text).removesuffix(":")[:200]
                self.headings.append(Heading(page=1, start=self.length, level=max(1, number), title=title))
                mark = ""
            self.append(f"{mark}{text}")
            self.append("")
        for note in paragraph.iter(f"{_TEXT}note-body"):
            if words := one_line(" ".join(_paragraph_text(one) for one in note.iter(*_PARAGRAPHS))):
                self.append(words)
                self.append("")


def _is_skipped(element: etree._Element) -> bool:
    return element.tag in _SKIPPED or element.get(f"{_TEXT}display") == "none"


def _paragraph_text(element: etree._Element) -> str:
    """The visible text of a paragraph, with its line breaks; what stands in a frame inside it as lines of its own."""
    parts: list[str] = []
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        is_inner = node is not element
        apart = "\n" if is_inner and node.tag in _PARAGRAPHS else ""
        if event == "end":
            parts.append(apart + (node.tail or "") if is_inner else "")
        elif not isinstance(node.tag, str) or (is_inner and _is_skipped(node)):
            walker.skip_subtree()
        elif _RAISED in node.attrib and (raised := _raised_digits(node, parts)) is not None:
            parts.append(raised)
            walker.skip_subtree()
        else:
            parts.append(_CHARACTERS.get(node.tag, "") + apart + (node.text or ""))
    return clean_text("".join(parts))


def _raised_digits(span: etree._Element, before: Sequence[str]) -> str | None:
    """An exponent, or the mark of a note, which is left out; None for other text."""
    text = "".join(span.itertext())
    raised = raised_text(text, end_of(before))
    return None if raised == text else raised


def _table_rows(table: etree._Element) -> list[list[str]]:
    """The texts of the cells, row by row. A cell over several rows is repeated, one over columns leaves gaps."""
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    count = 0
    for row in table.iter(f"{_TABLE}table-row"):
        if next(row.iterancestors(f"{_TABLE}table"), None) is not table:
            continue
        cells: list[str] = []
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            cells += _repeated_cells(cell, len(cells), below)
        times = _count(row, "number-rows-repeated") if any(cells) else 1
        count += times * len(cells)
        if count > _MAX_CELLS:
            raise TooLarge(f"A table has more than {_MAX_CELLS:,} cells.")
        rows += [cells] * times
    return rows


def _repeated_cells(cell: etree._Element, column: int, below: dict[int, tuple[int, str]]) -> list[str]:
    """`below` holds, by column, how many more rows a cell from above reaches into and its text."""
    times = _count(cell, "number-columns-repeated")
    if cell.tag == f"{_TABLE}covered-table-cell":
        left, above = below.get(column, (0, ""))
        below[column] = (left - 1, above)
        return [above if left > 0 else ""] + [""] * (times - 1)
    text = one_line(" ".join(_paragraph_text(one) for one in cell.iter(*_PARAGRAPHS)))
    below[column] = (_count(cell, "number-rows-spanned") - 1, text)
    return [text] * times


def _count(element: etree._Element, name: str) -> int:
    value = element.get(f"{_TABLE}{name}", "1")
    return max(1, min(int(value), _MAX_REPEATED)) if value.isascii() and value.isdigit() and len(value) < 9 else 1
