"""The rows of the tables that passages show: the name of each, its cells with their heads, and the table's caption."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from language.terms import terms
from querying.types.evidence import Sentence

Span = tuple[int, int]

# Dots that lead from the name of a row to its figures.
_LEADERS = re.compile(r"(?:\s?\.){3,500}")
_LABELLED = re.compile(r"([^:|]{1,60}):\s+(\S.{0,600})$", re.DOTALL)
# What stands right above a table is its caption, so many lines at most: title, unit, note.
_MAX_CAPTION_LINES, _MAX_CAPTION_CHARACTERS = 3, 300
# A row that lacks cells is one of so many kinds of fuller rows at most: each of a sparse table may be of its own kind.
_MAX_FULL_KINDS = 8
NO_PAGES: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True)
class Cell:
    """What a cell says, and its column's header where the row names it."""

    header: str
    value: str


def parse_cells(text: str) -> list[Cell]:
    """The cells of a row that is written as documents are read."""
    parts = (" ".join(_LEADERS.sub("", part).split()) for part in text.strip().strip("|").split("|"))
    found = ((_LABELLED.match(part), part) for part in parts if part)
    return [Cell(match[1].strip(), match[2].strip()) if match else Cell("", part) for match, part in found]


def is_row(text: str) -> bool:
    """Whether a line is a row of a table as documents are read: cells with a bar between them."""
    return CELL_SEPARATOR in text or text.startswith("| ")


def is_of_table(sentence: Sentence) -> bool:
    return bool(sentence.cell or sentence.header) or is_row(sentence.text)


def row_name(text: str) -> frozenset[str]:
    """The stems of what the first cell of a row says."""
    cells = parse_cells(text)
    return frozenset(terms(cells[0].value)) if cells else frozenset()


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row with more than a name, and where it stands: `passages[source].content[start:end]`."""

    source: int
    span: Span
    name: Cell
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        return f"{self.name.header} {self.name.value}".strip()

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(cell.header for cell in self.cells)

    def under(self, heads: Sequence[str]) -> TableRow:
        """The row with a cell for each of these heads, in their order; those that it does not have are empty."""
        if self.heads == tuple(heads):
            return self
        values = {cell.header: cell.value for cell in self.cells}
        return replace(self, cells=tuple(Cell(head, values.get(head, "")) for head in heads))


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with the same columns under the same caption; `titles` are those of its document and sections."""

    document_id: UUID
    caption: str
    titles: str
    rows: tuple[TableRow, ...]

    @property
    def heads(self) -> tuple[str, ...]:
        return self.rows[0].heads


class _TableKey(NamedTuple):
    """What the rows of one table have in common; `name` is the head of the column with their names."""

    document_id: UUID
    titles: str
    caption: str
    name: str
    heads: tuple[str, ...]

    @property
    def table(self) -> tuple[UUID, str, str, str]:
        """The same without the heads."""
        return self[:4]


@dataclass(frozen=True)
class _Line:
    """A sentence of a page, and the row that it is, if it is one that names its cells."""

    start: int
    text: str
    is_row: bool
    row: TableRow | None = None


def read_tables(passages: Sequence[Passage], pages: Mapping[int, str] = NO_PAGES) -> list[Table]:
    """The tables of the passages. Passages overlap: each row of a page is in one table. `pages` has texts of pages by
    their ids: a caption may stand before what a passage shows."""
    if not any(map(has_table_rows, passages)):
        return []
    groups: dict[_TableKey, list[TableRow]] = {}
    in_order = sorted(enumerate(passages), key=lambda pair: (pair[1].page_id, pair[1].start))
    for page_id, of_page in groupby(in_order, key=lambda pair: pair[1].page_id):
        for passage, caption, row in _rows_with_captions(list(of_page), pages.get(page_id, "")):
            titles = " ".join([passage.document_title, *passage.section_path])
            key = _TableKey(passage.document_id, titles, caption, row.name.header, row.heads)
            groups.setdefault(key, []).append(row)
    return [
        Table(document_id=key.document_id, caption=key.caption, titles=key.titles, rows=tuple(rows))
        for key, rows in _with_incomplete_rows(groups).items()
    ]


def _with_incomplete_rows(groups: Mapping[_TableKey, Sequence[TableRow]]) -> dict[_TableKey, list[TableRow]]:
    """The rows that lack some cells of a table, with empty cells in their place, among the others of this table."""
    widest: dict[tuple[UUID, str, str, str], list[tuple[_TableKey, frozenset[str]]]] = {}
    for key in sorted(groups, key=lambda key: -len(key.heads)):
        heads, of_table = frozenset(key.heads), widest.setdefault(key.table, [])
        if len(heads) == len(key.heads) and len(of_table) < _MAX_FULL_KINDS:  # no two columns of one name
            of_table.append((key, heads))
    found: dict[_TableKey, list[TableRow]] = {}
    for key, rows in groups.items():
        heads = frozenset(key.heads)
        full = next((other for other, wider in widest[key.table] if heads < wider), key)
        found.setdefault(full, []).extend(row.under(full.heads) for row in rows)
    return found


def stems_of(passages: Iterable[Passage]) -> frozenset[str]:
    """The stems of all that the passages say."""
    return frozenset(chain.from_iterable(terms(passage.content) for passage in passages))


def has_table_rows(passage: Passage) -> bool:
    """Whether it may show rows of a table; lines of code are none."""
    return CELL_SEPARATOR in passage.content and passage.source_type != "code"


def _rows_with_captions(
    of_page: Sequence[tuple[int, Passage]], page_text: str
) -> Iterator[tuple[Passage, str, TableRow]]:
    """The rows of the passages of one page in their order, each with what stands above its table, as far as that is
    known."""
    read_to, above, was_row = 0, list[str](), False
    for source, passage in of_page:
        skipped = (
            _Line(read_to, text, CELL_SEPARATOR in text) for text in page_text[read_to : passage.start].split("\n")
        )
        for line in chain(skipped, _lines(source, passage)):
            if line.start < read_to or not line.text.strip():
                continue
            if line.row:
                yield passage, " ".join(above[-_MAX_CAPTION_LINES:])[-_MAX_CAPTION_CHARACTERS:], line.row
            elif not line.is_row:
                above = [line.text] if was_row else [*above, line.text]
            was_row = line.is_row
        read_to = max(read_to, passage.end)


def _lines(source: int, passage: Passage) -> Iterator[_Line]:
    for start, end in passage.sentence_spans():
        text = passage.content[start:end]
        is_row = CELL_SEPARATOR in text and has_table_rows(passage)
        row = _read_table_row(source, (start, end), text) if is_row and not text.startswith("|") else None
        yield _Line(passage.start + start, " ".join(text.split()), is_row, row)


def _read_table_row(source: int, span: Span, text: str) -> TableRow | None:
    """None for a row that names none of its cells: it is a header row, or its columns are not known."""
    cells = parse_cells(text)
    if not any(cell.header for cell in cells[1:]):
        return None
    return TableRow(source=source, span=span, name=cells[0], cells=tuple(cells[1:]))
