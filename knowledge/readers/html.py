"""HTML as the text a visitor sees. Nothing is fetched: no image, no style sheet, no entity, no frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from lxml import etree

from knowledge.readers.html_list_marks import HtmlListMarks
from knowledge.readers.html_visibility import is_hidden, show_panels
from knowledge.readers.single_page import single_page_events
from knowledge.readers.superscripts import end_of, raised_text
from knowledge.readers.tables import row_lines
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.text_lines import TextLines
from knowledge.readers.types import EmptyDocument, Heading, Limits, ReaderEvent, TooLarge

_BLOCK_TAG_NAMES = """
address article aside blockquote body br caption center dd details dialog div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol optgroup
option p pre section summary table tbody td tfoot th thead tr ul
"""
# Blocks that stand apart from their neighbours by an empty line.
_PARAGRAPH_TAG_NAMES = """
h1 h2 h3 h4 h5 h6 p pre table ul ol dl blockquote section article
"""
_BLOCK_LEVEL_TAGS = frozenset(_BLOCK_TAG_NAMES.split())
_PARAGRAPH_LEVEL_TAGS = frozenset(_PARAGRAPH_TAG_NAMES.split())
_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

_RAISING_STYLE = re.compile(r"vertical-align\s{0,9}:\s{0,9}super", re.IGNORECASE)
_MAX_RAISED_LENGTH = 40
_META_CHARSET = re.compile(rb"<meta[^>]{1,300}?charset\s{0,9}=\s{0,9}[\"']?([\w-]{1,40})", re.IGNORECASE)
_CHARSET_SEARCH_BYTES = 4096
_MAX_SPAN = 100
_LINK_SCHEMES = frozenset({"http", "https", "mailto"})
_MAX_ADDRESS_LENGTH = 200
_MAX_LINK_TEXTS = 20  # of the pieces that a link's text has, as many as are looked at
_ADDRESS_START = re.compile(r"^(?:https?://)?(?:www\.)?")


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    root = parse_html(path.read_bytes())
    page = VisibleText()
    page.walk(root)
    text, headings = page.result()
    named = one_line(clean_text(root.findtext(".//title") or ""))[:300]
    title = named or next((heading.title for heading in headings if heading.level == 1), None)
    yield from single_page_events(text=text, limits=limits, title=title, headings=headings)


def parse_html(data: bytes) -> etree._Element:
    """The tree of a page, however broken, with what a click opens. Raises `EmptyDocument`, and `TooLarge` where it is
    nested beyond reason."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = etree.fromstring(clean_text(_decode_html(data)).encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        raise EmptyDocument() from error
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise TooLarge("The HTML is nested too deeply.")
    if root is None:
        raise EmptyDocument()
    show_panels(root)
    return root


def _decode_html(data: bytes) -> str:
    """UTF-8 where it is valid, whatever the page says of itself; then what it says; then the best guess."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = _META_CHARSET.search(data[:_CHARSET_SEARCH_BYTES])
    try:
        return data.decode(named[1].decode("ascii"), errors="replace") if named else decode_bytes(data)
    except LookupError:
        return decode_bytes(data)


def raised_digits(element: etree._Element, before: Sequence[str]) -> str | None:
    """What a raised element says behind the pieces of text before it; None where it is no exponent and no mark of a
    note, and is read as any other."""
    if element.tag != "sup" and not _RAISING_STYLE.search(element.get("style", "")[:2000]):
        return None
    text = "".join(islice(element.itertext(), _MAX_LINK_TEXTS))[:_MAX_RAISED_LENGTH].strip()
    end = end_of(before)
    raised = raised_text(text, end)
    if raised == text or any(is_hidden(inner) for inner in element.iterdescendants(etree.Element)):
        return None
    is_link = element.find(".//a") is not None or next(element.iterancestors("a"), None) is not None
    return raised_text(text, end, is_link=is_link)


def link_address(element: etree._Element) -> str:
    """Where a link leads, if that is a page or somebody's mailbox and not what the link says already. Links without
    text are pictures, and very long addresses count clicks: a reader is better off without them."""
    if element.tag != "a":
        return ""
    scheme, _, place = element.get("href", "").strip().partition(":")
    address = place.partition("?")[0] if scheme.lower() == "mailto" else f"{scheme}:{place}"
    if scheme.lower() not in _LINK_SCHEMES or len(address) > _MAX_ADDRESS_LENGTH:
        return ""
    shown = one_line("".join(islice(element.itertext(), _MAX_LINK_TEXTS)))
    return one_line(address) if shown and _bare_address(address) != _bare_address(shown) else ""


def _bare_address(address: str) -> str:
    """Without what people leave out of an address."""
    return _ADDRESS_START.sub("", address.strip().lower()).rstrip("/")


class VisibleText(TextLines):
    """Gathers the text of a tree as lines, with the offsets of its headings; where asked for, with the addresses of
    links behind their texts."""

    def __init__(self, *, with_addresses: bool = False) -> None:
        super().__init__()
        self._with_addresses = with_addresses
        self._pending: list[str] = []
        self._list_marks = HtmlListMarks(is_hidden)
        self._mark = ""  # stands before the next line
        self._preformatted = 0

    def result(self) -> tuple[str, list[Heading]]:
        self._end_line()
        return self.text(), self.headings

    def walk(self, root: etree._Element) -> None:
        # Iterative: the depth of the tree is the author's choice, the depth of our stack is not.
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "end":
                self._end_element(element)
            elif not self._begin_element(element):
                walker.skip_subtree()

    def _begin_element(self, element: etree._Element) -> bool:
        """Take in the start of an element; false when its children must not be visited."""
        if not isinstance(element.tag, str) or is_hidden(element):
            return False
        if element.tag in _BLOCK_LEVEL_TAGS:
            self._end_line()
        if element.tag in _PARAGRAPH_LEVEL_TAGS:
            self.append_blank_line()
        self._mark += self._list_marks.next_mark(element)
        if element.tag == "table" and is_data_table(element):
            self._add_table(element)
            return False
        if (raised := raised_digits(element, self._pending)) is not None:
            self._pending.append(raised)
            return False
        self._preformatted += element.tag == "pre"
        self._add_text(element.text)
        return True

    def _end_element(self, element: etree._Element) -> None:
        if element.tag in _HEADING_LEVELS and not is_hidden(element):
            self._end_heading(_HEADING_LEVELS[element.tag])
        elif element.tag in _BLOCK_LEVEL_TAGS:
            self._end_line()
        if element.tag == "li" and not is_hidden(element):
            self._mark = ""
        if element.tag in _PARAGRAPH_LEVEL_TAGS:
            self.append_blank_line()
        if element.tag == "pre" and not is_hidden(element):
            self._preformatted -= 1
        if self._with_addresses and not is_hidden(element) and (address := link_address(element)):
            self._pending.append(f" ({address})")
        self._add_text(element.tail)

    def _add_table(self, table: etree._Element) -> None:
        captions = [one for one in table.iterchildren("caption") if not is_hidden(one)]
        texts = [_cell_text(one, with_addresses=self._with_addresses) for one in captions]
        for line in (*texts, *row_lines(table_rows(table, with_addresses=self._with_addresses))):
            if line:
                self.append(line)

    def _add_text(self, text: str | None) -> None:
        first, *rest = (text or "").split("\n") if self._preformatted else [text or ""]
        self._pending.append(first)
        # A line break in the source of <pre> is a line break on the page.
        for line in rest:
            self._end_line()
            self._pending.append(line)

    def _end_heading(self, level: int) -> None:
        start = self.length
        self._end_line()
        if self.length > start:
            self.headings.append(Heading(page=1, start=start, level=level, title=self.lines[-1][:200]))

    def _end_line(self) -> None:
        line = one_line("".join(self._pending))
        self._pending.clear()
        if line:
            self.append(f"{self._mark}{line}")
            self._mark = ""


def is_data_table(table: etree._Element) -> bool:
    """Whether rows and columns carry meaning: no table inside it, two rows, and two cells in one of them."""
    if table.find(".//table") is not None:
        return False
    rows = table.findall(".//tr")
    return len(rows) > 1 and any(len(row.xpath("./td|./th")) > 1 for row in rows)


def table_rows(table: etree._Element, *, with_addresses: bool = False) -> list[list[str]]:
    """The texts of the cells, row by row. One over several rows is repeated, one over columns leaves gaps."""
    below: dict[int, tuple[int, str]] = {}
    rows = (row for row in table.iter("tr") if not is_hidden(row))
    return [_row_cells(row, below, with_addresses=with_addresses) for row in rows]


def _row_cells(row: etree._Element, below: dict[int, tuple[int, str]], *, with_addresses: bool) -> list[str]:
    """`below` holds, by column, how many more rows a cell from above reaches into and its text."""
    cells: list[str] = []
    for cell in row.xpath("./td|./th"):
        _fill_from_above(cells, below)
        text = "" if is_hidden(cell) else _cell_text(cell, with_addresses=with_addresses)
        column = len(cells)
        if (rows := _cell_span(cell, "rowspan") - 1) > 0:
            below[column] = (rows, text)
        cells += [text] + [""] * (_cell_span(cell, "colspan") - 1)
    _fill_from_above(cells, below)
    return cells


def _fill_from_above(cells: list[str], below: dict[int, tuple[int, str]]) -> None:
    while (column := len(cells)) in below:
        rows, text = below.pop(column)
        if rows > 1:
            below[column] = (rows - 1, text)
        cells.append(text)


def _cell_span(cell: etree._Element, name: str) -> int:
    value = cell.get(name, "1").strip()
    return max(1, min(int(value), _MAX_SPAN)) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _cell_text(cell: etree._Element, *, with_addresses: bool) -> str:
    parts: list[str] = []
    marks = HtmlListMarks(is_hidden)
    walker = etree.iterwalk(cell, events=("start", "end"))
    for event, element in walker:
        if event == "start":
            if not isinstance(element.tag, str) or is_hidden(element):
                walker.skip_subtree()
            elif element is not cell and (raised := raised_digits(element, parts)) is not None:
                parts.append(raised)
                walker.skip_subtree()
            else:
                parts += [" " if element.tag in _BLOCK_LEVEL_TAGS else "", marks.next_mark(element), element.text or ""]
        elif element is not cell:
            if with_addresses and not is_hidden(element) and (address := link_address(element)):
                parts.append(f" ({address})")
            parts += [" " if element.tag in _BLOCK_LEVEL_TAGS else "", element.tail or ""]
    return one_line("".join(parts))
