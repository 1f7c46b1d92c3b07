"""Rows of one table that a question asks for together: those that it names side by side, to compare them, or all of
them, where it names nothing but the heading above the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice

from knowledge.readers.tables import is_separator_row
from language.negation import has_negation
from language.terms import terms
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.table_headers import is_header_row
from querying.retrieval.passage_tables import is_row, parse_cells, row_name
from querying.types.evidence import Evidence, Sentence

# A longer table is not quoted as a whole, and more rows than these are not compared.
_MAX_ROWS, _MAX_COMPARED = 8, 3
# Of the rows that are asked for by what their cells say, so many are quoted.
MAX_ROWS_WITH_VALUE = 12
_MAX_OF_SAME_NAME = 4
# Rows of another table are asked for as well where the best of them is as good as this beside the best row.
_EQUAL_TABLE_RATIO = 0.88
# What must be said of that by which a row's name differs from the others.
_MIN_SHARE = 0.5
# A table is read so far up and down from a row.
_MAX_LINES = 60


def rows_asked_together(question: str, row: Sentence, neighbours: Neighbours) -> list[Sentence]:
    """The rows of this row's table that the question asks for together, this one among them, in the order of the page;
    those that it names word for word, where this one is none of them; empty where it asks for this one."""
    if not is_row(row.text):
        return []
    rows = _table(row, neighbours)
    named = _named_rows(question, rows)
    if len(named) <= _MAX_COMPARED:
        if row in named and len(named) > 1:
            return named
        if named and row not in named and all(_is_said_in_full(one, question) for one in named):
            return named
    is_about_all = not named and _asks_for_heading(question, neighbours.heading(row))
    return rows if is_about_all and row in rows and 1 < len(rows) <= _MAX_ROWS else []


def rows_with_value(row: Sentence, evidence: Evidence) -> list[Sentence]:
    """The rows that the question asks for by what their cells say, those of this row's table and of others that answer
    as well, in the order of the page; empty where it does not ask for this one so."""
    equal = {one.value_rows for one in evidence.sentences if one.score >= _EQUAL_TABLE_RATIO * row.score}
    same = (one for one in evidence.sentences if row.value_rows and one.value_rows and one.value_rows in equal)
    by_place = {_place(one, evidence, first=row): one for one in sorted(same, key=lambda one: -one.source)}
    return _without_copies([by_place[place] for place in sorted(by_place)])


def rows_of_same_name(row: Sentence, evidence: Evidence) -> list[Sentence]:
    """This row and the others of its name that have the cell which the question asks for, such as a course on two days;
    empty where it is the only one, or where there are many."""
    if row.asked_words is None or row.is_cell_empty:
        return []
    name = row_name(row.text)
    same = [one for one in evidence.sentences if one.asked_words is not None and not one.is_cell_empty]
    found = {evidence.page_place(one.source, one.start): one for one in reversed(same) if row_name(one.text) == name}
    own = evidence.page_place(row.source, row.start)
    others = [found[place] for place in sorted(found) if place != own]
    rows = _without_copies([row, *others])
    return rows if 1 < len(rows) <= _MAX_OF_SAME_NAME else []


def _without_copies(rows: Sequence[Sentence]) -> list[Sentence]:
    """The rows, those of one table that say the same once."""
    found: dict[tuple[str, str], Sentence] = {}
    for one in rows:
        found.setdefault((one.value_rows, " ".join(one.text.split())), one)
    return list(found.values())


def _place(one: Sentence, evidence: Evidence, *, first: Sentence) -> tuple[bool, str, int, int]:
    """Where a row stands, those of the first one's table before others."""
    passage = evidence.passages[one.source]
    is_elsewhere = one.value_rows != first.value_rows
    return is_elsewhere, one.value_rows, passage.page_number or 0, passage.start + one.start


def _asks_for_heading(question: str, heading: str) -> bool:
    """Whether the question says no word, and no number, that the heading does not."""
    asked = set(terms(question))
    has_number = any(map(str.isdigit, question))
    return bool(asked) and asked <= set(terms(heading)) and not (has_number or has_negation(question))


def _table(row: Sentence, neighbours: Neighbours) -> list[Sentence]:
    """The rows around this one, top to bottom, without the heads and the rows whose ranges leave the number out."""
    above = _rows(neighbours.preceding(row))
    lines = [*reversed(list(above)), row, *_rows(neighbours.following(row))]
    rows = (one for one in lines if not (is_separator_row(one.text) or is_header_row(one, neighbours)))
    return [one for one in rows if not one.ranges.excluded]


def _rows(lines: Iterable[Sentence]) -> Iterator[Sentence]:
    for line in islice(lines, _MAX_LINES):
        if not (is_row(line.text) or is_separator_row(line.text)):
            return
        yield line


def _named_rows(question: str, rows: Sequence[Sentence]) -> list[Sentence]:
    """Those of whose names the question says what tells them from the others, and a word that they share with these,
    where they do: "a monthly one" is not "one zone". Where one name is a part of another, it must be said once more:
    "Office Plus" does not name "Office". A name without a word of its own ("red, blinking") is said as a whole, first
    where its words stand together."""
    names = [terms(cells[0].value) if (cells := parse_cells(row.text)) else [] for row in rows]
    counts = Counter(chain.from_iterable(map(set, names)))
    own = [{stem for stem in name if counts[stem] == 1} for name in names]
    asked = terms(question)
    left = Counter(asked)
    longest_first = sorted((at for at in range(len(rows)) if names[at]), key=lambda at: -len(names[at]))
    found: set[int] = set()
    others = [at for at in longest_first if not own[at]]
    for at in longest_first:
        if own[at] and _is_told_apart(names[at], own[at], left=left, asked=asked):
            left -= Counter(names[at])
            found.add(at)
    for at in chain(_side_by_side([names[at] for at in others], asked), range(len(others))):
        if others[at] not in found and all(left[stem] for stem in names[others[at]]):
            left -= Counter(names[others[at]])
            found.add(others[at])
    return [rows[at] for at in sorted(found)]


def _is_said_in_full(row: Sentence, question: str) -> bool:
    """Whether the question says all of the two or more words of its name."""
    name = terms(parse_cells(row.text)[0].value)
    return len(name) > 1 and Counter(name) <= Counter(terms(question))


def _is_told_apart(name: Sequence[str], own: Set[str], *, left: Mapping[str, int], asked: Sequence[str]) -> bool:
    shared = set(name) - own
    is_said = sum(left[stem] > 0 for stem in own) >= _MIN_SHARE * len(own)
    return is_said and (not shared or not shared.isdisjoint(asked))


def _side_by_side(names: Sequence[Sequence[str]], asked: Sequence[str]) -> Iterator[int]:
    """Which of the names have their words side by side in the question, in any order ("a steady red light" is "light
    red, steady"), as one reads them: what one has taken is not the beginning of another."""
    wanted, at = [sorted(name) for name in names], 0
    while at < len(asked):
        read = (number for number, name in enumerate(wanted) if sorted(asked[at : at + len(name)]) == name)
        if (number := next(read, None)) is None:
            at += 1
        else:
            yield number
            at += len(wanted[number])
