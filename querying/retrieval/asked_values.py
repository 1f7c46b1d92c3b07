"""Which rows of a table a question asks for by what one of their cells says: "Which courses are on Friday?" of a column
of days, "Who works in finance?" of a column of departments.

A cell is asked for as a whole, in its own words, or by a day of the week that it speaks of. Figures are left to the
ranges: "under 60 cm" is not "60 cm". What the question says beyond that must be few words, or the heads of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from language.closed_questions import is_closed_question
from language.negation import has_negation
from language.terms import terms, word_spans
from language.topic_words import question_word_stems, topic_stems
from language.weekdays import bounded_days, days_spoken_of
from querying.question.column_questions import ColumnKind
from querying.retrieval.asked_column import Grid
from querying.retrieval.column_kinds import SAMPLE_CELLS, figure_kind, word_kind

_MAX_QUESTION_CHARACTERS, _MAX_VALUE_CHARACTERS, _MAX_CELLS = 300, 80, 4000
# How many words of substance may be said neither by the cell nor by the table: the verb of the question ("needs",
# "teaches"), and one more where the question names a column or what the rows are.
_MAX_OTHER_WORDS = 1
# Before a verb and its subject these ask for no cell: "how do I", and not "how much is".
_MANNER = frozenset({"how", "why"})
_LIST_SEPARATOR = re.compile(r"[,;/&]|\band\b")

# The column of a row's cell that the question says, and the stems of these words.
_Said = tuple[int, frozenset[str]]


@dataclass(frozen=True, kw_only=True)
class ValueRows:
    """For each row that is asked for by its cells: their columns. `words` are the stems that ask for the rows,
    `unsaid` how many words of substance neither the rows nor their table say."""

    columns: Mapping[int, frozenset[int]]
    words: frozenset[str]
    unsaid: int = 0

    def words_for(self, row: int, column: int) -> dict[str, float] | None:
        """The words that the cell says, each of which it matches in full; None where it is not asked for."""
        is_asked = column in self.columns.get(row, frozenset())
        return dict.fromkeys(self.words, 1.0) if is_asked else None


NO_VALUE_ROWS = ValueRows(columns={}, words=frozenset())


def rows_asked_by_value(question: str, grid: Grid) -> ValueRows:
    """The rows that the English question asks for by their values; none where it denies something, or where all rows
    say the same."""
    if len(question) > _MAX_QUESTION_CHARACTERS or len(grid.labels) * len(grid.heads) > _MAX_CELLS:
        return NO_VALUE_ROWS
    asked = _AskedWords(question)
    said = [list(asked.said_cells(grid, row)) for row in range(len(grid.labels))]
    whole = _longest({stems for row in said for _, stems in row})
    said = [[(column, stems) for column, stems in row if stems in whole] for row in said]
    columns = {column for row in said for column, _ in row}
    if not columns or has_negation(question):
        return NO_VALUE_ROWS
    rows = _rows_with_every_value(said)
    words = frozenset[str]().union(*whole)
    unsaid = _unsaid_words(rows, words, asked=asked, grid=grid)
    if unsaid is None or len(rows) == len(grid.labels) > 1:
        return NO_VALUE_ROWS
    if not _may_ask_for_rows(question, grid, columns, is_sure=asked.names_table(grid) or not unsaid):
        return NO_VALUE_ROWS
    of_rows = {row: frozenset(column for column, _ in said[row]) for row in rows}
    return ValueRows(columns=of_rows, words=words, unsaid=unsaid)


def _may_ask_for_rows(question: str, grid: Grid, columns: Set[int], *, is_sure: bool) -> bool:
    """Whether the question asks for rows, and does not share a value with them by chance, as "How do I get to York?"
    does, of a column of places "Where is York?", and where it is not sure "Is Friday a holiday?"."""
    first, _, rest = question.strip().partition(" ")
    if first.lower() == "where":
        return not all(_holds_places(grid, column) for column in columns)
    if first.lower() in _MANNER and is_closed_question(rest):
        return False
    return is_sure or len(columns) > 1 or not is_closed_question(question)


def _holds_places(grid: Grid, column: int) -> bool:
    values = islice((cells[column] for cells in grid.cells if cells[column]), SAMPLE_CELLS)
    return word_kind(grid.heads[column], tuple(values)) == ColumnKind.PLACE


class _AskedWords:
    """A question's words as they are spelt, its stems, and the days that it names."""

    def __init__(self, question: str) -> None:
        words = [question[start:end] for start, end in word_spans(question)]
        self.stems = frozenset(terms(question))
        self.topics = topic_stems(question)
        bounded = bounded_days(question)
        self.days = frozenset[int]().union(*bounded.values()) if bounded else days_spoken_of(question)
        self._is_bounded = bool(bounded)
        self._day_words = bounded or {word: days_spoken_of(word) for word in words}
        self._words = frozenset(_singular(word) for word in words)
        self._text = f" {' '.join(words).casefold()} "

    def names_table(self, grid: Grid) -> bool:
        """Whether the question says what the rows are, or a head."""
        return bool(self.topics & _words_of_all(grid))

    def said_cells(self, grid: Grid, row: int) -> Iterator[_Said]:
        for column, value in enumerate(grid.cells[row][: len(grid.heads)]):
            if value and len(value) <= _MAX_VALUE_CHARACTERS and (stems := self._said(value, grid.heads[column])):
                yield column, stems

    def _said(self, value: str, head: str) -> frozenset[str]:
        """The stems of the question that say the cell; empty where none do."""
        spoken_of = days_spoken_of(value) if self.days or self._is_bounded else frozenset[int]()
        if days := self.days & spoken_of:
            return frozenset(stem for word, named in self._day_words.items() if named & days for stem in terms(word))
        if spoken_of and self._is_bounded:
            return frozenset()  # "before Friday" is not Friday
        parts = dict.fromkeys([value, *_LIST_SEPARATOR.split(value)])
        return frozenset().union(*(self._said_part(part.strip(), head) for part in parts))

    def _said_part(self, value: str, head: str) -> frozenset[str]:
        words = [value[start:end] for start, end in word_spans(value)]
        name = [head[start:end] for start, end in word_spans(head)]
        if words and name and f" {' '.join([name[-1], *words]).casefold()} " in self._text:
            return frozenset(terms(f"{name[-1]} {value}"))  # "cupboard A"
        if not {_singular(word) for word in words} <= self._words:
            return frozenset()
        stems = frozenset(terms(value))
        is_named = bool(stems - question_word_stems()) and figure_kind((value,)) == ColumnKind.OTHER
        return stems if is_named else frozenset()


def _words_of_all(grid: Grid) -> frozenset[str]:
    """The stems of the heads, and of what the names of all rows have in common."""
    labels = [frozenset(terms(label)) for label in grid.labels]
    common = frozenset.intersection(*labels) if len(labels) > 1 else frozenset[str]()
    return common.union(*(terms(head) for head in grid.heads))


def _singular(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s").removesuffix("s")


def _longest(found: set[frozenset[str]]) -> set[frozenset[str]]:
    """Those that are no part of another: "main hall" is not "hall"."""
    return {stems for stems in found if not any(stems < other for other in found)}


def _rows_with_every_value(said: Sequence[Sequence[_Said]]) -> list[int]:
    """The rows that say what each column is asked for: "on Friday in the main hall". Columns with the same words are
    one."""
    by_words: dict[frozenset[str], set[int]] = {}
    columns: dict[frozenset[str], set[int]] = {}
    for row, cells in enumerate(said):
        for column, stems in cells:
            by_words.setdefault(stems, set()).add(row)
            columns.setdefault(stems, set()).add(column)
    groups: list[tuple[set[int], set[int]]] = []
    for stems, rows in by_words.items():
        same = next((group for group in groups if group[0] & columns[stems]), None)
        if same:
            same[0].update(columns[stems])
            same[1].update(rows)
        else:
            groups.append((set(columns[stems]), set(rows)))
    return sorted(set.intersection(*(rows for _, rows in groups)))


def _unsaid_words(rows: Sequence[int], words: frozenset[str], *, asked: _AskedWords, grid: Grid) -> int | None:
    """How many words of substance neither the rows nor their table say; None where they are too many, or where the
    question names another row."""
    labels = [frozenset(terms(label)) for label in grid.labels]
    heads = _words_of_all(grid)
    named = [(asked.topics & label) - words - heads for label in labels]
    most = max(map(len, named), default=0)
    if not rows or (most and any(len(named[row]) < most for row in rows)):
        return None
    left = asked.topics - words - heads - grid.caption - frozenset[str]().union(*(named[row] for row in rows))
    is_much = len(left) > _MAX_OTHER_WORDS + bool(asked.topics & heads) or any(map(str.isdigit, "".join(left)))
    return None if is_much else len(left)
