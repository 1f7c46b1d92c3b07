"""The cells of a table in a Word file."""

from __future__ import annotations

from typing import Any, NamedTuple

from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.visible_text import paragraph_text
from knowledge.readers.text_cleaning import one_line

_MAX_SPAN = 100


class TableCell(NamedTuple):
    """Its text in one line, and the paragraphs it stands in."""

    text: str
    paragraphs: tuple[Any, ...] = ()


def table_rows(table: Any, hidden: HiddenText) -> list[list[TableCell]]:
    """The cells, row by row, without deleted rows. One that goes on from the row above repeats it, a wide one leaves
    gaps."""
    rows: list[list[TableCell]] = []
    for row in table.findall(f"{W}tr"):
        if row.find(f"{W}trPr/{W}del") is not None:
            continue
        cells: list[TableCell] = []
        for cell in row.iter(f"{W}tc"):
            # Cells of a table inside a cell belong to that table's rows.
            if next(cell.iterancestors(f"{W}tr"), None) is row:
                cells += _read_cell(cell, rows[-1] if rows else [], len(cells), hidden)
        rows.append(cells)
    return rows


def _read_cell(cell: Any, above: list[TableCell], column: int, hidden: HiddenText) -> list[TableCell]:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    width = attribute(cell.find(f"{W}tcPr/{W}gridSpan"), "val") or "1"
    if merge is not None and merge.get(f"{W}val", "continue") == "continue":
        content = above[column] if column < len(above) else TableCell("")
    else:
        # A paragraph of a text box belongs to the one that holds the box.
        paragraphs = tuple(one for one in cell.iter(f"{W}p") if next(one.iterancestors(f"{W}p"), None) is None)
        text = one_line(" ".join(paragraph_text(paragraph, hidden) for paragraph in paragraphs))
        content = TableCell(text, paragraphs)
    return [content] + [TableCell("")] * (min(int(width), _MAX_SPAN) - 1 if width.isdigit() else 0)
