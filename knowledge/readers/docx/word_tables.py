"""The cells of a table in a Word file."""

from __future__ import annotations

from typing import Any, NamedTuple

from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.visible_text import paragraph_text
from knowledge.readers.text_cleaning import one_line

_MAX_SPAN = 100


class WordTableCell(NamedTuple):
    """Its text in one line, and the paragraphs it stands in."""

    text: str
    paragraphs: tuple[Any, ...] = ()


def table_rows(table: Any, hidden: HiddenText) -> list[list[WordTableCell]]:
    """The cells, row by row, without deleted rows. One that goes on from the row above repeats it; a wide one leaves
    gaps, and so does a row that begins behind the first column."""
    rows: list[list[WordTableCell]] = []
    for row in table.iter(f"{W}tr"):
        # Content controls may stand around rows. Rows of a table inside a cell belong to that table.
        is_other = next(row.iterancestors(f"{W}tbl"), None) is not table
        if is_other or row.find(f"{W}trPr/{W}del") is not None:
            continue
        cells = _gap(row.find(f"{W}trPr/{W}gridBefore"))
        for cell in row.iter(f"{W}tc"):
            # Cells of a table inside a cell belong to that table's rows.
            if next(cell.iterancestors(f"{W}tr"), None) is row:
                cells += _read_cell(cell, rows[-1] if rows else [], len(cells), hidden)
        rows.append(cells + _gap(row.find(f"{W}trPr/{W}gridAfter")))
    return rows


def _gap(columns: Any) -> list[WordTableCell]:
    count = attribute(columns, "val")
    return [WordTableCell("")] * (min(int(count), _MAX_SPAN) if count.isdigit() else 0)


def _read_cell(cell: Any, above: list[WordTableCell], column: int, hidden: HiddenText) -> list[WordTableCell]:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    width = attribute(cell.find(f"{W}tcPr/{W}gridSpan"), "val") or "1"
    if merge is not None and merge.get(f"{W}val", "continue") == "continue":
        content = above[column] if column < len(above) else WordTableCell("")
    else:
        # A paragraph of a text box belongs to the one that holds the box.
        paragraphs = tuple(one for one in cell.iter(f"{W}p") if next(one.iterancestors(f"{W}p"), None) is None)
        text = one_line(" ".join(paragraph_text(paragraph, hidden) for paragraph in paragraphs))
        content = WordTableCell(text, paragraphs)
    return [content] + [WordTableCell("")] * (min(int(width), _MAX_SPAN) - 1 if width.isdigit() else 0)
