"""The text of a page as people look at it: paragraphs, and tables as tables.

The text of a page never changes, and readers write tables into it row by row (`Exposure: severe | Cover: 45 mm`)
or keep them as Markdown. Here such rows are put back into columns, only to be shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from knowledge.readers.tables import CELL_SEPARATOR, MAX_LABEL_LENGTH, pad_row

# A sentence that goes on in small letters.
_WRAPPED_LINE = re.compile(r"(?<=[\w,;–-])\n(?=[a-z(])")
_MARKDOWN_RULE = re.compile(r"[|:\s-]+")
# A label of a table whose header had two rows is the words of both.
_MAX_LABEL_LENGTH = 2 * MAX_LABEL_LENGTH
_MAX_COLUMNS = 40


@dataclass(frozen=True, kw_only=True)
class TextBlock:
    """`text[start:end]`. Rows and header are empty for what is no table; every row has as many cells as the header
    where there is one."""

    start: int
    end: int
    text: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def unwrapped(self) -> str:
        return unwrap_lines(self.text)

    @property
    def is_table(self) -> bool:
        return bool(self.rows)


def unwrap_lines(text: str) -> str:
    """The text with wrapped lines joined. It keeps its length, so that offsets stay valid."""
    return _WRAPPED_LINE.sub(" ", text)


@dataclass(frozen=True, slots=True)
class _TextLine:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_row(self) -> bool:
        return CELL_SEPARATOR in self.text or (self.text.startswith("|") and self.text.rstrip().endswith("|"))


def split_blocks(text: str, *, cuts: Collection[int] = ()) -> list[TextBlock]:
    """The text in order, blank lines left out. Paragraphs also end at the offsets `cuts`; tables do not."""
    found: list[TextBlock] = []
    for is_row, group in groupby(_text_lines(text), key=lambda line: line.is_row):
        lines = list(group)
        table = _table_block(lines, text) if is_row and len(lines) > 1 else None
        found += [table] if table else _paragraph_blocks(lines, text, sorted(cuts))
    return found


def _text_lines(text: str) -> Iterator[_TextLine]:
    start = 0
    for line in text.split("\n"):
        yield _TextLine(start, line)
        start += len(line) + 1


def _paragraph_blocks(lines: Sequence[_TextLine], text: str, cuts: Sequence[int]) -> Iterator[TextBlock]:
    for has_words, group in groupby(lines, key=lambda line: bool(line.text.strip())):
        if has_words:
            paragraph = list(group)
            yield from _split_at_cuts(text, paragraph[0].start, paragraph[-1].end, cuts)


def _split_at_cuts(text: str, start: int, end: int, cuts: Sequence[int]) -> Iterator[TextBlock]:
    for stop in [*(cut for cut in cuts if start < cut < end), end]:
        if text[start:stop].strip():
            yield TextBlock(start=start, end=stop, text=text[start:stop].strip("\n"))
        start = stop


def _table_block(lines: Sequence[_TextLine], text: str) -> TextBlock | None:
    """None where the rows have nothing in common."""
    laid_out = _markdown_layout(lines) if lines[0].text.startswith("|") else _labelled_layout(lines)
    if laid_out is None:
        return None
    header, rows = laid_out
    start, end = lines[0].start, lines[-1].end
    return TextBlock(start=start, end=end, text=text[start:end], header=tuple(header), rows=tuple(map(tuple, rows)))


_TableLayout = tuple[list[str], list[list[str]]]


def _markdown_layout(lines: Sequence[_TextLine]) -> _TableLayout | None:
    cells = [[cell.strip() for cell in line.text.strip().strip("|").split("|")] for line in lines]
    has_header = bool(_MARKDOWN_RULE.fullmatch(lines[1].text))
    header, rows = (cells[0], cells[2:]) if has_header else ([], cells)
    width = max(map(len, cells))
    if not rows or width > _MAX_COLUMNS:
        return None
    return pad_row(header, width) if header else [], [pad_row(row, width) for row in rows]


def _labelled_layout(lines: Sequence[_TextLine]) -> _TableLayout | None:
    """Rows whose cells name their columns; the rows before the first of those are their header."""
    rows = [line.text.split(CELL_SEPARATOR) for line in lines]
    labelled = [_cells_by_label(row) for row in rows]
    first = next((position for position, row in enumerate(labelled) if row), len(rows))
    columns = list(dict.fromkeys(label for row in labelled if row for label in row))
    if not columns or len(columns) > _MAX_COLUMNS:
        width = max(map(len, rows))
        return ([], [pad_row(row, width) for row in rows]) if width <= _MAX_COLUMNS else None
    # The header says in which order the columns stood; a row may have left some out.
    heads = [cell for row in rows[:first] for cell in row]
    columns.sort(key=lambda label: heads.index(label) if label in heads else len(heads))
    body = zip(rows[first:], labelled[first:], strict=True)
    return columns, [_body_row(cells, by_label, columns) for cells, by_label in body]


def _cells_by_label(cells: Sequence[str]) -> dict[str, str] | None:
    """The cells by label; None where not every one has a label of its own."""
    found = {}
    for cell in cells:
        label, separator, value = cell.partition(": ")
        if separator and 0 < len(label) <= _MAX_LABEL_LENGTH:
            found[label] = value
    return found if len(found) == len(cells) else None


def _body_row(cells: Sequence[str], by_label: dict[str, str] | None, columns: Sequence[str]) -> list[str]:
    if by_label is None:
        return pad_row(cells[: len(columns)], len(columns))
    return [by_label.get(column, "") for column in columns]
