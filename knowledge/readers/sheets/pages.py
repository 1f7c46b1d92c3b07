"""Rows of a sheet as pages: so many rows each, every row with the names of its columns.

A table that fits on one page is one page. Of a longer one each page says which rows it holds, and each row can be
understood alone: `Item: beam | Cover: 45 mm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from knowledge.readers.sheets.headers import SheetRow, find_header
from knowledge.readers.tables import row_line
from knowledge.readers.types import Heading, Limits, PageText, TooLarge, TooManyPages

ROWS_PER_PAGE = 50
MAX_COLUMNS = 1_000
MAX_CELLS = 2_000_000
# Where the header of a table is looked for: titles may stand above it.
_HEAD_ROWS = 8


@dataclass
class SheetPager:
    """Makes the pages of one document, sheet by sheet, within its limits."""

    limits: Limits
    pages: list[PageText] = field(default_factory=list)
    _cells: int = 0
    _characters: int = 0

    def add_sheet(self, rows: Iterable[SheetRow], *, name: str = "", has_groups: bool = True) -> None:
        """Add the rows of a sheet. `has_groups`: whether a header may have two rows. Raises `TooLarge`,
        `TooManyPages`."""
        is_first = True
        pending: list[tuple[int, str]] = []
        for number, line in _lines(self._counted(rows), has_groups=has_groups):
            pending.append((number, line))
            if len(pending) == ROWS_PER_PAGE:
                self._add_page(pending, name=name, is_first=is_first)
                pending, is_first = [], False
        if pending:
            self._add_page(pending, name=name, is_first=is_first)

    def _counted(self, rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
        for row in rows:
            if len(row.texts) > MAX_COLUMNS:
                raise TooLarge(f"A row of the table has more than {MAX_COLUMNS} columns.")
            # A row without cells counts as well: a sheet may claim to have billions.
            self._cells += len(row.texts) + 1
            if self._cells > MAX_CELLS:
                raise TooLarge(f"The tables have more than {MAX_CELLS // 1_000_000} million cells.")
            yield row

    def _add_page(self, lines: Sequence[tuple[int, str]], *, name: str, is_first: bool) -> None:
        text = "\n".join(line for _, line in lines)
        self._characters += len(text)
        if len(text) > self.limits.max_page_characters or self._characters > self.limits.max_characters:
            raise TooLarge()
        if len(self.pages) >= self.limits.max_pages:
            raise TooManyPages(f"The tables have more than {self.limits.max_pages * ROWS_PER_PAGE} rows.")
        number = len(self.pages) + 1
        heading = Heading(page=number, start=0, level=1, title=name)
        rows = _rows_text(lines[0][0], lines[-1][0])
        label = f"sheet {name}, {rows}" if name else rows
        self.pages.append(PageText(number=number, text=text, headings=(heading,) if is_first else (), label=label))


def _lines(rows: Iterable[SheetRow], *, has_groups: bool) -> Iterator[tuple[int, str]]:
    """The rows that say something, each with its number and as a line that names its cells. After an empty row the
    table may go on, or a new one may begin."""
    labels: list[str] | None = None
    for table in _tables(rows):
        if labels is None and all(len(row.filled()) < 2 for row in table.head):
            # Titles above the first table of a sheet.
            yield from ((row.number, row_line(row.texts, [])) for row in table)
            continue
        labels, header_rows = find_header(table.head, labels, has_groups=has_groups)
        for at, row in enumerate(table):
            if row.labels is not None:
                # What stands below a declared table is no part of it.
                labels = []
            is_header = at < header_rows
            found = [] if is_header else labels
            yield (
                row.number,
                row_line(row.texts if is_header else row.shown(), found if row.labels is None else row.labels),
            )


class _Table:
    """Rows up to an empty one. `head` is what stands at its top; the rest is read once, as it comes."""

    def __init__(self, rows: Iterator[SheetRow], first: SheetRow) -> None:
        self._rows = rows
        self.head = [first]
        while len(self.head) < _HEAD_ROWS and (row := self._next()):
            self.head.append(row)

    def __iter__(self) -> Iterator[SheetRow]:
        yield from self.head
        if len(self.head) == _HEAD_ROWS:
            while row := self._next():
                yield row

    def _next(self) -> SheetRow | None:
        row = next(self._rows, None)
        return row if row and any(row.texts) else None


def _tables(rows: Iterable[SheetRow]) -> Iterator[_Table]:
    rows = iter(rows)
    for row in rows:
        if any(row.texts):
            yield _Table(rows, row)


def _rows_text(first: int, last: int) -> str:
    return f"row {first}" if first == last else f"rows {first}–{last}"
