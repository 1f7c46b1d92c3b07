"""Finds sentences that speak of a day of the week that is asked about, and those that speak of other days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from language.terms import terms
from language.weekdays import days_spoken_of, named_days
from querying.types.evidence import RangeMatch


def with_weekdays(question: str, sentences: Sequence[str], matches: Sequence[RangeMatch]) -> list[RangeMatch]:
    """The matches of the sentences with the stems of the days that the English question names: those that a sentence
    speaks of; or all of them, where it speaks of other days alone."""
    asked = {frozenset(terms(name)): number for name, number in named_days(question)}
    if not asked:
        return list(matches)
    return [_with_days(match, asked, days_spoken_of(text)) for match, text in zip(matches, sentences, strict=True)]


def _with_days(match: RangeMatch, asked: dict[frozenset[str], int], spoken_of: frozenset[int]) -> RangeMatch:
    if not spoken_of:
        return match
    days = frozenset(stem for stems, number in asked.items() if number in spoken_of for stem in stems)
    return replace(match, days=days, other_days=frozenset() if days else frozenset().union(*asked))
