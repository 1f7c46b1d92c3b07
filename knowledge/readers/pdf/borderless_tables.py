"""Tables without lines up and down, or without any: their cells by the white between them.

Lines that share white strips from top to bottom are the rows of a table. What stands in its cells is looked at too:
prose in three columns has such strips as well. Tables of nothing but figures are left to `numeric_tables`, which knows
more of those, unless their names end with figures too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise
from statistics import median

from knowledge.readers.pdf.filled_tables import CellGrid
from knowledge.readers.pdf.multiline_rows import group_rows, merge_lines
from knowledge.readers.pdf.page_layout import PageLayout, PlacedWord
from knowledge.readers.pdf.table_head import Columns, TableHead, goes_on, is_first_on_page
from knowledge.readers.pdf.word_blocks import Block, BlockFinder, is_name
from knowledge.readers.pdf.word_lines import WordLine, word_box
from knowledge.readers.tables import header_labels

_FIGURE = re.compile(r"[$€£+−–(-]*\d[\d.,:%)/–-]*|[–—-]|\.{2,3}")
_MIN_COLUMNS = 3
_MIN_ROWS, _MIN_CONTINUED_ROWS = 4, 2  # one less of the first where the table may go on on the next page
_FIGURES_SHARE = 0.85  # of the cells of a table of figures
# In points: how far the beginnings or the ends of a column's cells may be apart, and the share that must not be.
_SAME_EDGE, _ALIGNED_SHARE = 2.5, 0.7
_MAX_CELL_WORDS, _MIN_FILLED = 3.5, 0.55


def find_aligned_grids(
    page: PageLayout, lines: Sequence[WordLine], *, before: TableHead | None = None
) -> list[CellGrid]:
    """The cells of its tables of words, from the top, among its `lines` that are in no table yet.

    `before`: a table that may go on here without its head.
    """
    grids: list[CellGrid] = []
    at = 0
    rows_in = _RowsInColumns(page)
    block_at = cache(partial(BlockFinder(lines).find, least=_MIN_COLUMNS))  # each line is asked for twice
    while at < len(lines):
        block = _best_block(lines, at, block_at)
        grid = _grid(page, rows_in, block, before) if block else None
        if block and grid:
            grids.append(grid)
            at = lines.index(block.lines[-1])
        at += 1
    return grids


# --- Finding ----------------------------------------------------------------------------------------------


def _best_block(lines: Sequence[WordLine], at: int, block_at: Callable[[int], Block | None]) -> Block | None:
    """The lines from here on that make a table: those that have columns of their own."""
    if len(lines[at].stretches) < 2:
        return None
    here = block_at(at)
    # A line that stands over groups of columns hides what is between them.
    below = block_at(at + 1) if at + 1 < len(lines) and len(lines[at + 1].stretches) > 2 else None
    if below and len(below.columns) > len(here.columns if here else ()):
        return None
    return here


# --- Cells ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """The lines of a row, and what stands in each column."""

    page: PageLayout
    lines: Sequence[WordLine]
    cells: Sequence[Sequence[PlacedWord]]

    @cached_property
    def texts(self) -> list[str]:
        text = self.page.text
        return [" ".join([text[word.start : word.end] for word in cell]) for cell in self.cells]

    @cached_property
    def figures(self) -> int:
        """How many of its cells besides the name are figures."""
        return sum(all(map(_FIGURE.fullmatch, text.split())) for text in self.texts[1:] if text)

    @cached_property
    def filled(self) -> int:
        """How many cells besides the name have words."""
        return sum(map(bool, self.texts[1:]))

    @cached_property
    def is_name_ending_with_figure(self) -> bool:
        name = self.texts[0].split()
        return len(name) > 1 and _FIGURE.fullmatch(name[-1]) is not None


class _RowsInColumns:
    """The rows of blocks. Blocks that begin one below the other mostly have the same columns, and so the same rows,
    which are made once."""

    def __init__(self, page: PageLayout) -> None:
        self._page = page
        self._known: defaultdict[Columns, dict[tuple[int, ...], _Row]] = defaultdict(dict)

    def first_line(self, block: Block) -> _Row:
        """Of its first row, which may have more."""
        return self._lines(block, block.lines[:1])[0]

    def of(self, block: Block) -> list[_Row]:
        """The upper line of a head of two lines has no name and belongs to the row below."""
        known, lines = self._known[tuple(block.columns)], block.lines
        rows = self._lines(block, lines)
        places = group_rows([row.cells for row in rows], lines)
        if len(places) > 1 and not is_name(lines[places[0][-1]], block.columns):
            places[:2] = [[*places[0], *places[1]]]
        return [rows[row[0]] if len(row) == 1 else self._joined([rows[at] for at in row], known) for row in places]

    def _lines(self, block: Block, lines: Sequence[WordLine]) -> list[_Row]:
        known = self._known[tuple(block.columns)]
        for line in lines:
            if (id(line),) not in known:
                known[id(line),] = _Row(self._page, [line], _cells(line, block.columns))
        return [known[id(line),] for line in lines]

    def _joined(self, rows: Sequence[_Row], known: dict[tuple[int, ...], _Row]) -> _Row:
        lines = [line for row in rows for line in row.lines]
        key = tuple(map(id, lines))
        if key not in known:
            known[key] = _Row(self._page, lines, merge_lines([row.cells for row in rows]))
        return known[key]


def _grid(page: PageLayout, rows_in: _RowsInColumns, block: Block, before: TableHead | None) -> CellGrid | None:
    """The cells of a block; None where it is no table, or has no head."""
    box = (block.columns[0][0], block.lines[0].top, block.columns[-1][1], block.lines[-1].bottom)
    is_continued = before is not None and before.fits(block.columns) and is_first_on_page(page, box)
    # Most blocks have a first row that is no head, or too few rows: they are done with before the others are looked at.
    if not is_continued and _go_on_with_sentence(rows_in.first_line(block).texts):
        return None
    rows = rows_in.of(block)
    if len(rows) < _MIN_CONTINUED_ROWS:
        return None
    if not is_continued:
        if not _can_be_head(rows[0].texts):
            return None
        if len(rows) < _MIN_ROWS and (len(rows) < _MIN_ROWS - 1 or not goes_on(page, box)):
            return None
    if _are_figures(rows) or not _are_cells([row.cells for row in rows]):
        return None
    if not is_continued and not header_labels([row.texts for row in rows])[0]:
        return None
    return _boxes(block.columns, [row.lines for row in rows])


def _can_be_head(texts: Sequence[str]) -> bool:
    """Whether the row has something in each column, and neither goes on with a sentence nor is one of names and what is
    filled in for them."""
    named = [text for text in texts if text]
    is_whole = all(texts[1:]) and len(set(named)) == len(named)
    return is_whole and not _go_on_with_sentence(named) and not any(text.endswith(":") for text in named)


def _go_on_with_sentence(texts: Sequence[str]) -> bool:
    return any(text[:1].islower() for text in texts)


def _are_figures(rows: Sequence[_Row]) -> bool:
    """Whether figures stand in all columns but that of the names, and there none. Heads of several lines are words."""
    figures = sum([row.figures for row in rows[1:]])
    filled = sum([row.filled for row in rows[1:]])
    ending = sum([row.is_name_ending_with_figure for row in rows[1:]])
    return figures >= _FIGURES_SHARE * filled and 2 * ending < len(rows) - 1


def _cells(line: WordLine, columns: Columns) -> list[list[PlacedWord]]:
    """The words of each column: those whose middle is in it. A block's columns have all words of its lines."""
    lefts = [left for left, _ in columns]
    cells: list[list[PlacedWord]] = [[] for _ in columns]
    for middle, word in zip(line.middles, line.words, strict=True):
        cells[bisect_right(lefts, middle) - 1].append(word)
    return cells


def _are_cells(rows: Sequence[Sequence[Sequence[PlacedWord]]]) -> bool:
    """Whether most are filled, short, and begin or end below one another, as cells do."""
    filled = sum(bool(cell) for row in rows for cell in row)
    if filled < _MIN_FILLED * len(rows) * len(rows[0]):
        return False
    columns = [[cell for row in rows[1:] if (cell := row[at])] for at in range(len(rows[0]))]
    short = [cells for cells in columns if cells and sum(map(len, cells)) <= _MAX_CELL_WORDS * len(cells)]
    return 3 * len(short) >= 2 * len(columns) and all(map(is_aligned, columns))


def is_aligned(cells: Sequence[Sequence[PlacedWord]]) -> bool:
    """Whether most cells of a column begin, end or have their middles below one another."""
    boxes = [[word_box(word) for word in cell] for cell in cells]
    lefts = [min([box[0] for box in cell]) for cell in boxes]
    rights = [max([box[2] for box in cell]) for cell in boxes]
    middles = [(left + right) / 2 for left, right in zip(lefts, rights, strict=True)]
    return any(_share_at_one_place(places) >= _ALIGNED_SHARE for places in (lefts, rights, middles))


def _share_at_one_place(places: Sequence[float]) -> float:
    if not places:
        return 0.0
    usual = median(places)
    return sum(abs(place - usual) <= _SAME_EDGE for place in places) / len(places)


def _boxes(columns: Columns, rows: Sequence[Sequence[WordLine]]) -> CellGrid:
    xs = [columns[0][0], *((left[1] + right[0]) / 2 for left, right in pairwise(columns)), columns[-1][1]]
    ends = [(row[0].top, row[-1].bottom) for row in rows]
    ys = [ends[0][0], *((upper[1] + lower[0]) / 2 for upper, lower in pairwise(ends)), ends[-1][1]]
    return [[(x0, y0, x1, y1) for x0, x1 in pairwise(xs)] for y0, y1 in pairwise(ys)]
