"""Tables without lines: rows of figures that stand in columns. They come back row by row, each figure with its column's
head, as ruled tables do.

Only figures make a column, for they are set below one another to the point; words before them name the row. Lines above
the first row that stand over the columns are their heads, and so is a row of years.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

from knowledge.readers.pdf.layout_writer import LayoutWriter
from knowledge.readers.pdf.page_layout import PageBox, PageLayout, PlacedLine, PlacedWord
from knowledge.readers.pdf.table_head import Columns, TableHead, goes_on, is_first_on_page
from knowledge.readers.tables import CELL_SEPARATOR, MAX_LABEL_LENGTH

_FIGURE = re.compile(r"[$€£+−–-]{0,2}\.?\d[\d,.]*%?|\([$€£]?\d[\d,.]*%?\)|[–—-]|\.{2,3}|\([A-Z]{1,2}\)")
_ESTIMATE = re.compile(r"[a-z]{1,4}\.")
_FOUR_DIGITS = re.compile(r"(?:1[89]|20)\d\d")
_MIN_ROWS, _MIN_FIGURES, _MAX_COLUMNS = 3, 2, 30
# Lines of names without figures between two rows, and lines of heads above the first.
_MIN_SENTENCE_CHARACTERS = 40
_MAX_NAME_LINES, _MAX_HEAD_LINES = 3, 24
_MAX_DOUBLED_SHARE = 0.05  # of a table's rows


@dataclass(frozen=True)
class _Row:
    """A line that ends with figures: the words that name it, and the figures."""

    name: Sequence[PlacedWord]
    figures: Sequence[PlacedWord]


@dataclass(frozen=True)
class _Table:
    """Lines `start:end` of the page: the heads, each with its column, and the rows, which begin at `first_row`."""

    start: int
    first_row: int  # the line of its first row, or of the names above that
    end: int
    heads: Sequence[tuple[int, PlacedWord]]
    rows: dict[int, _Row]
    columns: Columns  # those of figures
    labels: Sequence[str] = ()  # of the page before, where it goes on from there

    def all_columns(self) -> Columns:
        """With that of the names before the figures."""
        return [(0.0, self.columns[0][0]), *self.columns]

    def box(self) -> PageBox:
        boxes = [word.box for row in self.rows.values() for word in row.figures if word.box]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    def column(self, word: PlacedWord) -> int:
        """The column that a word stands in or over: 0 for the names, then the figures from 1."""
        assert word.box
        return bisect_left(self._edges, (word.box[0] + word.box[2]) / 2)

    @cached_property
    def _edges(self) -> list[float]:
        """What parts the columns, from the left."""
        first = self.columns[0][0] - (self.columns[0][1] - self.columns[0][0]) / 2
        return [first, *((left[1] + right[0]) / 2 for left, right in pairwise(self.columns))]

    def covered(self, first: PlacedWord, last: PlacedWord) -> list[int]:
        """The columns whose figures lie below what stands from one word to another."""
        assert first.box is not None
        assert last.box is not None
        x0, x1 = first.box[0], last.box[2]
        return [at for at, (left, right) in enumerate(self.columns, start=1) if left < x1 and x0 < right]


def inline_numeric_tables(page: PageLayout, *, before: TableHead | None = None) -> tuple[PageLayout, TableHead | None]:
    """The page with its aligned tables row by row. Every word stays on the page exactly once, with its box.

    `before` has the heads of a table at the end of the page before. The second value is the same for the next page.
    """
    lines = _rows_of_text(page.lines)
    tables = list(_find_tables(page, lines, before))
    if not tables:
        return page, None
    writer = LayoutWriter(page)
    at = 0
    labels: Sequence[str] = ()
    for table in tables:
        for line in lines[at : table.start]:
            writer.copy(line)
        labels = _write_table(writer, table, lines)
        at = table.end
    for line in lines[at:]:
        writer.copy(line)
    last = TableHead(table.all_columns(), labels) if goes_on(page, table.box()) else None
    return writer.page(), last


# --- Finding ----------------------------------------------------------------------------------------------


def _rows_of_text(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    """The lines, those joined that stand beside one another: a lone sign far to the right gets a line of its own."""
    joined: list[PlacedLine] = []
    for line in lines:
        if joined and _is_beside(joined[-1], line):
            before = joined.pop()
            line = PlacedLine(before.start, line.end, [*before.words, *line.words])
        joined.append(line)
    return joined


def _is_beside(line: PlacedLine, other: PlacedLine) -> bool:
    last, first = (line.words[-1].box, other.words[0].box) if line.words and other.words else (None, None)
    if not (last and first) or first[0] <= last[2]:
        return False
    shared = min(last[3], first[3]) - max(last[1], first[1])
    return 2 * shared >= min(last[3] - last[1], first[3] - first[1])


def _find_tables(page: PageLayout, lines: Sequence[PlacedLine], before: TableHead | None) -> Iterator[_Table]:
    rows = {at: row for at, line in enumerate(lines) if (row := _read_row(page, line))}
    free = 0
    for group in _row_groups(page, rows, lines):
        columns = _columns([rows[at] for at in group])
        if len(group) < _MIN_ROWS or not _MIN_FIGURES <= len(columns) <= _MAX_COLUMNS:
            continue
        table = _Table(group[0], group[0], group[-1] + 1, (), {at: rows[at] for at in group}, columns)
        table = _with_heads(page, table, lines, free=free)
        if not table.heads and before and before.fits(table.all_columns()) and is_first_on_page(page, table.box()):
            table = replace(table, labels=before.labels)
        if (table.heads or table.labels) and _is_regular(table):
            free = table.end
            yield table


def _read_row(page: PageLayout, line: PlacedLine) -> _Row | None:
    """The line, if it ends with two figures or more that stand apart."""
    words = line.words
    if not _ends_with_figure(page, words):  # most lines
        return None
    if not all(word.box for word in words) or CELL_SEPARATOR in page.text[line.start : line.end]:
        return None
    # "2015 est." is a year as well.
    words = [word for word in words if not _ESTIMATE.fullmatch(_text(page, word))]
    first = len(words)
    while first and _FIGURE.fullmatch(_text(page, words[first - 1])):
        first -= 1
    row = _Row(words[:first], words[first:])
    has_name = any(map(str.isalpha, "".join(_text(page, word) for word in row.name))) or not row.name
    return row if len(row.figures) >= _MIN_FIGURES + (not row.name) and has_name else None


def _ends_with_figure(page: PageLayout, words: Sequence[PlacedWord]) -> bool:
    texts = (_text(page, word) for word in reversed(words))
    last = next((text for text in texts if not _ESTIMATE.fullmatch(text)), "")
    return _FIGURE.fullmatch(last) is not None


def _row_groups(page: PageLayout, rows: dict[int, _Row], lines: Sequence[PlacedLine]) -> Iterator[list[int]]:
    """Rows that belong together: with few lines between them, and no row of years."""
    group: list[int] = []
    for at in rows:
        is_head = _is_head(page, rows[at])
        if group and (
            is_head or at - group[-1] > _MAX_NAME_LINES + 1 or not _are_names(page, lines[group[-1] + 1 : at])
        ):
            yield group
            group = []
        if not is_head:
            group.append(at)
    if group:
        yield group


def _are_names(page: PageLayout, lines: Sequence[PlacedLine]) -> bool:
    return all(line.words and not _is_note(page, line) for line in lines)


def _is_note(page: PageLayout, line: PlacedLine) -> bool:
    """A unit in brackets, a caption."""
    text = page.text[line.start : line.end].strip()
    is_words = 4 * sum(map(str.isalpha, text)) >= 3 * len("".join(text.split()))
    is_sentence = text.endswith(".") and len(text) >= _MIN_SENTENCE_CHARACTERS and is_words
    return text.startswith(("[", "Table ")) or is_sentence or CELL_SEPARATOR in text


def _is_head(page: PageLayout, row: _Row) -> bool:
    """Figures that count up by one: years, or the numbers of columns."""
    texts = [_text(page, word).removeprefix("+") for word in row.figures]
    numbers = [int(text) for text in texts if text.isdigit()]
    return len(numbers) == len(texts) and all(right - left == 1 for left, right in pairwise(numbers))


def _columns(rows: Sequence[_Row]) -> list[tuple[float, float]]:
    """The columns of all rows. If some rows have gaps within their figures, the columns of the rows that have the usual
    number of figures, if each of these is in a column of its own."""
    count, often = Counter(len(row.figures) for row in rows).most_common(1)[0]
    if 2 * often >= len(rows):
        columns = _figure_columns([row for row in rows if len(row.figures) == count])
        if len(columns) == count:
            return columns
    return _figure_columns(rows)


def _figure_columns(rows: Sequence[_Row]) -> list[tuple[float, float]]:
    """The stretches of the page that figures take, from left to right."""
    spans = sorted((word.box[0], word.box[2]) for row in rows for word in row.figures if word.box)
    columns: list[tuple[float, float]] = []
    for left, right in spans:
        if columns and left <= columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _is_regular(table: _Table) -> bool:
    """No two figures of a row in one column, but in a few rows of many, whose figures have gaps; and most rows with a
    figure in most columns."""
    places = [[table.column(word) for word in row.figures] for row in table.rows.values()]
    doubled = sum(len(set(of_row)) < len(of_row) for of_row in places)
    if doubled > _MAX_DOUBLED_SHARE * len(places) or any(0 in of_row for of_row in places):
        return False
    filled = sum(len(row.figures) for row in table.rows.values())
    return 2 * filled >= len(table.rows) * len(table.columns)


def _with_heads(page: PageLayout, table: _Table, lines: Sequence[PlacedLine], *, free: int) -> _Table:
    """The table with the lines above it that stand over its columns."""
    start = table.start
    above: list[list[tuple[int, PlacedWord]]] = []
    while start > max(free, table.start - _MAX_HEAD_LINES):
        line = lines[start - 1]
        cells = None if _is_note(page, line) else _head_cells(table, line)
        if not cells:
            break
        above.insert(0, cells)
        start -= 1
        if (row := _read_row(page, line)) and _is_head(page, row):
            break  # it has all heads
    # Names without figures right above the first row are its own, or a group's; unless they head the names.
    first_row = table.start
    while len(above) > 1 and {column for column, _ in above[-1]} == {0}:
        if not any(column == 0 for cells in above[:-1] for column, _ in cells):
            break
        above.pop()
        first_row -= 1
    heads = [cell for cells in above for cell in cells]
    is_named = 2 * len({column for column, _ in heads} - {0}) >= len(table.columns)
    return replace(table, start=start, first_row=first_row, heads=heads if is_named else ())


def _head_cells(table: _Table, line: PlacedLine) -> list[tuple[int, PlacedWord]] | None:
    """The words of a line with the columns they stand over; None where words run on over two columns, as a title's or a
    sentence's do."""
    if not all(word.box for word in line.words):
        return None
    cells = []
    for run in _runs(line.words):
        covered = table.covered(run[0], run[-1])
        if len(covered) > 1 and any(len(table.covered(word, word)) != 1 for word in run):
            return None
        column = covered[0] if len(covered) == 1 else None
        if column is not None and len(run) > 1 and not table.covered(run[0], run[0]) and table.column(run[0]) == 0:
            return None
        cells += [(table.column(word) if column is None else column, word) for word in run]
    return cells


def _runs(words: Sequence[PlacedWord]) -> Iterator[list[PlacedWord]]:
    """Words with no more than a space between them."""
    run: list[PlacedWord] = []
    for word in words:
        if run and not (word.box and run[-1].box and 0 <= word.box[0] - run[-1].box[2] < word.size / 2):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


# --- Writing ----------------------------------------------------------------------------------------------


def _write_table(writer: LayoutWriter, table: _Table, lines: Sequence[PlacedLine]) -> Sequence[str]:
    """Gives the labels of its columns."""
    heads: dict[int, list[PlacedWord]] = {}
    for column, word in table.heads:
        heads.setdefault(column, []).append(word)
    for words in heads.values():
        words.sort(key=lambda word: (round(word.box[1]), word.box[0]) if word.box else (0, 0))
    labels = dict(enumerate(table.labels))
    labels |= {at: writer.joined(words)[:MAX_LABEL_LENGTH] for at, words in heads.items()}
    if heads:
        writer.cells([("", heads[at]) for at in sorted(heads)])
    names: list[PlacedWord] = []
    year = ""  # that stands in a line of its own above the months
    for at in range(table.first_row, table.end):
        row = table.rows.get(at)
        if row is None:
            names += lines[at].words
            continue
        own_year = _year(writer, names)
        label = " ".join(filter(None, (labels.get(0, ""), "" if own_year else year)))
        year = own_year or year
        cells = [(label, [*names, *row.name])]
        figures = groupby(row.figures, key=table.column)
        cells += [(labels.get(column, ""), list(words)) for column, words in figures]
        writer.cells(cells)
        names = []
    return [labels.get(at, "") for at in range(len(table.columns) + 1)]


def _year(writer: LayoutWriter, names: Sequence[PlacedWord]) -> str:
    texts = [writer.word_text(word) for word in names]
    return texts[0] if len(texts) == 1 and _FOUR_DIGITS.fullmatch(texts[0]) else ""


def _text(page: PageLayout, word: PlacedWord) -> str:
    return page.text[word.start : word.end]
