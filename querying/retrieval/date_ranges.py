"""Finds sentences that speak of a date or month that is asked about, and those that speak of other dates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from language.calendar_dates import DateSpan, NamedDate, dates_spoken_of, has_ambiguous_date, named_dates
from language.terms import terms
from querying.types.evidence import RangeMatch

# More than this is a list and no question about a case.
_MAX_DATES = 6
# A longer range has other words between its ends.
_MAX_WRITTEN = 60


def with_dates(
    question: str, sentences: Sequence[str], matches: Sequence[RangeMatch], *, day_first: Sequence[bool | None] = ()
) -> list[RangeMatch]:
    """The matches of the sentences with the dates that the English question names: those that a sentence speaks of; or
    all of them, where it speaks of other dates alone. `day_first` tells for each sentence how its document writes dates
    in figures."""
    asked = named_dates(question)
    if not asked or len(asked) > _MAX_DATES:
        return list(matches)
    each = zip_longest(matches, sentences, day_first)
    return [_with_dates(match, question, asked, text, order) for match, text, order in each]


def _with_dates(
    match: RangeMatch, question: str, asked: Sequence[NamedDate], sentence: str, day_first: bool | None
) -> RangeMatch:
    is_unclear = day_first is None and has_ambiguous_date(sentence)
    orders = (True, False) if is_unclear else (day_first is not False,)
    readings = [
        _in_reading(match, question, asked, sentence, dates_spoken_of(sentence, day_first=one)) for one in orders
    ]
    best = max(readings, key=lambda one: len(one.days))
    return replace(best, is_date_unclear=True) if any(one.days != best.days for one in readings) else best


def _in_reading(
    match: RangeMatch, question: str, asked: Sequence[NamedDate], sentence: str, spoken_of: Sequence[DateSpan]
) -> RangeMatch:
    if not spoken_of:
        return match
    within = {one: [span for span in spoken_of if span.overlaps(one.span)] for one in asked}
    said = [word for one, spans in within.items() if spans for word in _said_words(one, spans)]
    if not said:
        words = (word for one in asked for word in (*one.days, one.month))
        return replace(match, other_days=match.other_days | _word_stems(words))
    if all(_is_of_every_month(span, one) for one, spans in within.items() for span in spans):
        return match
    numbers = {form for word in said if word.isdecimal() for form in (word, word.lstrip("0"))}
    return replace(
        match,
        days=match.days | _word_stems(said),
        numbers=match.numbers | numbers,
        wording=match.wording or _wording(question, within, sentence),
    )


def _is_of_every_month(span: DateSpan, asked: NamedDate) -> bool:
    """Whether it says nothing of a month in particular: "since 1 April 2024", asked about some February."""
    return span.last is None and span.year > 0 and not asked.year


def _said_words(asked: NamedDate, within: Sequence[DateSpan]) -> list[str]:
    """The words of the date that a sentence with these dates around it as good as says: of a day in "July" the month
    alone."""
    days = asked.days if not all(span.is_month for span in within) else ()
    year = asked.year if any(span.year for span in within) else ""
    return [*days, asked.month, *filter(None, [year])]


def _wording(question: str, within: Mapping[NamedDate, Sequence[DateSpan]], sentence: str) -> str:
    """The question with the ranges in the place of the dates; empty where the sentence has none for them."""
    wording = question
    for asked, spans in sorted(within.items(), key=lambda pair: -pair[0].span.start):
        ranges = (span for span in spans if not span.is_month and span.end - span.start <= _MAX_WRITTEN)
        if span := next(ranges, None):
            place = asked.span
            wording = f"{wording[: place.start]}{sentence[span.start : span.end]}{wording[place.end :]}"
    return wording if wording != question else ""


def _word_stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for word in words for stem in terms(word))
