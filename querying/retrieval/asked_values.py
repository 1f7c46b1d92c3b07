"""Which rows of a table a question asks for by what one of their cells says: "Which courses are on Friday?" of a column
of days, "Who works in finance?" of a column of departments.

A cell is asked for as a whole, in its own words, or by a day of the week that it speaks of. Figures are left to the
ranges: "under 60 cm" is not "60 cm". What the question says beyond that must be few words, or the heads of the table.

A row answers that meets all conditions ("in the main hall on Friday"), and none that the question denies ("not on
Friday"). Rows of a table of which the question says values, and that do not answer it, are excluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from language.closed_questions import is_closed_question
from language.exception_words import makes_exceptions
from language.negation import has_negation, split_at_denial
from language.terms import terms, word_spans
from language.topic_words import question_word_stems, topic_stems
from language.weekdays import bounded_days, days_named_in, days_spoken_of
from querying.question.column_questions import ColumnKind
from querying.retrieval.asked_column import Grid
from querying.retrieval.column_kinds import SAMPLE_CELLS, figure_kind, word_kind

_MAX_QUESTION_CHARACTERS, _MAX_VALUE_CHARACTERS, _MAX_CELLS = 300, 80, 4000
# How many words of substance may be said neither by the cell nor by the table: the verb of the question ("needs",
# "teaches"), and one more where the question names a column or what the rows are.
_MAX_OTHER_WORDS = 1
# Before a verb and its subject these ask for no cell: "how do I", and not "how much is".
_MANNER = frozenset({"how", "why"})
# What asks for rows that a value is denied of; and what a denial behind it is only a case of ("if I cannot come").
_ASKS_FOR_ROWS = re.compile(r"\b(?:which|what)\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:if|when|why|how|because|in\s+case)\b", re.IGNORECASE)
_NOT_ONLY = re.compile(r"\bnot\s+(?:only|just)\b", re.IGNORECASE)
_LIST_SEPARATOR = re.compile(r"[,;/&]|\band\b")

# Where the names of rows stand, beside the columns of cells.
_NAMES = -1

# The column of a row's cell that the question says, and the stems of these words.
_Said = tuple[int, frozenset[str]]


@dataclass(frozen=True, kw_only=True)
class ValueRows:
    """For each row that is asked for by its cells: their columns. `words` are the stems that ask for the rows,
    `unsaid` how many words of substance neither the rows nor their table say. `excluded` rows answer nothing, because
    they do not meet what the question asks for by the values of cells. Where it asks for rows, or where a value is, and
    no row answers, `unmet` are the days, people and places that it asks about: what answers must say them all."""

    columns: Mapping[int, frozenset[int]]
    words: frozenset[str]
    unsaid: int = 0
    excluded: frozenset[int] = frozenset()
    unmet: frozenset[str] = frozenset()

    def words_for(self, row: int, column: int) -> dict[str, float] | None:
        """The words that the cell says, each of which it matches in full; None where it is not asked for."""
        is_asked = column in self.columns.get(row, frozenset())
        return dict.fromkeys(self.words, 1.0) if is_asked else None


NO_VALUE_ROWS = ValueRows(columns={}, words=frozenset())


def rows_asked_by_value(question: str, grid: Grid) -> ValueRows:
    """The rows that the English question asks for by their values, and those that it excludes; none where all rows say
    the same."""
    if len(question) > _MAX_QUESTION_CHARACTERS or len(grid.labels) * len(grid.heads) > _MAX_CELLS:
        return NO_VALUE_ROWS
    asked = _AskedWords(question)
    conditions = _conditions(asked, grid)
    is_denied = has_negation(question)
    is_unclear = _NOT_ONLY.search(question) or (makes_exceptions(question) and not is_denied)
    if not conditions or is_unclear:
        return NO_VALUE_ROWS
    said = {grid.cells[row][column] for one in conditions for row, column in one.cells}
    if not is_denied or any(map(has_negation, said)):
        return _rows_meeting(question, grid, asked, wanted=conditions)
    parts = None if is_closed_question(question) else split_at_denial(question)
    names_rows = asked.names_table(grid) or not asked.topics.isdisjoint(grid.caption.union(terms(grid.labels[0])))
    is_of_rows = parts and _denies_value(question, parts, names_rows=names_rows)
    split = _split_at_denied([*conditions, *_named_rows(parts[2], grid)], parts) if parts and is_of_rows else None
    if not split:
        return NO_VALUE_ROWS
    denied, wanted = split
    return _rows_meeting(question, grid, asked, wanted=wanted, denied=denied)


def _denies_value(question: str, parts: tuple[str, str, str], *, names_rows: bool) -> bool:
    """Whether the denial is of the rows that are asked for, as in "Which courses are not on Friday?", and not of a
    case, as in "What if I cannot come on Friday?"."""
    before, cue, _ = parts
    is_of_rows = bool(_ASKS_FOR_ROWS.search(question)) and not _CASE.search(before)
    return is_of_rows and (names_rows or makes_exceptions(cue))


def _rows_meeting(
    question: str, grid: Grid, asked: _AskedWords, *, wanted: Sequence[_Condition], denied: _Condition | None = None
) -> ValueRows:
    """The rows that meet all conditions and not the denied one. Where there is none, and where the question asks for
    something else, all are excluded."""
    conditions = [*wanted, *filter(None, [denied])]
    meet = set(range(len(grid.labels))).intersection(*(one.rows for one in wanted))
    rows = sorted(row for row in meet if denied is None or denied.leaves(row, grid))
    said = frozenset[int]().union(*(one.rows for one in conditions))
    words = frozenset[str]().union(*(one.words for one in conditions))
    columns = frozenset[int]().union(*(one.columns for one in conditions))
    unsaid = _unsaid_words(rows or sorted(said), words, asked=asked, grid=grid)
    if unsaid is None or (len(rows) == len(grid.labels) > 1):
        return NO_VALUE_ROWS
    may_ask = _may_ask_for_rows(question, grid, columns, is_sure=asked.names_table(grid) or not unsaid)
    if not (rows and may_ask) or (denied and _asks_for_other_column(asked, grid, columns, words)):
        everything = frozenset(range(len(grid.labels)))
        unmet = _words_of_names(conditions, grid) if may_ask or _asks_where(question) else frozenset[str]()
        return ValueRows(columns={}, words=words, excluded=everything, unmet=unmet)
    said_cells = frozenset[tuple[int, int]]().union(*(one.cells for one in wanted))
    without = denied.columns if denied else frozenset[int]()
    of_rows = {row: frozenset(one for one in columns if (row, one) in said_cells or one in without) for row in rows}
    return ValueRows(columns=of_rows, words=words, unsaid=unsaid, excluded=denied.rows if denied else frozenset())


def _words_of_names(conditions: Sequence[_Condition], grid: Grid) -> frozenset[str]:
    """The words of the conditions that name days, people and places. Others ("open") may be said in other words."""
    named = (one for one in conditions if not one.columns or any(_is_name(*cell, grid) for cell in one.cells))
    return frozenset[str]().union(*(one.words for one in named))


def _is_name(row: int, column: int, grid: Grid) -> bool:
    is_day = bool(days_spoken_of(grid.cells[row][column]))
    return is_day or _column_kind(grid, column) in (ColumnKind.PERSON, ColumnKind.PLACE)


def _asks_for_other_column(asked: _AskedWords, grid: Grid, columns: Set[int], words: Set[str]) -> bool:
    """Whether the question names a column that it gives no value of: "Which teachers are not there on Friday?" asks for
    no rows."""
    heads = (frozenset(terms(head)) for column, head in enumerate(grid.heads) if column not in columns)
    return not (asked.topics - words).isdisjoint(frozenset[str]().union(*heads))


def _may_ask_for_rows(question: str, grid: Grid, columns: Set[int], *, is_sure: bool) -> bool:
    """Whether the question asks for rows, and does not share a value with them by chance, as "How do I get to York?"
    does, of a column of places "Where is York?", and where it is not sure "Is Friday a holiday?"."""
    if _asks_where(question):
        return not all(_column_kind(grid, column) == ColumnKind.PLACE for column in columns)
    first, _, rest = question.strip().partition(" ")
    if first.lower() in _MANNER and is_closed_question(rest):
        return False
    return is_sure or len(columns) > 1 or not is_closed_question(question)


def _asks_where(question: str) -> bool:
    return question.split(maxsplit=1)[:1] in (["where"], ["Where"])


def _column_kind(grid: Grid, column: int) -> ColumnKind:
    values = islice((cells[column] for cells in grid.cells if cells[column]), SAMPLE_CELLS)
    return word_kind(grid.heads[column], tuple(values))


class _AskedWords:
    """A question's words as they are spelt, its stems, and the days that it names."""

    def __init__(self, question: str) -> None:
        words = [question[start:end] for start, end in word_spans(question)]
        self.stems = frozenset(terms(question))
        self.topics = topic_stems(question)
        bounded = bounded_days(question)
        self.days = frozenset[int]().union(*bounded.values()) if bounded else days_named_in(question)
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


@dataclass(frozen=True, kw_only=True)
class _Condition:
    """What the question says of one column, or of columns with the same words, and the cells (row, column) of which
    that is true; or what it says of the names of rows, which stand in column -1."""

    cells: frozenset[tuple[int, int]]
    words: frozenset[str]

    @cached_property
    def rows(self) -> frozenset[int]:
        return frozenset(row for row, _ in self.cells)

    @cached_property
    def columns(self) -> frozenset[int]:
        return frozenset(column for _, column in self.cells) - {_NAMES}

    def or_other(self, other: _Condition) -> _Condition:
        return _Condition(cells=self.cells | other.cells, words=self.words | other.words)

    def leaves(self, row: int, grid: Grid) -> bool:
        """Whether the row says something else; one with an empty cell says nothing."""
        return row not in self.rows and all(any(grid.cells[row][one : one + 1]) for one in self.columns)


def _said_cells(asked: _AskedWords, grid: Grid) -> list[list[_Said]]:
    """For each row the cells that the question says; a value that is a part of another one is not said: "main hall" is
    not "hall"."""
    said = [list(asked.said_cells(grid, row)) for row in range(len(grid.labels))]
    found = {stems for row in said for _, stems in row}
    whole = {stems for stems in found if not any(stems < other for other in found)}
    return [[(column, stems) for column, stems in row if stems in whole] for row in said]


def _conditions(asked: _AskedWords, grid: Grid) -> list[_Condition]:
    """What each column is asked for: "on Friday in the main hall" are two, "on Monday or Friday" is one."""
    by_words: dict[frozenset[str], set[tuple[int, int]]] = {}
    for row, cells in enumerate(_said_cells(asked, grid)):
        for column, stems in cells:
            by_words.setdefault(stems, set()).add((row, column))
    found: list[_Condition] = []
    for words, of_words in by_words.items():
        one = _of_named_columns(_Condition(cells=frozenset(of_words), words=words), asked, grid)
        same = next((at for at, other in enumerate(found) if other.columns & one.columns), None)
        if same is None:
            found.append(one)
        else:
            found[same] = found[same].or_other(one)
    return found


def _of_named_columns(one: _Condition, asked: _AskedWords, grid: Grid) -> _Condition:
    """The condition on those of its columns of whose heads the question says most: "the paper bin on Tuesday" is not
    the organic one."""
    said = {column: len(asked.topics & frozenset(terms(grid.heads[column]))) for column in one.columns}
    most = max(said.values())
    return replace(one, cells=frozenset(cell for cell in one.cells if said[cell[1]] == most))


def _named_rows(text: str, grid: Grid) -> list[_Condition]:
    """The rows whose names the text says as a whole, as one condition; empty where it names none."""
    said, labels = frozenset(terms(text)), [frozenset(terms(label)) for label in grid.labels]
    common = question_word_stems() | (frozenset.intersection(*labels) if len(labels) > 1 else frozenset())
    found = {at: own for at, label in enumerate(labels) if (own := label - common) and own <= said}
    words = frozenset[str]().union(*found.values())
    return [_Condition(cells=frozenset((row, _NAMES) for row in found), words=words)] if found else []


def _split_at_denied(
    conditions: Sequence[_Condition], parts: tuple[str, str, str]
) -> tuple[_Condition, list[_Condition]] | None:
    """The condition that the denial denies, and the others. An exception ("other than on Friday") is of what stands
    next; where another denial has two conditions behind it, nobody knows which is meant."""
    before, cue, behind = parts
    stems = [frozenset(terms(behind[start:end])) for start, end in word_spans(behind)]
    places = [next((at for at, each in enumerate(stems) if each & one.words), None) for one in conditions]
    following = sorted((place, at) for at, place in enumerate(places) if place is not None)
    if not following or (len(following) > 1 and not makes_exceptions(cue)):
        return None
    denied = conditions[following[0][1]]
    return None if denied.words & frozenset(terms(before)) else (denied, [one for one in conditions if one != denied])


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
