"""Word documents: paragraphs, headings by style, tables row by row. Nothing outside the file is followed."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge.readers.single_page import single_page_events
from knowledge.readers.tables import row_lines
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import (
    MEGABYTE,
    DamagedDocument,
    EncryptedDocument,
    Heading,
    Limits,
    ReaderEvent,
    TooLarge,
    UnsupportedDocument,
)

# A document of a thousand pages unpacks to a few dozen megabytes; a bomb goes far beyond all of these.
MAX_UNPACKED_BYTES = 300 * MEGABYTE
MAX_XML_BYTES = 60 * MEGABYTE
MAX_RATIO = 100
MAX_FILES = 5_000
_RATIO_CHECKED_FROM_BYTES = 10 * MEGABYTE

_WORD_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_STYLE = re.compile(r"heading (\d)", re.IGNORECASE)
# A short paragraph that is bold from end to end stands over what follows like a heading of the lowest level.
_BOLD_LINE_LEVEL, _MAX_BOLD_LINE = 6, 100
_BREAK_TEXTS = {
    f"{_WORD_NAMESPACE}tab": " ",
    f"{_WORD_NAMESPACE}br": "\n",
    f"{_WORD_NAMESPACE}cr": "\n",
    f"{_WORD_NAMESPACE}noBreakHyphen": "-",
}
_CONTAINER_TAGS = frozenset(f"{_WORD_NAMESPACE}{name}" for name in ("sdt", "sdtContent", "customXml", "ins"))
# Run properties are not text, a fallback repeats its choice, and deleted text is no longer there.
_SKIPPED_TAGS = frozenset(
    {
        f"{_WORD_NAMESPACE}pPr",
        f"{_WORD_NAMESPACE}rPr",
        f"{_WORD_NAMESPACE}del",
        f"{_WORD_NAMESPACE}moveFrom",
        f"{_WORD_NAMESPACE}instrText",
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    }
)


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path)
    document = _open_document(path)
    body = BodyText(styles=_style_levels(document))
    body.add_blocks(document.element.body)
    title = one_line(clean_text(_stated_title(document)))[:300]
    yield from single_page_events(
        text=body.text(), limits=limits, title=title or body.first_title(), headings=body.headings
    )


def _stated_title(document: Any) -> str:
    """The title in the file's properties. Where it has none, the library would make up “Word Document”."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    kinds = {relation.reltype for relation in document.part.package.rels.values()}
    return str(document.core_properties.title or "") if RELATIONSHIP_TYPE.CORE_PROPERTIES in kinds else ""


def check_archive(path: Path) -> None:
    """Refuse what would unpack to far more than it should, before anything is unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise DamagedDocument() from error
    if any(member.flag_bits & 0x1 for member in members):
        raise EncryptedDocument()
    _check_sizes(members)
    if not any(member.filename == "[Content_Types].xml" for member in members):
        raise UnsupportedDocument()


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    xml = max((member.file_size for member in members if member.filename.endswith((".xml", ".rels"))), default=0)
    bomb = unpacked > _RATIO_CHECKED_FROM_BYTES and unpacked > MAX_RATIO * packed
    if bomb or unpacked > MAX_UNPACKED_BYTES or xml > MAX_XML_BYTES or len(members) > MAX_FILES:
        raise TooLarge("The document unpacks to far more than its size.")


def _open_document(path: Path) -> Any:
    # Imported late, so that the check of the archive above costs nothing to test or to fail.
    import docx

    try:
        document = docx.Document(str(path))
    except ValueError as error:
        raise UnsupportedDocument() from error
    except MemoryError:
        raise
    except Exception as error:
        # Broken packages surface as KeyError, XMLSyntaxError, BadZipFile and more, depending on the part.
        raise DamagedDocument() from error
    if getattr(document.element, "body", None) is None:
        raise DamagedDocument()
    return document


def _style_levels(document: Any) -> dict[str, int]:
    """Heading level by the id of the paragraph style; style names are English in every language of Word."""
    levels = {}
    for style in document.styles.element.iter(f"{_WORD_NAMESPACE}style"):
        name = style.find(f"{_WORD_NAMESPACE}name")
        if name is not None and (level := _level_of_style(name.get(f"{_WORD_NAMESPACE}val", ""))):
            levels[style.get(f"{_WORD_NAMESPACE}styleId", "")] = level
    return levels


def _level_of_style(name: str) -> int | None:
    if name.lower() == "title":
        return 1
    match = _HEADING_STYLE.fullmatch(name)
    return min(max(int(match[1]), 1), 6) if match else None


class BodyText:
    """Gathers the text of a document body, with the offsets of its headings."""

    def __init__(self, *, styles: dict[str, int]) -> None:
        self.styles = styles
        self.lines: list[str] = []
        self.length = 0
        self.headings: list[Heading] = []

    def text(self) -> str:
        return "\n".join(self.lines).rstrip("\n")

    def first_title(self) -> str | None:
        """The first heading of the highest level there is."""
        headings = (heading for heading in self.headings if heading.level != _BOLD_LINE_LEVEL)
        first = min(headings, key=lambda heading: heading.level, default=None)
        return first.title if first else None

    def add_blocks(self, container: Any) -> None:
        stack = [iter(container)]
        while stack:
            block = next(stack[-1], None)
            if block is None:
                stack.pop()
            elif block.tag == f"{_WORD_NAMESPACE}p":
                self._add_paragraph(block)
            elif block.tag == f"{_WORD_NAMESPACE}tbl":
                for line in [*row_lines(table_rows(block)), ""]:
                    self._append(line)
            elif block.tag in _CONTAINER_TAGS:
                stack.append(iter(block))

    def _add_paragraph(self, paragraph: Any) -> None:
        lines = [one_line(line) for line in paragraph_text(paragraph).split("\n")]
        text = "\n".join(filter(None, lines))
        if not text:
            return
        style = paragraph.find(f"{_WORD_NAMESPACE}pPr/{_WORD_NAMESPACE}pStyle")
        level = self.styles.get(style.get(f"{_WORD_NAMESPACE}val", "")) if style is not None else None
        if level is None and len(text) <= _MAX_BOLD_LINE and text[-1] not in ".,;" and _is_bold(paragraph):
            level = _BOLD_LINE_LEVEL
        if level:
            self.headings.append(
                Heading(page=1, start=self.length, level=level, title=one_line(text).removesuffix(":")[:200])
            )
        self._append(text)
        self._append("")

    def _append(self, line: str) -> None:
        self.lines.append(line)
        self.length += len(line) + 1


def paragraph_text(paragraph: Any) -> str:
    """Its visible text, inserted text and links included, hidden and deleted text left out."""
    parts: list[str] = []
    stack = [iter(paragraph)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif node.tag == f"{_WORD_NAMESPACE}t":
            parts.append(node.text or "")
        elif node.tag in _BREAK_TEXTS:
            parts.append(_BREAK_TEXTS[node.tag])
        elif isinstance(node.tag, str) and node.tag not in _SKIPPED_TAGS and not _is_hidden(node):
            stack.append(iter(node))
    return clean_text("".join(parts))


def _is_bold(paragraph: Any) -> bool:
    """Whether each run with text says that it is bold."""
    runs = [run for run in paragraph.iter(f"{_WORD_NAMESPACE}r") if paragraph_text(run).strip()]
    return bool(runs) and all(_is_on(run, "b") for run in runs)


def _is_hidden(run: Any) -> bool:
    return bool(run.tag == f"{_WORD_NAMESPACE}r") and _is_on(run, "vanish")


def _is_on(run: Any, name: str) -> bool:
    """Whether this property of a run is set, and not set to be off."""
    found = run.find(f"{_WORD_NAMESPACE}rPr/{_WORD_NAMESPACE}{name}")
    return found is not None and found.get(f"{_WORD_NAMESPACE}val", "1") not in ("0", "false", "off")


def table_rows(table: Any) -> list[list[str]]:
    """The texts of the cells. One that goes on from the row above repeats its text, a wide one leaves gaps."""
    rows: list[list[str]] = []
    for row in table.findall(f"{_WORD_NAMESPACE}tr"):
        cells: list[str] = []
        for cell in row.iter(f"{_WORD_NAMESPACE}tc"):
            # Cells of a table inside a cell belong to that table's rows.
            if next(cell.iterancestors(f"{_WORD_NAMESPACE}tr"), None) is row:
                cells += _cell_texts(cell, rows[-1] if rows else [], len(cells))
        rows.append(cells)
    return rows


def _cell_texts(cell: Any, above: list[str], column: int) -> list[str]:
    merge = cell.find(f"{_WORD_NAMESPACE}tcPr/{_WORD_NAMESPACE}vMerge")
    span = cell.find(f"{_WORD_NAMESPACE}tcPr/{_WORD_NAMESPACE}gridSpan")
    if merge is not None and merge.get(f"{_WORD_NAMESPACE}val", "continue") == "continue":
        text = above[column] if column < len(above) else ""
    else:
        text = one_line(" ".join(map(paragraph_text, cell.iter(f"{_WORD_NAMESPACE}p"))))
    width = span.get(f"{_WORD_NAMESPACE}val", "1") if span is not None else "1"
    return [text] + [""] * (min(int(width), 100) - 1 if width.isdigit() else 0)
