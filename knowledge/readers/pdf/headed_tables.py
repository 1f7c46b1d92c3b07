"""Tables without lines between columns whose cells have several lines, or which have two columns only.

A line of short names stands above lines that share white strips. Below two names alone a line must be drawn as well:
what two people sign side by side, or a list of terms, looks like a table of two columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from knowledge.readers.pdf.borderless_tables import is_aligned
from knowledge.readers.pdf.filled_tables import MAX_CELL_WORDS, PlacedTable
from knowledge.readers.pdf.multiline_rows import merge_rows
from knowledge.readers.pdf.page_layout import PageLayout, PlacedWord
from knowledge.readers.pdf.ruling_lines import Rule
from knowledge.readers.pdf.table_frames import joined_rules
from knowledge.readers.pdf.table_head import Columns, TableHead, is_first_on_page
from knowledge.readers.pdf.word_blocks import MAX_LEADING, Block, BlockFinder
from knowledge.readers.pdf.word_lines import MIN_GAP, WordLine, join_stretches, word_box

_MIN_ROWS, _MIN_UNMARKED_COLUMNS = 2, 3
_MAX_HEAD_WORDS, _SENTENCE_ENDS = 8, ":,;."
_SHORT_WORDS = 5  # of a cell, as a column has them on average
# Of the rows, those with two cells or more, and of the cells, those with words where no line is below the head.
_MIN_WHOLE, _MIN_FILLED = 0.6, 0.9

Cells = Sequence[list[PlacedWord]]


def find_headed_tables(
    page: PageLayout, lines: Sequence[WordLine], rules: Sequence[Rule], *, before: TableHead | None = None
) -> list[PlacedTable]:
    """From the top, among the `lines` that are in no table yet.

    `before`: a table that may go on at the top of this page without its head.
    """
    across, blocks = joined_rules(rules, is_up=False), BlockFinder(lines)
    tables = []
    at = 0
    while at < len(lines) - 1:
        found = _continued(page, blocks, lines, at, before) or _headed(page, blocks, lines, at, across)
        if found:
            table, at = found
            tables.append(table)
        at += 1
    return tables


def _headed(
    page: PageLayout, blocks: BlockFinder, lines: Sequence[WordLine], at: int, across: Sequence[Rule]
) -> tuple[PlacedTable, int] | None:
    """The table below a line of names, and its last line."""
    head, first = lines[at], lines[at + 1]
    if len(head.stretches) < 2 or first.middle - head.middle > MAX_LEADING * max(head.height, first.height):
        return None
    if not _may_be_head(page, head):  # most lines, before others are looked at
        return None
    block = blocks.find(at + 1, least=2)
    columns = block and _named_columns(head, block.columns)
    if not block or not columns:
        return None
    is_marked = _is_underlined(head, first, across)
    if len(columns) < _MIN_UNMARKED_COLUMNS and (not is_marked or _are_underlined(block, across)):
        return None
    named = _cells(head, columns)
    rows = _headed_rows(block, columns)
    if not _can_be_head(page, named) or not _are_cells(rows, is_marked=is_marked) or _are_parallel(page, rows):
        return None
    return PlacedTable(rows=[named, *rows], columns=columns, labels=named), at + len(block.lines)


def _continued(
    page: PageLayout, blocks: BlockFinder, lines: Sequence[WordLine], at: int, before: TableHead | None
) -> tuple[PlacedTable, int] | None:
    """The rest of the table of the page before, and its last line."""
    if before is None or len(lines[at].stretches) < 2:
        return None
    labels = {word for label in before.labels for word in label.split()}
    if not is_first_on_page(page, (0.0, lines[at].top, 0.0, 0.0)) or _repeats(page, lines[at], labels):
        return None
    block = blocks.find(at, least=2)
    if not block:
        return None
    if not all(sum(_shared(column, other) > 0 for other in before.columns) == 1 for column in block.columns):
        return None
    rows = _headed_rows(block, before.columns)
    if not _are_cells(rows, is_marked=True) or _are_parallel(page, rows):
        return None
    return PlacedTable(rows=rows, columns=before.columns), at + len(block.lines) - 1


def _repeats(page: PageLayout, line: WordLine, labels: Collection[str]) -> bool:
    return all(page.text[word.start : word.end] in labels for word in line.words)


# --- Columns ----------------------------------------------------------------------------------------------


def _named_columns(head: WordLine, columns: Columns) -> Columns | None:
    """From where to where the columns reach with their names; None where a name belongs to none, or to several.

    The first column may have no name, and others may have nothing but a name.
    """
    if len(head.stretches) == len(columns):
        pairs = zip(head.stretches, columns, strict=True)
        wide = [(min(name[0], column[0]), max(name[1], column[1])) for name, column in pairs]
        if all(left[1] < right[0] for left, right in pairwise(wide)):
            return wide
    gap = MIN_GAP * head.words[0].size
    parts = sorted([*head.stretches, *columns])
    whole = join_stretches(parts, [gap] * len(parts))
    names = [sum(_shared(part, name) > 0 for name in head.stretches) for part in whole]
    below = [sum(_shared(part, column) > 0 for column in columns) for part in whole]
    is_clear = max(names) == max(below) == 1 and all(names[1:]) and sum(below) == len(columns)
    return whole if is_clear and len(columns) >= 2 else None


def _shared(one: tuple[float, float], other: tuple[float, float]) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def _is_underlined(head: WordLine, first: WordLine, across: Sequence[Rule]) -> bool:
    """Whether lines stand below each name and above the first row."""
    below = [rule for rule in across if head.middle < rule.top < first.middle]
    return all(any(_shared((rule.x0, rule.x1), name) > 0 for rule in below) for name in head.stretches)


def _are_underlined(block: Block, across: Sequence[Rule]) -> bool:
    """Whether lines stand below cells, one for each: somebody writes there."""
    gap = (block.columns[0][1] + block.columns[1][0]) / 2
    top, bottom = block.lines[0].middle, block.lines[-1].bottom
    return any(top < rule.top < bottom and not rule.x0 < gap < rule.x1 for rule in across)


# --- Rows and cells ---------------------------------------------------------------------------------------


def _headed_rows(block: Block, columns: Columns) -> list[Cells]:
    return list(merge_rows([_cells(line, columns) for line in block.lines], block.lines))


def _cells(line: WordLine, columns: Columns) -> list[list[PlacedWord]]:
    """The words by column: the one that they share most with."""
    cells: list[list[PlacedWord]] = [[] for _ in columns]
    for word in line.words:
        x0, _, x1, _ = word_box(word)
        shared = [(x1 if x1 < right else right) - (x0 if x0 > left else left) for left, right in columns]
        cells[shared.index(max(shared))].append(word)
    return cells


def _may_be_head(page: PageLayout, line: WordLine) -> bool:
    begins, ends = page.text[line.words[0].start], page.text[line.words[-1].end - 1]
    is_short = len(line.words) <= _MAX_HEAD_WORDS * len(line.stretches)
    return is_short and not (begins.islower() or begins.isdigit() or ends in _SENTENCE_ENDS)


def _can_be_head(page: PageLayout, cells: Cells) -> bool:
    """Whether each column but the first has a short name of its own, and none goes on with a sentence or asks for
    something to be filled in."""
    named = [" ".join(page.text[word.start : word.end] for word in cell) for cell in cells if cell]
    is_sentence = any(text[0].islower() or text[0].isdigit() or text[-1] in _SENTENCE_ENDS for text in named)
    is_short = max(map(len, cells)) <= _MAX_HEAD_WORDS
    are_words = 2 * sum(any(map(str.isalpha, text)) for text in named) > len(named)
    return all(cells[1:]) and len(set(named)) == len(named) and are_words and is_short and not is_sentence


def _are_cells(rows: Sequence[Cells], *, is_marked: bool) -> bool:
    """Whether they stand below one another, and are short but for those of one column. Below a line, one short column
    is enough."""
    whole = sum(sum(map(bool, row)) > 1 for row in rows)
    if whole < max(_MIN_ROWS if is_marked else _MIN_ROWS + 1, _MIN_WHOLE * len(rows)):
        return False
    filled = sum(bool(cell) for row in rows for cell in row)
    if not is_marked and filled < _MIN_FILLED * len(rows) * len(rows[0]):
        return False
    columns = [cells for at in range(len(rows[0])) if (cells := [row[at] for row in rows if row[at]])]
    long = sum(sum(map(len, cells)) > _SHORT_WORDS * len(cells) for cells in columns)
    longest = max(len(cell) for row in rows for cell in row)
    limit = len(columns) - 1 if is_marked else 1
    return long <= limit and longest <= MAX_CELL_WORDS and all(map(is_aligned, columns))


def _are_parallel(page: PageLayout, rows: Sequence[Cells]) -> bool:
    """Whether two cells of a row ask for the same, as those of people who sign side by side."""
    asked = [[page.text[cell[0].start : cell[0].end] for cell in row if cell] for row in rows]
    return any(names.count(name) > 1 for names in asked for name in names if name.endswith(":"))
