"""Rows of one table that a question asks for together: those that it names side by side, to compare them, or all of
them, where it names nothing but the heading above the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from knowledge.readers.tables import is_separator_row
from language.negation import has_negation
from language.terms import terms
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.table_headers import is_header_row
from querying.answering.llms.extractive.table_rows import is_row
from querying.retrieval.passage_tables import parse_cells
from querying.types.evidence import Sentence

# A longer table is not quoted as a whole, and more rows than these are not compared.
_MAX_ROWS, _MAX_COMPARED = 8, 3
# What must be said of that by which a row's name differs from the others.
_MIN_SHARE = 0.5
# A table is read so far up and down from a row.
_MAX_LINES = 60


def rows_asked_together(question: str, row: Sentence, neighbours: Neighbours) -> list[Sentence]:
    """The rows of this row's table that the question asks for, this one among them, in the order of the page; empty
    where it asks for one."""
    if not is_row(row.text):
        return []
    rows = _table(row, neighbours)
    named = _named_rows(question, rows)
    if row in named and 1 < len(named) <= _MAX_COMPARED:
        return named
    is_about_all = not named and _asks_for_heading(question, neighbours.heading(row))
    return rows if is_about_all and row in rows and 1 < len(rows) <= _MAX_ROWS else []


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
    "Office Plus" does not name "Office"."""
    names = [Counter(terms(cells[0].value)) if (cells := parse_cells(row.text)) else Counter[str]() for row in rows]
    counts = Counter(chain.from_iterable(names))
    asked = Counter(terms(question))
    left = Counter(asked)
    found: list[int] = []
    for at in sorted(range(len(rows)), key=lambda one: -len(names[one])):
        own = {stem for stem in names[at] if counts[stem] == 1} or set(names[at])
        said = {stem for stem in own if left[stem]}
        shared = set(names[at]) - own
        if own and len(said) >= _MIN_SHARE * len(own) and (not shared or any(asked[stem] for stem in shared)):
            left -= names[at]
            found.append(at)
    return [rows[at] for at in sorted(found)]
