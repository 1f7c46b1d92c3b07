"""Tables whose cells are known: the words of the page are put into them, and come back as one line a row, where the
table stood. A table that goes on over the page keeps the heads of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from knowledge.readers.pdf.layout_writer import LayoutWriter
from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedLine, PlacedWord
from knowledge.readers.pdf.ruling_lines import SAME_LINE
from knowledge.readers.pdf.table_head import Columns, TableHead, goes_on, is_first_on_page
from knowledge.readers.tables import CELL_SEPARATOR, LabelledCell, cut_label, header_labels, layout_body, layout_rows

# More words than this in one cell: the lines frame columns of prose, they do not rule a table.
MAX_CELL_WORDS = 120
_AREA_TOLERANCE = 0.01  # of what the cells of a whole frame take
# A cell with more words than this is not repeated in each of its rows.
_MAX_REPEATED_WORDS = 30
# A grid with fewer words than this belongs to a chart.
_MIN_FILLED_PERCENT = 35

# Rows of cells; null where a cell of another row or column reaches in.
CellGrid = Sequence[Sequence[PageBox | None]]


@dataclass(frozen=True, kw_only=True)
class PlacedTable:
    """A table whose words are known by row and column, and the words that name each column.

    With names the first row is the head; without, its first row may turn out to be one.
    """

    rows: Sequence[Sequence[list[PlacedWord]]]
    columns: Columns
    labels: Sequence[Sequence[PlacedWord]] = ()

    def words(self) -> list[PlacedWord]:
        return [word for row in self.rows for cell in row for word in cell]


@dataclass(kw_only=True)
class _FilledTable:
    """The words of each cell, by row and column."""

    grid: CellGrid
    cells: dict[tuple[int, int], list[PlacedWord]] = field(default_factory=dict)
    placed: PlacedTable | None = None
    is_written: bool = False

    @classmethod
    def of(cls, placed: PlacedTable) -> _FilledTable:
        """A table that has its words already."""
        cells = {(i, j): list(words) for i, row in enumerate(placed.rows) for j, words in enumerate(row) if words}
        boxes = [word.box for word in placed.words() if word.box]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        whole = (min(lefts), min(tops), max(rights), max(bottoms))
        return cls(grid=[[whole] * len(row) for row in placed.rows], cells=cells, placed=placed)

    def take(self, word: PlacedWord) -> bool:
        """Whether the word stands in one of the cells, which has it then."""
        place = self._place(word.box) if word.box else None
        if place is None:
            return False
        self.cells.setdefault(place, []).append(word)
        return True

    def _place(self, box: PageBox) -> tuple[int, int] | None:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        x0, _, x1, _ = self.box
        if not x0 <= x <= x1:
            return None
        for i in self._rows_at(y):
            for j, cell in enumerate(self.grid[i]):
                if cell and cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]:
                    return i, j
        return None

    def _rows_at(self, y: float) -> list[int]:
        """Those with a cell that may reach so high and so low."""
        return [i for i, (top, bottom) in enumerate(self._heights) if top <= y <= bottom]

    @cached_property
    def _heights(self) -> list[tuple[float, float]]:
        """Of each row, from the highest of its cells to the lowest."""
        rows = [[cell for cell in row if cell] for row in self.grid]
        return [(min([cell[1] for cell in row], default=0), max([cell[3] for cell in row], default=-1)) for row in rows]

    def reaches(self, word: PlacedWord) -> bool:
        """Whether the word stands in one of the cells."""
        return word.box is not None and self._place(word.box) is not None

    def has_tall_cell(self) -> bool:
        """Whether a cell reaches into the rows below its own."""
        ends = [min(cell[3] for cell in row if cell) for row in self.grid if any(row)]
        rows = [row for row in self.grid if any(row)]
        return any(cell[3] > end + SAME_LINE for row, end in zip(rows, ends, strict=True) for cell in row if cell)

    def is_meaningful(self) -> bool:
        """Two rows and two columns with words, most cells filled, and none that holds a page of prose."""
        rows, columns = {i for i, _ in self.cells}, {j for _, j in self.cells}
        longest = max(map(len, self.cells.values()), default=0)
        drawn = sum(cell is not None for row in self.grid for cell in row)
        is_filled = 100 * len(self.cells) >= _MIN_FILLED_PERCENT * drawn
        return len(rows) > 1 and len(columns) > 1 and longest <= MAX_CELL_WORDS and is_filled

    def texts(self, writer: LayoutWriter) -> list[list[str]]:
        """Of each cell; one over several rows is repeated in them."""
        return [[self.text(writer, i, j) for j in range(len(row))] for i, row in enumerate(self.grid)]

    def text(self, writer: LayoutWriter, row: int, column: int) -> str:
        place = self.merged.get((row, column), (row, column))
        return " ".join(map(writer.word_text, self.cells.get(place, [])))

    @cached_property
    def merged(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The cell that reaches into a place from above, where the lines say so and its row has words of its own."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        if self.placed:
            return found
        filled = {i for i, _ in self.cells}
        for (i, j), words in self.cells.items():
            cell, below = self.grid[i][j], i + 1
            while cell and below < len(self.grid) and self._reaches(cell, below, j):
                if below in filled and len(words) <= _MAX_REPEATED_WORDS:
                    found[below, j] = i, j
                below += 1
        return found

    def _reaches(self, cell: PageBox, row: int, column: int) -> bool:
        return self.grid[row][column] is None and cell[3] > self._heights[row][0] + SAME_LINE

    @cached_property
    def box(self) -> PageBox:
        """What all its cells take of the page."""
        boxes = [cell for row in self.grid for cell in row if cell]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    def columns(self) -> Columns:
        """From where to where each column reaches, by the rows that have all of them."""
        if self.placed:
            return self.placed.columns
        full = [row for row in self.grid if all(row) and len(row) == max(map(len, self.grid))]
        return [(cell[0], cell[2]) for cell in full[-1] if cell] if full else []


def has_merged_rows(grid: CellGrid, table: PlacedTable) -> bool:
    """Whether these cells say more of a table than its words do: they fill its frame, one of them reaches into the rows
    below, and there are no fewer rows than of words."""
    filled = _FilledTable(grid=grid)
    x0, top, x1, bottom = filled.box
    boxes = [cell for row in grid for cell in row if cell]
    area = sum((cell[2] - cell[0]) * (cell[3] - cell[1]) for cell in boxes)
    is_whole = abs(area - (x1 - x0) * (bottom - top)) < _AREA_TOLERANCE * area
    if not is_whole or len(grid) < len(table.rows) or not filled.has_tall_cell():
        return False
    return all(map(filled.reaches, table.words()))


def inline_tables(
    page: PageLayout,
    grids: Sequence[CellGrid],
    *,
    placed: Sequence[PlacedTable] = (),
    before: TableHead | None = None,
) -> tuple[PageLayout, TableHead | None]:
    """The page with its tables row by row. Every word stays on the page exactly once, with its box.

    `placed` tables have their words before the `grids` take theirs. `before` has the heads of a table at the end of
    the page before. The second value is the same for the next page.
    """
    owners: dict[int, _FilledTable] = {}
    for known in placed:
        owners.update(dict.fromkeys((word.character for word in known.words()), _FilledTable.of(known)))
    for grid in grids:
        table = _FilledTable(grid=grid)
        free = [word for word in page.words if word.character not in owners]
        taken = [word.character for word in free if table.take(word)]
        if table.is_meaningful():
            owners.update(dict.fromkeys(taken, table))
    if not owners:
        return page, None
    head = _Heads(page, before)
    writer = LayoutWriter(page)
    for line in page.lines:
        _write_line(writer, line, owners, head.labelled_rows)
    return writer.page(), head.last


class _Heads:
    """Which heads the tables of a page have: their own, or those of the page before."""

    def __init__(self, page: PageLayout, before: TableHead | None) -> None:
        self._page = page
        self._before = before
        self.last: TableHead | None = None

    def labelled_rows(self, table: _FilledTable, writer: LayoutWriter) -> list[list[LabelledCell]]:
        texts, columns, box = table.texts(writer), table.columns(), table.box
        before = self._before
        labels, head_rows = _labels(table, texts, writer)
        is_continued = before is not None and before.fits(columns) and is_first_on_page(self._page, box)
        if table.placed and table.placed.labels:
            rows = [*layout_body(texts[:head_rows], []), *layout_body(texts[head_rows:], labels)]
        elif before is not None and is_continued and labels != list(before.labels):
            labels, rows = list(before.labels), layout_body(texts, before.labels)
        else:
            rows = layout_rows(texts)
        self.last = TableHead(tuple(columns), tuple(labels)) if labels and goes_on(self._page, box) else None
        return rows


def _labels(table: _FilledTable, texts: Sequence[Sequence[str]], writer: LayoutWriter) -> tuple[list[str], int]:
    """The names of the columns, and how many rows they take."""
    if table.placed and table.placed.labels:
        return [cut_label(writer.joined(words)) if words else "" for words in table.placed.labels], 1
    return header_labels(texts)


def _write_line(
    writer: LayoutWriter,
    line: PlacedLine,
    owners: dict[int, _FilledTable],
    labelled: Callable[[_FilledTable, LayoutWriter], list[list[LabelledCell]]],
) -> None:
    for table in filter(None, (owners.get(word.character) for word in line.words)):
        if not table.is_written:
            table.is_written = True
            for row, cells in enumerate(labelled(table, writer)):
                if cells:
                    _write_table_row(writer, table, row, cells)
    left = [word for word in line.words if word.character not in owners]
    if len(left) == len(line.words):
        writer.copy(line)
    elif left:
        writer.words(left)
        writer.text("\n")


def _write_table_row(writer: LayoutWriter, table: _FilledTable, row: int, cells: list[LabelledCell]) -> None:
    for position, cell in enumerate(cells):
        writer.text(CELL_SEPARATOR if position else "")
        writer.text(f"{cell.label}: " if cell.label else "")
        if (row, cell.column) in table.merged:
            writer.text(table.text(writer, row, cell.column))
        else:
            writer.words(table.cells[row, cell.column])
    writer.text("\n")
