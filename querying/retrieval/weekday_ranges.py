"""Finds sentences that speak of a day of the week that is asked about, and those that speak of other days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from knowledge.readers.tables import CELL_SEPARATOR
from language.terms import terms
from language.weekdays import bounded_days, days_spoken_of, named_days
from querying.types.evidence import RangeMatch

_CELL_SIGN = CELL_SEPARATOR.strip()


def with_weekdays(question: str, sentences: Sequence[str], matches: Sequence[RangeMatch]) -> list[RangeMatch]:
    """The matches of the sentences with the stems of the days that the English question names: those that a sentence
    speaks of; or all of them, where it speaks of other days alone. Of rows of tables "before Friday" asks for those of
    earlier days."""
    named = dict(named_days(question))
    if not named:
        return list(matches)
    asked = {frozenset(terms(name)): frozenset({number}) for name, number in named.items()}
    of_rows = asked | {frozenset(terms(name)): days for name, days in bounded_days(question).items()}
    return [
        _with_days(match, of_rows if _CELL_SIGN in text else asked, days_spoken_of(text))
        for match, text in zip(matches, sentences, strict=True)
    ]


def _with_days(
    match: RangeMatch, asked: Mapping[frozenset[str], frozenset[int]], spoken_of: frozenset[int]
) -> RangeMatch:
    if not spoken_of:
        return match
    days = frozenset(stem for stems, numbers in asked.items() if numbers & spoken_of for stem in stems)
    return replace(match, days=days, other_days=frozenset() if days else frozenset().union(*asked))
