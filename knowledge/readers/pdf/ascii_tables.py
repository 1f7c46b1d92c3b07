"""Tables that are typed: their cells stand between bars, and their rows between lines of hyphens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.readers.pdf.layout_writer import LayoutWriter
from knowledge.readers.pdf.page_layout import PageLayout, PlacedLine, PlacedWord
from knowledge.readers.tables import MAX_LABEL_LENGTH

_BAR = "|"
_RULE = re.compile(r"[|+=_ -]*(?:-{5}|={5})[|+=_ -]*")
_MIN_COLUMNS, _MAX_COLUMNS, _MIN_ROWS = 2, 30, 3


@dataclass(frozen=True)
class _Row:
    """The places of the bars of a line, and the words between them."""

    bars: Sequence[float]
    cells: Sequence[Sequence[PlacedWord]]

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))


def inline_typed_tables(page: PageLayout) -> PageLayout:
    """The page with its typed tables row by row, without their bars and lines. Every other word stays on the page."""
    if page.text.count(_BAR) < _MIN_ROWS * (_MIN_COLUMNS + 1):
        return page
    writer = LayoutWriter(page)
    lines = page.lines
    at = 0
    while at < len(lines):
        end = _table_end(page, lines, at)
        if not _write_table(writer, page, lines[at:end]):
            for line in lines[at : max(end, at + 1)]:
                writer.copy(line)
        at = max(end, at + 1)
    return writer.page()


def _table_end(page: PageLayout, lines: Sequence[PlacedLine], at: int) -> int:
    """The first line behind the rows and rules that begin here; two rules below one another are of two tables."""
    end, was_rule = at, False
    while end < len(lines):
        is_rule = _is_rule(page, lines[end])
        if (is_rule and was_rule) or not (is_rule or _is_row(page, lines[end])):
            break
        end, was_rule = end + 1, is_rule
    return end


def _is_rule(page: PageLayout, line: PlacedLine) -> bool:
    return _RULE.fullmatch(page.text[line.start : line.end].strip()) is not None


def _is_row(page: PageLayout, line: PlacedLine) -> bool:
    text = page.text[line.start : line.end].strip()
    has_boxes = all(word.box for word in line.words)
    return has_boxes and text.startswith(_BAR) and text.endswith(_BAR) and text.count(_BAR) > _MIN_COLUMNS


def _write_table(writer: LayoutWriter, page: PageLayout, lines: Sequence[PlacedLine]) -> bool:
    """Whether these lines are a table; nothing is written where they are none."""
    rows = [_read_row(page, line) for line in lines if not _is_rule(page, line)]
    count = max((len(row.cells) for row in rows), default=0)
    whole = [row for row in rows if len(row.cells) == count]
    if len(whole) < _MIN_ROWS or not _MIN_COLUMNS <= count <= _MAX_COLUMNS:
        return False
    first = next((at for at, row in enumerate(rows) if len(row.cells) == count and row.filled > 1), 0)
    columns = [_heads(rows[:first] or rows[:1], whole[0], at) for at in range(count)]
    labels = [writer.joined(words)[:MAX_LABEL_LENGTH] for words in columns]
    for row in rows[: first or 1]:
        writer.cells([("", words) for words in row.cells])
    for row in rows[first or 1 :]:
        named = labels if len(row.cells) == count else [""] * len(row.cells)
        writer.cells(list(zip(named, row.cells, strict=True)))
    return True


def _heads(rows: Sequence[_Row], whole: _Row, column: int) -> list[PlacedWord]:
    """What stands over a column in the rows of heads; one head may stand over several."""
    middle = (whole.bars[column] + whole.bars[column + 1]) / 2
    return [word for row in rows for word in _cell_over(row, middle)]


def _cell_over(row: _Row, middle: float) -> Sequence[PlacedWord]:
    at = sum(bar < middle for bar in row.bars) - 1
    return row.cells[at] if 0 <= at < len(row.cells) else ()


def _read_row(page: PageLayout, line: PlacedLine) -> _Row:
    bars: list[float] = []
    cells: list[list[PlacedWord]] = []
    for word in line.words:
        for piece in _pieces(page, word):
            assert piece.box
            if page.text[piece.start] == _BAR:
                bars.append((piece.box[0] + piece.box[2]) / 2)
                cells.append([])
            elif cells:
                cells[-1].append(piece)
    return _Row(bars, cells[:-1])


def _pieces(page: PageLayout, word: PlacedWord) -> Iterator[PlacedWord]:
    """The bars of a word and what stands between them, each with its share of the word's place."""
    assert word.box
    left, top, right, bottom = word.box
    width = (right - left) / (word.end - word.start)
    for found in re.finditer(r"\||[^|]+", page.text[word.start : word.end]):
        begin, end = found.span()
        box = (left + begin * width, top, left + end * width, bottom)
        yield PlacedWord(word.start + begin, word.start + end, box, word.size, word.character + begin)
