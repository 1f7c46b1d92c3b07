"""Which column of a table a question asks for in other words than its head: "How much does an inner tube cost?" asks
for the price.

The words that name the row are put aside ("How much does it cost?"), and what is left is compared, in the embedder's
space, with the heads of the columns as questions and with the questions for what their cells hold. It must be nearer to
one column than to everything else that might be asked. Where a thing is left over that is neither in the row nor asks
for the column ("a saddle"), the row is another one, and nothing is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice, takewhile

import numpy as np

from knowledge.embedders import local_embedder
from language.terms import terms, word_spans
from language.topic_words import question_word_stems
from querying.question.column_questions import ARTICLES, QUESTIONS, ColumnKind
from querying.retrieval.column_kinds import (
    SAMPLE_CELLS,
    Vectors,
    figure_kind,
    question_vectors,
    word_kind,
)

# More columns are a matrix of figures, whose heads are read by their words.
_MAX_COLUMNS = 24
# The model reads the heads, so many of all tables together, and the question with each of so many things left out.
_MAX_COLUMNS_OF_ALL, _MAX_THINGS = 32, 16
_MAX_QUESTION_WORDS = 40
# How near the question must be to a head, to what the cells hold, and to the head of a column of figures where it asks
# for the number of something that is not the row ("How many speeds has it?").
_MIN_HEAD_NEARNESS, _MIN_KIND_NEARNESS, _MIN_COUNTED_NEARNESS = 0.4, 0.55, 0.55
# And how near what is counted must be to the head of a column of money by itself. Amounts of money are near to each
# other whatever they are for: "discount" and "price" are at .55.
_MIN_MONEY_NOUN_NEARNESS = 0.65
# A word that asks for a column is matched by how near the column is, and so much.
_COVER_BONUS = 0.5
# How much the head counts among columns of one kind. A column may be meant as well as the best one where it is behind
# that one by no more than the lag.
_HEAD_WEIGHT, _MAX_LAG = 0.25, 0.08
# A word may name a thing that is neither in the row nor a column ("a saddle for the bike"). It does where the question
# without it is nearer to a column by _FOREIGN_GAIN, and at least at _FOREIGN_NEARNESS. From _DOUBTFUL_GAIN on the word
# asks for no column. A question at _CLEAR_NEARNESS is clear with the word in it.
_FOREIGN_GAIN, _FOREIGN_NEARNESS, _DOUBTFUL_GAIN, _CLEAR_NEARNESS = 0.12, 0.6, 0.02, 0.8
_MAX_THING_WORDS = 3
# A bare number is an amount of money where its head is as near as this to the questions for money.
_MONEY_HEAD_NEARNESS = 0.6
_MAX_CACHED_HEADS, _MAX_CACHED_QUESTIONS = 1024, 64
# A column of dates begins or ends something where its head is so much nearer to one of them.
_MIN_DATE_LEAD = 0.05
# Behind these stands what is asked, and no thing that it is asked of.
_ASKING = frozenset(["what", "which", "who", "whose", "whom", "how", "much", "many", "when", "where"])
_ITS_NAME = "it"
_WORDINGS: Mapping[ColumnKind, tuple[str, ...]] = {
    ColumnKind.MONEY: ("How much is the {}?", "How much is it {}?"),
    ColumnKind.COUNT: ("How many {} are there?", "How many {}?"),
    ColumnKind.DURATION: ("How long is the {}?",),
    **dict.fromkeys((ColumnKind.DATE, ColumnKind.START, ColumnKind.END), ("When is the {}?", "When does it {}?")),
    ColumnKind.HOURS: ("When is the {}?", "When is it {}?"),
    ColumnKind.PERSON: ("Who is the {}?",),
    ColumnKind.PLACE: ("Where is the {}?", "In which {} is it?"),
    ColumnKind.MEASURE: ("How much is the {}?",),
    ColumnKind.OTHER: ("Which {}?", "Which {} is it?", "Who is the {}?"),
}


_DATES = frozenset({ColumnKind.DATE, ColumnKind.START, ColumnKind.END})
# The kinds of questions that ask for a column of a kind, where it is not that kind alone.
_ALSO_ASKED = {
    ColumnKind.DATE: _DATES,
    ColumnKind.START: frozenset({ColumnKind.START, ColumnKind.DATE}),
    ColumnKind.END: frozenset({ColumnKind.END, ColumnKind.DATE}),
}
# What the first words of a question can ask for at all.
_FIGURES = frozenset(ColumnKind) - {ColumnKind.PERSON, ColumnKind.PLACE, ColumnKind.OTHER}
_PEOPLE = frozenset({ColumnKind.PERSON, ColumnKind.OTHER})
_POSSIBLE_KINDS: Mapping[str, frozenset[ColumnKind]] = {
    **dict.fromkeys(("who", "whom", "whose"), _PEOPLE),
    "where": frozenset({ColumnKind.PLACE, ColumnKind.OTHER}),
    "when": _DATES | {ColumnKind.HOURS, ColumnKind.OTHER},
    "how long": frozenset({ColumnKind.DURATION, ColumnKind.MEASURE}),
    **dict.fromkeys(("how much", "how many"), _FIGURES),
}


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table as it is asked: the names of its rows, the heads of its columns, the cells of each row, and the stems of
    what stands above it."""

    labels: Sequence[str]
    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    caption: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class AskedCells:
    """The rows that the question names, the columns that it asks for, each with how near it is, and the stems of the
    words that ask for them."""

    rows: frozenset[int]
    columns: Mapping[int, float]
    words: frozenset[str]
    asks_for_person: bool = False

    @property
    def best_column(self) -> int:
        """The column that is asked for most surely."""
        return max(self.columns, key=lambda column: self.columns[column])

    def words_for(self, row: int, column: int) -> dict[str, float] | None:
        """The words that ask for this cell, each with how well its head and what it holds match them; None where
        another cell is asked for."""
        if row not in self.rows or column not in self.columns:
            return None
        near = self.columns[column]
        # "Who cleans the office?" is rather near to its owner.
        bonus = 0.0 if self.asks_for_person and near < _MIN_KIND_NEARNESS else _COVER_BONUS
        return dict.fromkeys(self.words, min(1.0, near + bonus))


def find_asked_cells(
    question: str, grids: Sequence[Grid], *, known: Callable[[], frozenset[str]] = frozenset
) -> list[AskedCells | None]:
    """For each table the cells that an English question asks for; None where it names no row, or where no column is
    what it asks for. Tables whose columns are too many together are left out, the last ones first.

    `known` gives the stems of all that was found. They take long to read, and few questions need them, so it is called
    once at most. Raises `EmbedderError`.
    """
    known = cache(known)
    words = [_Word(question[start:end], frozenset(terms(question[start:end]))) for start, end in word_spans(question)]
    found: list[AskedCells | None] = []
    left = _MAX_COLUMNS_OF_ALL
    for grid in grids:
        named = _NamedRows.of(words, grid) if 0 < len(grid.heads) <= min(left, _MAX_COLUMNS) else None
        left -= len(grid.heads) if named else 0
        found.append(_cells_of(named, grid, known) if named else None)
    return found


def _cells_of(named: _NamedRows, grid: Grid, known: Callable[[], frozenset[str]]) -> AskedCells | None:
    columns = _Columns(grid, named.rows)
    understood = _judge_things(named.frame, columns, grid.caption)
    if understood is None:
        return None
    frame, doubtful = understood
    found = columns.asked(frame)
    if not found:
        return None
    if max(found.values()) < _CLEAR_NEARNESS:
        topics = named.rest - question_word_stems()
        # "How long must it fast?": without the word that asks for no column, "how long" alone asks for none.
        is_put_aside = bool(topics) and topics <= doubtful and frame.possible_kinds <= _FIGURES
        # What the documents speak of in the question's own words is not asked of a column in others.
        if is_put_aside or not (topics - named.said).isdisjoint(known()):
            return None
    asks_for_person = frame.possible_kinds == _PEOPLE
    return AskedCells(rows=named.rows, columns=found, words=named.rest - doubtful, asks_for_person=asks_for_person)


def _judge_things(frame: _Frame, columns: _Columns, caption: frozenset[str]) -> tuple[_Frame, frozenset[str]] | None:
    """The question without what only the caption says, and the stems of words that do not bring it nearer to a column;
    None where it names a thing that is said nowhere, without which it were much nearer."""
    tried = list(islice(frame.without_things(), _MAX_THINGS))
    columns.read([frame, *(without for without, _ in tried)])
    nearness = columns.nearest(frame)
    doubtful = frozenset[str]()
    for without, things in tried:
        now = columns.nearest(without)
        if nearness < _CLEAR_NEARNESS and now >= max(_FOREIGN_NEARNESS, nearness + _FOREIGN_GAIN):
            return (without, doubtful | things) if things <= caption else None
        if now >= nearness + _DOUBTFUL_GAIN:
            doubtful |= things
    return frame, doubtful


@dataclass(frozen=True)
class _Word:
    text: str
    stems: frozenset[str]

    @property
    def is_substance(self) -> bool:
        return bool(self.stems - question_word_stems())

    def as_named(self, named: frozenset[str]) -> _Word:
        """The word, or "it" where it names the row."""
        return _Word(_ITS_NAME, frozenset()) if self.stems & named else self


@dataclass(frozen=True, kw_only=True)
class _NamedRows:
    """The rows of which the question says most, the question with "it" for what it says of them, the stems of its other
    words, and those that the table says above its rows."""

    rows: frozenset[int]
    frame: _Frame
    rest: frozenset[str]
    said: frozenset[str]

    @classmethod
    def of(cls, words: Sequence[_Word], grid: Grid) -> _NamedRows | None:
        """None where the question names no row, or another one."""
        if len(words) > _MAX_QUESTION_WORDS:
            return None
        asked = frozenset[str]().union(*(word.stems for word in words))
        rows, named = _rows_said_most(asked, grid.labels)
        rest = asked - named
        said = grid.caption.union(*(terms(head) for head in grid.heads))
        if not rows or any(map(str.isdigit, "".join(rest - said))):
            return None  # a number asks for no column, it names another row
        return cls(rows=rows, frame=_Frame([word.as_named(named) for word in words]), rest=rest, said=said)


def _rows_said_most(asked: frozenset[str], labels: Sequence[str]) -> tuple[frozenset[int], frozenset[str]]:
    """The rows of which the question says most, and the stems that it says of them. What all rows say names none; nor
    do words of which each row has another: "neuter a dog" is not said of "Neutering, cat" and "Vaccination, dog"."""
    said = [asked & frozenset(terms(label)) for label in labels]
    common = frozenset.intersection(*said) if len(said) > 1 else frozenset[str]()
    counts = [len(stems - common - question_word_stems()) for stems in said]
    most = max(counts, default=0)
    rows = frozenset(at for at, count in enumerate(counts) if most and count == most)
    named = frozenset(said[at] for at in rows)
    return (rows, next(iter(named))) if len(named) == 1 else (frozenset(), frozenset())


class _Frame:
    """A question whose row is "it"."""

    def __init__(self, words: Sequence[_Word]) -> None:
        self._words: list[_Word] = []
        for word in words:
            if word.text == _ITS_NAME:
                if self._words and self._words[-1].text.lower() in ARTICLES:
                    self._words.pop()
                if self._words and self._words[-1].text == _ITS_NAME:
                    continue
            self._words.append(word)

    @cached_property
    def text(self) -> str:
        return " ".join(word.text for word in self._words) + "?"

    @cached_property
    def possible_kinds(self) -> frozenset[ColumnKind]:
        begin = [word.text.lower() for word in self._words[:2]]
        return _POSSIBLE_KINDS.get(" ".join(begin)) or _POSSIBLE_KINDS.get(begin[0]) or frozenset(ColumnKind)

    @cached_property
    def counted(self) -> str:
        """What the number or the amount of is asked for, where it is not the row: "spots" of "How many spots has it?";
        empty where there is none."""
        for at, word in enumerate(self._words, start=1):
            if word.text.lower() in ("much", "many"):
                thing = takewhile(lambda one: one.is_substance, self._words[at : at + _MAX_THING_WORDS])
                return " ".join(one.text for one in thing)
        return ""

    def without_things(self) -> Iterator[tuple[_Frame, frozenset[str]]]:
        """The question with "it" in place of one to three words that may name a thing, and the stems of these."""
        for start in range(1, len(self._words)):
            before = self._words[start - 1]
            if before.is_substance or before.text.lower() in _ASKING:
                continue
            for end in range(start + 1, min(start + _MAX_THING_WORDS, len(self._words)) + 1):
                thing = self._words[start:end]
                if not all(word.is_substance for word in thing):
                    break
                rest = [*self._words[:start], _Word(_ITS_NAME, frozenset()), *self._words[end:]]
                yield _Frame(rest), frozenset[str]().union(*(word.stems for word in thing))


class _Columns:
    """The columns of a table, as what a question may ask for."""

    def __init__(self, grid: Grid, rows: frozenset[int]) -> None:
        self._heads = grid.heads
        first = min(rows)
        order = [first, *(at for at in range(len(grid.cells)) if at != first)]
        self._values = [
            tuple(islice(_values(column, (grid.cells[at] for at in order)), SAMPLE_CELLS))
            for column in range(len(grid.heads))
        ]
        self._vectors: dict[str, Vectors] = {}

    def read(self, frames: Sequence[_Frame]) -> None:
        """Reads the questions, all of them at once, before they are compared with the columns."""
        texts = dict.fromkeys(text for frame in frames for text in (frame.text, frame.counted) if text)
        self._vectors = dict(zip(texts, _vectors(tuple(texts)), strict=True))

    def asked(self, frame: _Frame) -> dict[int, float]:
        """The columns that the question asks for, each with how near it is."""
        near, order = self._nearness(frame)
        best = max(order, default=0.0)
        return {at: near[at] for at, one in enumerate(order) if near[at] > 0 and one >= best - _MAX_LAG}

    def nearest(self, frame: _Frame) -> float:
        return max(self._nearness(frame)[0], default=0.0)

    def _nearness(self, frame: _Frame) -> tuple[list[float], list[float]]:
        """For each column how near it is, 0 where something else is nearer, and the same with more weight on its
        head."""
        asked = self._vectors[frame.text]
        by_kind = {kind: float((question_vectors(kind) @ asked).max()) for kind in QUESTIONS}
        near, order = [], []
        for head, values in zip(self._heads, self._values, strict=True):
            kind = self._kind(head, values, by_kind) if values else ColumnKind.OTHER
            of_head = self._of_head(frame, head, kind)
            own = self._own_nearness(frame, kind, of_head, by_kind) if values else 0.0
            near.append(own)
            order.append(own + _HEAD_WEIGHT * of_head if own else 0.0)
        return near, order

    def _of_head(self, frame: _Frame, head: str, kind: ColumnKind) -> float:
        """How near the question is to the head; 0 where it asks for another amount of money than the head's."""
        if not head:
            return 0.0
        heads = _head_vectors(head, kind)
        least = _MIN_MONEY_NOUN_NEARNESS if frame.counted and kind == ColumnKind.MONEY else None
        if least and float(heads[0] @ self._vectors[frame.counted]) < least:
            return 0.0
        return float((heads @ self._vectors[frame.text]).max())

    @staticmethod
    def _own_nearness(frame: _Frame, kind: ColumnKind, of_head: float, by_kind: Mapping[ColumnKind, float]) -> float:
        """How near a column is; 0 where the question's first words ask for another kind or something else is nearer."""
        own_kinds = _ALSO_ASKED.get(kind, frozenset({kind})) - {ColumnKind.OTHER}
        of_kind = max((by_kind[one] for one in own_kinds if one in by_kind), default=0.0)
        if frame.counted:
            of_kind, least = 0.0, _MIN_COUNTED_NEARNESS
        else:
            least = _MIN_HEAD_NEARNESS
        own = max(of_head if of_head >= least else 0.0, of_kind if of_kind >= _MIN_KIND_NEARNESS else 0.0)
        others = max(one for other, one in by_kind.items() if other not in own_kinds)
        return own if own >= others and kind in frame.possible_kinds else 0.0

    @staticmethod
    def _kind(head: str, values: tuple[str, ...], by_kind: Mapping[ColumnKind, float]) -> ColumnKind:
        """What the column holds. Words are only looked at where people or places are asked for."""
        kind = figure_kind(values)
        if kind == ColumnKind.COUNT and head:
            return ColumnKind.MONEY if _head_nearness(head, kind, ColumnKind.MONEY) >= _MONEY_HEAD_NEARNESS else kind
        if kind == ColumnKind.DATE and head:
            of_start, of_end = (_head_nearness(head, kind, one) for one in (ColumnKind.START, ColumnKind.END))
            ahead = ColumnKind.START if of_start > of_end else ColumnKind.END
            return ahead if abs(of_start - of_end) >= _MIN_DATE_LEAD else kind
        asked = max(by_kind, key=lambda one: by_kind[one])
        if kind == ColumnKind.OTHER and asked in (ColumnKind.PERSON, ColumnKind.PLACE):
            return word_kind(head, values)
        return kind


def _values(column: int, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    return (cells[column] for cells in rows if column < len(cells) and cells[column])


def _head_nearness(head: str, kind: ColumnKind, asked: ColumnKind) -> float:
    return float((_head_vectors(head, kind) @ question_vectors(asked).T).max())


@lru_cache(maxsize=_MAX_CACHED_HEADS)
def _head_vectors(head: str, kind: ColumnKind) -> Vectors:
    wordings = [head, *(one.replace("{}", head) for one in ("What is the {} of it?", *_WORDINGS[kind]))]
    vectors: Vectors = np.asarray(local_embedder().embed(wordings), dtype=np.float32)
    return vectors


@lru_cache(maxsize=_MAX_CACHED_QUESTIONS)
def _vectors(texts: tuple[str, ...]) -> Vectors:
    vectors: Vectors = np.asarray(local_embedder().embed(list(texts)), dtype=np.float32)
    return vectors
