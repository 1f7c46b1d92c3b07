"""Tables without lines up and down, or without any: their cells by the white between them.

Lines that share white strips from top to bottom are the rows of a table. What stands in its cells is looked at too:
prose in three columns has such strips as well. Tables of nothing but figures are left to `aligned_tables`, which knows
more of those, unless their names end with figures too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from knowledge.readers.pdf.filled_tables import CellGrid
from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedWord, split_lines
from knowledge.readers.pdf.table_head import Columns, TableHead, goes_on, is_first_on_page
from knowledge.readers.tables import CELL_SEPARATOR, header_labels

_FIGURE = re.compile(r"[$€£+−–(-]*\d[\d.,:%)/–-]*|[–—-]|\.{2,3}")
_LEADER = re.compile(r"\.{4,}")
# In heights of letters: the least white between columns, and between the lines of one table at most.
_MIN_GAP, _MAX_LEADING = 0.7, 3.0
_MIN_COLUMNS, _MAX_COLUMNS, _MAX_ROWS = 3, 20, 300
_MIN_ROWS, _MIN_CONTINUED_ROWS = 4, 2  # one less of the first where the table may go on on the next page
_FIGURES_SHARE = 0.85  # of the cells of a table of figures
# Lines of one cell are nearer to each other than rows, at most so much of that.
_WRAPPED_LEADING = 0.85
# In points: how far the beginnings or the ends of a column's cells may be apart, and the share that must not be.
_SAME_EDGE, _ALIGNED_SHARE = 2.5, 0.7
_MAX_CELL_WORDS, _MIN_FILLED = 3.5, 0.55
_MIN_GAPS_OF_PAGE = 4


@dataclass(frozen=True)
class _Line:
    """Words side by side, from left to right."""

    words: Sequence[PlacedWord]
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class _Block:
    """Lines whose words stand in these columns."""

    lines: Sequence[_Line]
    columns: Columns


def find_aligned_grids(page: PageLayout, *, before: TableHead | None = None) -> list[CellGrid]:
    """The cells of its tables of words, from the top. `before`: a table that may go on here without its head."""
    words = _free_words(page)
    if not _has_gaps(words):
        return []
    grids: list[CellGrid] = []
    lines = _lines(words)
    at = 0
    while at < len(lines):
        block = _best_block(lines, at)
        grid = _grid(page, block, before) if block else None
        if block and grid:
            grids.append(grid)
            at = lines.index(block.lines[-1])
        at += 1
    return grids


def _free_words(page: PageLayout) -> list[PlacedWord]:
    """The words that are in no table yet, without the dots that lead from cell to cell: these are white."""
    lines = split_lines(page)
    return [
        word
        for line in lines
        if CELL_SEPARATOR not in page.text[line.start : line.end]
        for word in line.words
        if word.box and not _LEADER.fullmatch(page.text, word.start, word.end)
    ]


def _has_gaps(words: Sequence[PlacedWord]) -> bool:
    gaps = 0
    for left, right in pairwise(words):
        gaps += _box(left)[1] < _box(right)[3] and _gap(left, right) >= _MIN_GAP * left.size
        if gaps == _MIN_GAPS_OF_PAGE:
            return True
    return False


def _box(word: PlacedWord) -> PageBox:
    assert word.box is not None
    return word.box


def _gap(left: PlacedWord, right: PlacedWord) -> float:
    return _box(right)[0] - _box(left)[2]


def _lines(words: Sequence[PlacedWord]) -> list[_Line]:
    """The words by the height at which they stand, whatever their order in the text."""
    groups: list[list[PlacedWord]] = []
    last = float("-inf")
    for word in sorted(words, key=lambda word: _box(word)[1] + _box(word)[3]):
        middle = (_box(word)[1] + _box(word)[3]) / 2
        if middle - last > word.size / 2:
            groups.append([])
            last = middle
        groups[-1].append(word)
    found = []
    for group in groups:
        group.sort(key=lambda word: _box(word)[0])
        found.append(_Line(group, min(_box(word)[1] for word in group), max(_box(word)[3] for word in group)))
    return found


# --- Finding ----------------------------------------------------------------------------------------------


def _best_block(lines: Sequence[_Line], at: int) -> _Block | None:
    """The lines from here on that make a table: those that have columns of their own."""
    if len(_stretches(lines[at].words)) < 2:
        return None
    here = _block(lines, at)
    # A line that stands over groups of columns hides what is between them.
    below = _block(lines, at + 1) if at + 1 < len(lines) and len(_stretches(lines[at + 1].words)) > 2 else None
    if below and len(below.columns) > len(here.columns if here else ()):
        return None
    return here


def _block(lines: Sequence[_Line], start: int) -> _Block | None:
    taken, columns = [lines[start]], _stretches(lines[start].words)
    for line in lines[start + 1 : start + _MAX_ROWS]:
        if line.middle - taken[-1].middle > _MAX_LEADING * max(line.height, taken[-1].height):
            break
        gap = _MIN_GAP * line.words[0].size
        joined = _joined((left, right, gap) for left, right in sorted([*columns, *_stretches(line.words)]))
        if len(joined) < len(columns):
            break
        taken.append(line)
        columns = joined
    while taken and len(_stretches(taken[-1].words)) == 1 and _is_name(taken[-1], columns):
        taken.pop()  # the heading of what follows
    is_table = len(taken) >= _MIN_CONTINUED_ROWS and _MIN_COLUMNS <= len(columns) <= _MAX_COLUMNS
    return _Block(taken, columns) if is_table else None


def _is_name(line: _Line, columns: Columns) -> bool:
    return len(columns) < 2 or _box(line.words[0])[0] < columns[1][0]


def _stretches(words: Sequence[PlacedWord]) -> list[tuple[float, float]]:
    """From where to where the words of a line stand without a gap."""
    return _joined((_box(word)[0], _box(word)[2], _MIN_GAP * word.size) for word in words)


def _joined(stretches: Iterable[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """From where to where they reach, from the left: one that begins nearer than its gap goes on with those before."""
    found: list[tuple[float, float]] = []
    for left, right, gap in stretches:
        if found and left - found[-1][1] < gap:
            found[-1] = (found[-1][0], max(right, found[-1][1]))
        else:
            found.append((left, right))
    return found


# --- Cells ------------------------------------------------------------------------------------------------


def _grid(page: PageLayout, block: _Block, before: TableHead | None) -> CellGrid | None:
    """The cells of a block; None where it is no table, or has no head."""
    rows = _rows(block)
    cells = [[_cell(row, column) for column in block.columns] for row in rows]
    if not _are_cells(cells):
        return None
    texts = [[" ".join(page.text[word.start : word.end] for word in cell) for cell in row] for row in cells]
    if _are_figures(texts):
        return None
    grid = _boxes(block.columns, rows)
    box = (block.columns[0][0], block.lines[0].top, block.columns[-1][1], block.lines[-1].bottom)
    is_continued = before is not None and before.fits(block.columns) and is_first_on_page(page, box)
    if is_continued:
        return grid if len(rows) >= _MIN_CONTINUED_ROWS else None
    least = _MIN_ROWS - goes_on(page, box)
    return grid if len(rows) >= least and _is_head(texts) else None


def _is_head(texts: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names each column, and neither goes on with a sentence nor is one of names and what is
    filled in for them."""
    named = [text for text in texts[0] if text]
    is_whole = all(texts[0][1:]) and len(set(named)) == len(named)
    is_sentence = any(text[0].islower() or text.endswith(":") for text in named)
    return is_whole and not is_sentence and bool(header_labels(texts)[0])


def _are_figures(texts: Sequence[Sequence[str]]) -> bool:
    """Whether figures stand in all columns but that of the names, and there none. Heads of several lines are words."""
    names = [row[0].split() for row in texts[1:]]
    cells = [text.split() for row in texts[1:] for text in row[1:] if text]
    figures = sum(all(map(_FIGURE.fullmatch, cell)) for cell in cells)
    ending = sum(len(name) > 1 and _FIGURE.fullmatch(name[-1]) is not None for name in names)
    return figures >= _FIGURES_SHARE * len(cells) and 2 * ending < len(names)


def _rows(block: _Block) -> list[list[_Line]]:
    """The lines of each row: a line that begins no row goes on with the cells above it."""
    begun = [line for line in block.lines if _begins_row(line, block.columns)]
    steps = [lower.middle - upper.middle for upper, lower in pairwise(begun)]
    usual = min(steps, default=0.0)
    rows: list[list[_Line]] = []
    for line in block.lines:
        is_near = bool(rows) and line.middle - rows[-1][-1].middle < _WRAPPED_LEADING * usual
        is_wrapped = is_near if _begins_row(line, block.columns) or _is_name(line, block.columns) else bool(rows)
        if is_wrapped and not _has_all(line, block.columns):
            rows[-1].append(line)
        else:
            rows.append([line])
    if len(rows) > 1 and not _is_name(rows[0][-1], block.columns):  # the upper line of heads
        rows[:2] = [[*rows[0], *rows[1]]]
    return rows


def _begins_row(line: _Line, columns: Columns) -> bool:
    """It names a row and has another cell."""
    return _box(line.words[0])[0] < columns[1][0] and _box(line.words[-1])[2] > columns[0][1]


def _has_all(line: _Line, columns: Columns) -> bool:
    return len(_stretches(line.words)) == len(columns)


def _cell(row: Sequence[_Line], column: tuple[float, float]) -> list[PlacedWord]:
    left, right = column
    return [word for line in row for word in line.words if left <= (_box(word)[0] + _box(word)[2]) / 2 <= right]


def _are_cells(rows: Sequence[Sequence[Sequence[PlacedWord]]]) -> bool:
    """Whether most are filled, short, and begin or end below one another, as cells do."""
    filled = sum(bool(cell) for row in rows for cell in row)
    if filled < _MIN_FILLED * len(rows) * len(rows[0]):
        return False
    columns = [[cell for row in rows[1:] if (cell := row[at])] for at in range(len(rows[0]))]
    short = [cells for cells in columns if cells and sum(map(len, cells)) <= _MAX_CELL_WORDS * len(cells)]
    return 3 * len(short) >= 2 * len(columns) and all(map(_is_aligned, columns))


def _is_aligned(cells: Sequence[Sequence[PlacedWord]]) -> bool:
    lefts = [min(_box(word)[0] for word in cell) for cell in cells]
    rights = [max(_box(word)[2] for word in cell) for cell in cells]
    middles = [(left + right) / 2 for left, right in zip(lefts, rights, strict=True)]
    return any(_share_at_one_place(places) >= _ALIGNED_SHARE for places in (lefts, rights, middles))


def _share_at_one_place(places: Sequence[float]) -> float:
    if not places:
        return 0.0
    usual = median(places)
    return sum(abs(place - usual) <= _SAME_EDGE for place in places) / len(places)


def _boxes(columns: Columns, rows: Sequence[Sequence[_Line]]) -> CellGrid:
    xs = [columns[0][0], *((left[1] + right[0]) / 2 for left, right in pairwise(columns)), columns[-1][1]]
    ends = [(row[0].top, row[-1].bottom) for row in rows]
    ys = [ends[0][0], *((upper[1] + lower[0]) / 2 for upper, lower in pairwise(ends)), ends[-1][1]]
    return [[(x0, y0, x1, y1) for x0, x1 in pairwise(xs)] for y0, y1 in pairwise(ys)]
