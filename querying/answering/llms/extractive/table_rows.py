"""Rows of tables as readable text: "Exposure Severe — cover: 45 mm" for `Exposure: Severe | Cover: 45 mm`.

Most readers name every cell by its column's header. A Markdown table stands as it was written: its headers are in
the first row, and a row below it is read with them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowledge.readers.tables import CELL_SEPARATOR
from language.terms import terms
from querying.retrieval.markdown_tables import row_cells
from querying.retrieval.passage_tables import Cell, parse_cells
from querying.types.evidence import TableCell

_NUMBER = re.compile(r"\d+")


def cells_text(text: str) -> str:
    """The cells of a row one after another, in words."""
    return " — ".join(_named_cell(cell) for cell in parse_cells(text))


def has_headers(text: str) -> bool:
    """Whether the row itself names its cells."""
    return any(cell.header for cell in parse_cells(text)[1:])


def with_headers(text: str, header: str) -> str:
    """A row of a Markdown table, its cells named by the header row; the row alone where the two do not match."""
    names, values = row_cells(header), row_cells(text)
    if len(names) != len(values):
        return text
    pairs = zip(names, values, strict=True)
    return CELL_SEPARATOR.join(f"{name}: {value}" if name else value for name, value in pairs if value)


def row_text(text: str) -> str:
    """The row in words: its first cell names it, the others follow with their headers."""
    return _cells_in_words(parse_cells(text))


def row_wordings(text: str, question: str, cell: TableCell | None = None) -> list[str]:
    """The row in words: its name with the `cell`, or with the cells that the question asks for, then whole. Where the
    question names no column: whole, then with fewer of its last cells, never fewer than two."""
    found = parse_cells(text)
    asked = [one for one in found[1:] if cell and cell.head and (one.header, one.value) == (cell.head, cell.value)]
    asked = asked or _asked_cells(found[1:], question)
    if asked:
        return [_cells_in_words([*found[:1], *asked]), _cells_in_words(found)]
    return [_cells_in_words(found[:count]) for count in range(len(found), 1, -1)]


def _asked_cells(cells: Sequence[Cell], question: str) -> list[Cell]:
    """The cells whose headers have most of the question's words; none if no header has any, or most have equally
    many."""
    asked = _stems_and_numbers(question)
    shares = [len(asked & (words := _stems_and_numbers(cell.header))) / (len(words) or 1) for cell in cells]
    best = max(shares, default=0.0)
    chosen = [cell for cell, share in zip(cells, shares, strict=True) if share == best]
    return chosen if best and 2 * len(chosen) <= len(cells) else []


def _stems_and_numbers(text: str) -> set[str]:
    return set(terms(text)) | set(_NUMBER.findall(text))


def _cells_in_words(row: Sequence[Cell]) -> str:
    if not row:
        return ""
    first, *others = row
    said = "; ".join(_named_cell(cell) for cell in others)
    name = f"{first.header} {first.value}".strip()
    return f"{name} — {said}" if said else name


def _named_cell(cell: Cell) -> str:
    """The cell after its header, which is in lower case unless it is written in capitals ("RCD rating")."""
    header = cell.header
    if not header:
        return cell.value
    if header.split(maxsplit=1)[0][1:].islower():
        header = header[:1].lower() + header[1:]
    return f"{header}: {cell.value}"
