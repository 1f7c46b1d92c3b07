"""Finds sentences that speak of a date or month that is asked about, and those that speak of other dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from language.calendar_dates import DateSpan, NamedDate, dates_spoken_of, named_dates
from language.terms import terms
from querying.types.evidence import RangeMatch

# More than this is a list and no question about a case.
_MAX_DATES = 6


def with_dates(question: str, sentences: Sequence[str], matches: Sequence[RangeMatch]) -> list[RangeMatch]:
    """The matches of the sentences with the dates that the English question names: those that a sentence speaks of; or
    all of them, where it speaks of other dates alone."""
    asked = named_dates(question)
    if not asked or len(asked) > _MAX_DATES:
        return list(matches)
    return [_with_dates(match, asked, dates_spoken_of(text)) for match, text in zip(matches, sentences, strict=True)]


def _with_dates(match: RangeMatch, asked: Sequence[NamedDate], spoken_of: Sequence[DateSpan]) -> RangeMatch:
    if not spoken_of:
        return match
    said = [word for one in asked for word in _said_words(one, spoken_of)]
    if not said:
        words = (word for one in asked for word in (*one.days, one.month))
        return replace(match, other_days=match.other_days | _stems(words))
    numbers = {form for word in said if word.isdecimal() for form in (word, word.lstrip("0"))}
    return replace(match, days=match.days | _stems(said), numbers=match.numbers | numbers)


def _said_words(asked: NamedDate, spoken_of: Sequence[DateSpan]) -> list[str]:
    """The words of the date that a sentence which speaks of these dates as good as says: of a day in "July" the month
    alone."""
    within = [span for span in spoken_of if span.overlaps(asked.span)]
    if not within:
        return []
    days = asked.days if not all(span.is_month for span in within) else ()
    year = asked.year if any(span.year for span in within) else ""
    return [*days, asked.month, *filter(None, [year])]


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for word in words for stem in terms(word))
