"""A Word file of its own, for a review whose original is no Word file. It is made of our text only, so that nothing of
a stranger's file is parsed here."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from knowledge.readers.text_cleaning import clean_text

if TYPE_CHECKING:
    from docx.document import Document

_MAX_HEADING_LEVEL = 9


@dataclass(frozen=True, kw_only=True)
class HeadingBlock:
    """A heading; level 1 is the highest, 9 the lowest."""

    text: str
    level: int = 1


@dataclass(frozen=True, kw_only=True)
class ParagraphBlock:
    """A paragraph, which may begin with some words in bold."""

    text: str
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class QuotationBlock:
    """Words of a document, and where they stand in it."""

    text: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class TableBlock:
    """A table: one row of headers, and rows of as many cells."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        if not self.header or any(len(row) != len(self.header) for row in self.rows):
            raise ValueError("each row of a table has a cell for each header")


Block = HeadingBlock | ParagraphBlock | QuotationBlock | TableBlock


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """What the file says. `original` is the name of the document it is about; `date` has a time zone."""

    title: str
    original: str
    date: datetime
    blocks: Sequence[Block]

    @property
    def notice(self) -> str:
        return (
            f"This is a new document, made by Lexic on {self.date:%-d %B %Y}. It is not a marked copy of "
            f"“{self.original}”, which is no Word file and was not changed."
        )


def make_word_file(content: NewDocument) -> bytes:
    """The Word file (.docx) of this content. The same content gives the same text and properties."""
    import docx  # heavy, and needed only here

    document = docx.Document()
    _state_properties(document, content)
    document.add_heading(_printable(content.title), level=0)
    document.add_paragraph().add_run(_printable(content.notice)).italic = True
    for block in content.blocks:
        _add_block(document, block)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _state_properties(document: Document, content: NewDocument) -> None:
    properties = document.core_properties
    properties.title, properties.author, properties.comments = _printable(content.title)[:255], "Lexic", ""
    properties.last_modified_by, properties.revision = "Lexic", 1
    properties.created = properties.modified = content.date.astimezone(UTC).replace(tzinfo=None)


def _add_block(document: Document, block: Block) -> None:
    if isinstance(block, HeadingBlock):
        document.add_heading(_printable(block.text), level=min(max(block.level, 1), _MAX_HEADING_LEVEL))
    elif isinstance(block, TableBlock):
        _add_table(document, block)
    elif isinstance(block, QuotationBlock):
        paragraph = document.add_paragraph(style="Quote")
        paragraph.add_run(f"“{_printable(block.text)}”")
        if block.source:
            paragraph.add_run(f" ({_printable(block.source)})").italic = False
    else:
        paragraph = document.add_paragraph()
        if block.label:
            paragraph.add_run(f"{_printable(block.label)} ").bold = True
        paragraph.add_run(_printable(block.text))


def _add_table(document: Document, block: TableBlock) -> None:
    table = document.add_table(rows=1, cols=len(block.header), style="Table Grid")
    for cell, text in zip(table.rows[0].cells, block.header, strict=True):
        cell.paragraphs[0].add_run(_printable(text)).bold = True
    _repeat_on_each_page(table.rows[0])
    for row in block.rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.paragraphs[0].add_run(_printable(text))
    document.add_paragraph()


def _repeat_on_each_page(row: Any) -> None:
    from docx.oxml.ns import qn

    properties = row._tr.get_or_add_trPr()
    properties.append(properties.makeelement(qn("w:tblHeader"), {qn("w:val"): "true"}))


def _printable(text: str) -> str:
    """The text without what XML cannot hold."""
    return clean_text(text.replace("\f", "\n"))
