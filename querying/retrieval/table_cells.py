"""Which cell of a table a question asks for.

The words of the question are shared out: each must be said by the name of the row, by the head of the column or by the
caption. Words that many rows or columns have in common tell none of them from the others, and what a name says beyond
the question speaks against it: "Tobacco Excise Tax" is asked for, not "Excise Taxes for Tobacco Assessments". A year
that another row or column has is another one's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest
from itertools import chain, zip_longest

from language.number_words import SMALL_NUMBERS
from language.stop_words import STOP_WORDS
from language.terms import terms
from language.topic_words import question_word_stems
from querying.retrieval.asked_column import AskedCells
from querying.retrieval.asked_values import NO_VALUE_ROWS, ValueRows
from querying.retrieval.passage_tables import Cell, Table, TableRow

_WORD = re.compile(r"[^\W\d_]{2,40}")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_DIGITS = {word: str(number) for number, word in enumerate(SMALL_NUMBERS)}
# "Feb" says February, and less surely than the word itself; shorter beginnings say nothing.
_ABBREVIATION_MATCH, _MIN_ABBREVIATION = 0.8, 3
# What is taken off where all that a row's name, or a column's head, says is not asked for.
ROW_PENALTY, COLUMN_PENALTY = 0.3, 0.15
_MAX_CACHED_TEXTS = 4096


@dataclass(frozen=True, kw_only=True)
class CellMatch:
    """A cell and how it fits. `covered` has the words of the question that the cell is about, and how well each is
    said. `unsaid_years` are asked for and not said. `has_other_year` says that its row or column has another year.
    `row_extra` and `column_extra` are the shares of their names that are not asked for. `asked_words` ask for the cell
    in other words than its head (None: it is not asked for so), and `is_empty` says that nothing stands in the cell of
    this row that they ask for. `tied` cells of the row, this one among them, fit as well by their words, or better."""

    row: TableRow
    cell: Cell
    table: Table
    score: float
    covered: Mapping[str, float]
    unsaid_years: frozenset[str]
    has_other_year: bool
    row_extra: float
    column_extra: float
    asked_words: frozenset[str] | None = None
    is_empty: bool = False
    tied: int = 1

    @property
    def wording(self) -> str:
        """The cell as a sentence of its own, behind its caption."""
        name = f"{self.row.name.header}: {self.row.name.value}" if self.row.name.header else self.row.name.value
        head = f", {self.cell.header}" if self.cell.header else ""
        return f"{self.table.caption or self.table.titles}. {name}{head}: {self.cell.value}"


def best_cells(
    question: str,
    weights: Mapping[str, float],
    tables: Sequence[Table],
    *,
    most: int,
    asked_cells: Sequence[AskedCells | None] = (),
    value_rows: Sequence[ValueRows] = (),
) -> list[CellMatch]:
    """The cells of all tables that fit best by their words alone; `weights` has the inverse document frequency of each
    stem, `asked_cells` for each table the cells that the question asks for in other words than the heads', `value_rows`
    the rows that it asks for by what their cells say."""
    asked = _asked_words(question, weights)
    each = zip_longest(tables, asked_cells, value_rows)
    rows = chain.from_iterable(_TableMatch(asked, *of_table).rows() for of_table in each)
    found = ((one, row) for row in rows for one in row)
    best = nlargest(most, found, key=lambda pair: pair[0].score) if asked else []
    return [replace(one, tied=sum(other.score >= one.score for other in row)) for one, row in best]


@dataclass(frozen=True)
class _AskedWord:
    """A word of the question as it is spelt, what it weighs, and whether it is one of substance."""

    spelling: str
    weight: float
    is_substance: bool


def _asked_words(question: str, weights: Mapping[str, float]) -> dict[str, _AskedWord]:
    spelt = {term: word.lower() for word in reversed(_WORD.findall(question)) for term in terms(word)}
    asked = {
        term: _AskedWord(spelt.get(term, term), weight, term not in question_word_stems())
        for term in terms(question)
        if (weight := weights.get(term, 0.0)) > 0
    }
    mean = sum(word.weight for word in asked.values()) / (len(asked) or 1)
    return asked | {word: _AskedWord(word, mean, False) for word in _names_like_stop_words(question[1:])}


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _stems(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | _names_like_stop_words(text)


def _names_like_stop_words(text: str) -> frozenset[str]:
    """ "May" is a month where it has a capital."""
    return frozenset(word for word in _WORD.findall(text) if word[0].isupper() and word.lower() in STOP_WORDS)


class _Names:
    """The names of a table's rows, or the heads of its columns, as words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.stems = [_stems(text) for text in texts]
        self._spelt = [frozenset(map(str.lower, _WORD.findall(text))) for text in texts]
        counts = Counter(chain.from_iterable(self.stems))
        self.all = frozenset(counts)
        # What all of them say tells none from the others.
        self._rarity = {stem: math.log((len(texts) + 1) / count) for stem, count in counts.items()}

    def coverage(self, at: int, asked: Mapping[str, _AskedWord], unsaid: Set[str]) -> dict[str, float]:
        """Which of the words the name says, and how well: those that no name says may be abbreviated."""
        said = self.stems[at]
        found = {stem: 1.0 for stem in asked if stem in said or _DIGITS.get(stem) in said}
        short = (stem for stem in unsaid if any(_abbreviates(asked[stem].spelling, word) for word in self._spelt[at]))
        return dict.fromkeys(short, _ABBREVIATION_MATCH) | found

    def unasked_share(self, at: int, covered: Iterable[str], asked: Mapping[str, _AskedWord]) -> float:
        """The share of the name that is not asked for; all of it where it is empty."""
        known = [_DIGITS.get(stem, stem) for stem in covered]
        spelt = [asked[stem].spelling for stem in covered]
        total = sum(self._rarity[stem] for stem in self.stems[at])
        extra = sum(
            self._rarity[stem]
            for stem in self.stems[at]
            if stem not in known and not any(_abbreviates(word, stem) for word in spelt)
        )
        return extra / total if total else float(not self.stems[at])


def _abbreviates(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _MIN_ABBREVIATION and short != long and long.startswith(short)


class _TableMatch:
    """How the cells of a table fit the words of a question."""

    def __init__(
        self,
        asked: Mapping[str, _AskedWord],
        table: Table,
        asked_cells: AskedCells | None = None,
        value_rows: ValueRows | None = None,
    ) -> None:
        self._table = table
        self._asked_cells = asked_cells
        self._value_rows = value_rows or NO_VALUE_ROWS
        self._rows, self._columns = _Names([row.label for row in table.rows]), _Names(table.heads)
        inner = self._rows.all | self._columns.all
        # "Mean" puts a question into words, and heads a column.
        self._asked = {
            stem: word
            for stem, word in asked.items()
            if word.is_substance or stem in inner | self._value_rows.words or _DIGITS.get(stem) in inner
        }
        self._total = sum(word.weight for word in asked.values() if word.is_substance) or 1.0
        self._caption = caption_stems(table)
        self._unsaid = frozenset(
            stem
            for stem, word in self._asked.items()
            if stem not in inner | self._caption and not word.spelling.isdigit()
        )

    def rows(self) -> Iterator[list[CellMatch]]:
        """The cells of each row, without the empty ones."""
        heads = [self._columns.coverage(at, self._asked, self._unsaid) for at in range(len(self._table.heads))]
        extras = [self._columns.unasked_share(at, head, self._asked) for at, head in enumerate(heads)]
        for at, row in enumerate(self._table.rows):
            name = self._rows.coverage(at, self._asked, self._unsaid)
            row_extra = self._rows.unasked_share(at, name, self._asked)
            yield [
                self._match(at, column, said=(name, heads[column]), extra=(row_extra, extras[column]))
                for column, cell in enumerate(row.cells)
                if cell.value
            ]

    def _match(
        self, at: int, column: int, *, said: Sequence[Mapping[str, float]], extra: tuple[float, float]
    ) -> CellMatch:
        """How a cell fits; `said` is what its row's name and its head say of the question, and `extra` the share of
        each that is not asked for."""
        years = _years(self._rows.stems[at] | self._columns.stems[column])
        in_other_words = self._asked_cells.words_for(at, column) if self._asked_cells else None
        by_value = self._value_rows.words_for(at, column)
        covered = {**(in_other_words or {}), **self._cover(said, years), **(by_value or {})}
        unsaid = _years(self._asked) - set(covered)
        share = sum(word.weight * covered.get(stem, 0.0) for stem, word in self._asked.items()) / self._total
        # A head that is asked for in other words says nothing that is not asked; nor do head and name of a row that is
        # asked for by a cell.
        row_extra = extra[0] if by_value is None else 0.0
        column_extra = extra[1] if in_other_words is None and by_value is None else 0.0
        row = self._table.rows[at]
        return CellMatch(
            row=row,
            cell=row.cells[column],
            table=self._table,
            score=min(1.0, share) - ROW_PENALTY * row_extra - COLUMN_PENALTY * column_extra,
            covered=covered,
            unsaid_years=unsaid,
            has_other_year=bool(unsaid and years),
            row_extra=row_extra,
            column_extra=column_extra,
            asked_words=None if in_other_words is None else frozenset(in_other_words),
            is_empty=self._lacks_asked_cell(at),
        )

    def _lacks_asked_cell(self, at: int) -> bool:
        """Whether the question names the row, and asks for a cell of it that is empty."""
        asked = self._asked_cells
        return asked is not None and at in asked.rows and not self._table.rows[at].cells[asked.best_column].value

    def _cover(self, said: Sequence[Mapping[str, float]], years: Set[str]) -> dict[str, float]:
        """Each word by where it is said best; a year of the caption says nothing of a row that has its own."""
        found = dict.fromkeys(
            (self._caption - _years(self._caption) if years else self._caption) & set(self._asked), 1.0
        )
        for each in said:
            for stem, match in each.items():
                found[stem] = max(match, found.get(stem, 0.0))
        return found


def _years(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if _YEAR.fullmatch(stem))


def caption_stems(table: Table) -> frozenset[str]:
    """The words above a table. A section may go on over pages, so the year that stands right above the table counts."""
    own, titles = _stems(table.caption), _stems(table.titles)
    return own | (titles - _years(titles) if _years(own) else titles)
