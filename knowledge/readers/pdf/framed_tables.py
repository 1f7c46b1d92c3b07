"""Tables of which lines show the columns, but not each row or each side.

The columns are those between the lines, the rows are those of the text. A head may span columns: what stands between
two lines at its height belongs to all columns below.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from knowledge.readers.pdf.filled_tables import MAX_CELL_WORDS, PlacedTable
from knowledge.readers.pdf.multiline_rows import are_rows, merge_lines, merge_rows
from knowledge.readers.pdf.page_layout import PageLayout, PlacedWord
from knowledge.readers.pdf.ruling_lines import Rule
from knowledge.readers.pdf.table_frames import Frame, find_frames
from knowledge.readers.pdf.word_lines import MIN_GAP, WordLine, free_words, word_box, word_lines

_MAX_COLUMNS, _MIN_ROWS, _MAX_HEAD_LINES = 40, 2, 6
_MAX_WORDS = 5_000
_MIN_FILLED = 0.5  # of the cells
_MIN_DRAWN = 0.6  # of the lines that a line between columns stands beside
# Prose fills so much of its column with so many words a line, and so many of its lines go on with a sentence.
_PROSE_WIDTH, _PROSE_WORDS, _PROSE_GOING_ON = 0.75, 4, 0.25


def find_framed_tables(page: PageLayout, rules: Sequence[Rule]) -> list[PlacedTable]:
    """The tables of a page whose rows no lines part. Frames may lie in one another: a word belongs to one table."""
    frames = find_frames(rules)
    words = free_words(page) if frames else []
    found: list[PlacedTable] = []
    for frame in frames:
        if table := _table(page, frame, _inside(frame, words)):
            found.append(table)
            taken = {word.character for word in table.words()}
            words = [word for word in words if word.character not in taken]
    return found


def _inside(frame: Frame, words: Sequence[PlacedWord]) -> list[PlacedWord]:
    x0, top, x1, bottom = frame.box
    return [
        word
        for word in words
        if x0 <= (word_box(word)[0] + word_box(word)[2]) / 2 <= x1
        and top <= (word_box(word)[1] + word_box(word)[3]) / 2 <= bottom
    ]


def _table(page: PageLayout, frame: Frame, words: Sequence[PlacedWord]) -> PlacedTable | None:
    if not 3 <= len(frame.edges) <= _MAX_COLUMNS + 1 or not 0 < len(words) <= _MAX_WORDS:
        return None
    bands = _bands(frame, word_lines(words))
    head, body = _parted(frame, bands)
    if _has_ruled_rows(frame, body) or not _are_columns(frame, head, body):
        return None
    rows = [row for band in body for row in _framed_rows(frame, band, is_one=len(body) <= 2)]
    columns = list(pairwise(frame.edges))
    if not _are_rows(rows, has_head=bool(head)) or _are_prose(page, rows, columns) or _are_divided(rows):
        return None
    named, begun = _head(frame, head)
    if head and 2 * sum(map(bool, named)) < len(columns):
        return None
    return PlacedTable(rows=[begun, *rows] if head else rows, columns=columns, labels=named if head else ())


def _bands(frame: Frame, lines: Sequence[WordLine]) -> list[list[WordLine]]:
    """The lines between two rules across the table."""
    edges = frame.row_edges()
    bands: list[list[WordLine]] = [[] for _ in edges]
    for line in lines:
        bands[bisect_right(edges, line.middle) - 1].append(line)
    return _trimmed(frame, [band for band in bands if band])


def _trimmed(frame: Frame, bands: list[list[WordLine]]) -> list[list[WordLine]]:
    """Without a title above the columns and without notes below, where the columns have lines between."""
    least = len(frame.edges) / 2
    parted = [any(len(frame.edges_at(line.middle)) > least for line in band) for band in bands]
    lines = sum(map(len, bands))
    if 2 * sum(len(band) for band, is_parted in zip(bands, parted, strict=True) if is_parted) < lines:
        return bands
    first, last = parted.index(True), len(parted) - parted[::-1].index(True)
    return bands[first:last]


def _parted(frame: Frame, bands: Sequence[list[WordLine]]) -> tuple[list[WordLine], Sequence[list[WordLine]]]:
    """The lines of the head, which a rule parts from the rows, and those of the rows."""
    if len(bands) < 2 or len(bands[0]) > _MAX_HEAD_LINES or are_rows([_framed_cells(frame, line) for line in bands[0]]):
        return [], bands
    is_longer = any(len(band) > len(bands[0]) for band in bands[1:])
    return (bands[0], bands[1:]) if is_longer else ([], bands)


def _has_ruled_rows(frame: Frame, body: Sequence[list[WordLine]]) -> bool:
    """Whether it has lines at its sides and between most of its rows."""
    x0, _, x1, _ = frame.box
    places = [rule.x0 for rule in frame.up]
    is_closed = min(places) - x0 < 1 and x1 - max(places) < 1
    several = sum(are_rows([_framed_cells(frame, line) for line in band]) for band in body)
    return is_closed and (2 * several < len(body) if len(body) > 2 else all(len(band) == 1 for band in body))


def _are_columns(frame: Frame, head: Sequence[WordLine], body: Sequence[list[WordLine]]) -> bool:
    """Whether each line between columns goes down along most rows, or stands in the head."""
    lines = [line for band in body for line in band]
    drawn = Counter(edge for line in lines for edge in frame.edges_at(line.middle))
    in_head = set(frame.edges_at(head[-1].middle)) if head else set()
    return all(edge in in_head or drawn[edge] >= _MIN_DRAWN * len(lines) for edge in frame.edges[1:-1])


# --- Rows and cells ---------------------------------------------------------------------------------------


def _framed_rows(frame: Frame, band: Sequence[WordLine], *, is_one: bool) -> list[list[list[PlacedWord]]]:
    """What stands in each row and column."""
    lines = [_framed_cells(frame, line) for line in band]
    if are_rows(lines) or (is_one and len(lines) > 1):
        return merge_rows(lines, band)
    return [merge_lines(lines)]


def _framed_cells(frame: Frame, line: WordLine) -> list[list[PlacedWord]]:
    """The words of a line by column. A run of words is in the column that it shares most of."""
    columns = list(pairwise(frame.edges))
    cells: list[list[PlacedWord]] = [[] for _ in columns]
    for run in _runs(line, frame.edges_at(line.middle)):
        x0, x1 = word_box(run[0])[0], word_box(run[-1])[2]
        shared = [(x1 if x1 < right else right) - (x0 if x0 > left else left) for left, right in columns]
        cells[shared.index(max(shared))] += run
    return cells


def _runs(line: WordLine, edges: Sequence[float]) -> Iterator[list[PlacedWord]]:
    """Words with neither a gap nor a line between them."""
    run: list[PlacedWord] = []
    for word, middle in zip(line.words, line.middles, strict=True):
        if run:
            last = word_box(run[-1])
            is_apart = word_box(word)[0] - last[2] >= MIN_GAP * word.size
            if is_apart or bisect_right(edges, middle) != bisect_right(edges, (last[0] + last[2]) / 2):
                yield run
                run = []
        run.append(word)
    if run:
        yield run


def _head(frame: Frame, lines: Sequence[WordLine]) -> tuple[list[list[PlacedWord]], list[list[PlacedWord]]]:
    """The words that name each column, and those that begin in it."""
    edges = frame.edges
    named: list[list[PlacedWord]] = [[] for _ in edges[1:]]
    begun: list[list[PlacedWord]] = [[] for _ in edges[1:]]
    for line in lines:
        drawn = frame.edges_at(line.middle)
        for word, middle in zip(line.words, line.middles, strict=True):
            at = min(max(bisect_right(drawn, middle), 1), len(drawn) - 1)
            left, right = drawn[at - 1], drawn[at]
            covered = [column for column, (x0, x1) in enumerate(pairwise(edges)) if left < (x0 + x1) / 2 < right]
            for column in covered:
                named[column].append(word)
            begun[covered[0] if covered else 0].append(word)
    return named, begun


# --- Judging ----------------------------------------------------------------------------------------------


def _are_rows(rows: Sequence[Sequence[Sequence[PlacedWord]]], *, has_head: bool) -> bool:
    filled = sum(bool(cell) for row in rows for cell in row)
    longest = max((len(cell) for row in rows for cell in row), default=0)
    whole = sum(sum(map(bool, row)) > 1 for row in rows)
    return (
        whole >= (_MIN_ROWS if has_head else _MIN_ROWS + 1)
        and longest <= MAX_CELL_WORDS
        and filled >= _MIN_FILLED * len(rows) * len(rows[0])
        and 2 * whole >= len(rows)
    )


def _are_divided(rows: Sequence[Sequence[Sequence[PlacedWord]]]) -> bool:
    """Whether a column has more columns in it: most of its cells have gaps."""
    columns = [[cell for row in rows if (cell := row[at])] for at in range(len(rows[0]))]
    return any(2 * sum(map(_has_gap, cells)) > len(cells) for cells in columns)


def _has_gap(cell: Sequence[PlacedWord]) -> bool:
    boxes = [word_box(word) for word in cell]
    return any(
        right[0] - left[2] >= left[3] - left[1] and right[1] < left[3] and left[1] < right[3]
        for left, right in pairwise(boxes)
    )


def _are_prose(
    page: PageLayout, rows: Sequence[Sequence[Sequence[PlacedWord]]], columns: Sequence[tuple[float, float]]
) -> bool:
    """Whether two columns or more are filled from side to side by sentences."""
    return sum(_is_prose(page, [row[at] for row in rows if row[at]], column) for at, column in enumerate(columns)) > 1


def _is_prose(page: PageLayout, cells: Sequence[Sequence[PlacedWord]], column: tuple[float, float]) -> bool:
    if not cells:
        return False
    width = max(1.0, column[1] - column[0])
    shares = [(max(word_box(word)[2] for word in cell) - word_box(cell[0])[0]) / width for cell in cells]
    going_on = sum(page.text[cell[0].start].islower() for cell in cells)
    is_full = median(map(len, cells)) > _PROSE_WORDS and median(shares) > _PROSE_WIDTH
    return is_full and going_on >= _PROSE_GOING_ON * len(cells)
