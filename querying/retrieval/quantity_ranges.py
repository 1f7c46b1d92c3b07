"""Finds sentences whose range includes a number of the question: "7 to 14 days" includes "10 days".

A limit decides a question for yes or no in either case: "Cars park for at most four hours" answers "Can a car park for
five hours?". As nobody can tell what a limit is one of, its sentence must say all that the question is about, and the
number stays one that no passage mentions.
"""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.readers.tables import CELL_SEPARATOR
from language.closed_questions import is_closed_question
from language.figures.figure_types import Quantity
from language.figures.intervals import Interval, find_interval, find_limit, plain_quantities, tidy_text
from language.terms import terms
from language.topic_words import topic_stems
from language.units import compare_amounts
from querying.types.evidence import NO_RANGE_MATCH, RangeMatch

# More than this is a list and no question about a case.
_MAX_QUANTITIES = 6
# A range that fits excludes a limit that does not, unless the sentence of the limit says so many more words of what is
# asked: then the range is of another matter.
_MOST_WORDS_MORE = 1
_YEARS = (1500, 2100)
_CELL_SIGN = CELL_SEPARATOR.strip()


def match_ranges(question: str, sentences: Sequence[str], *, is_english: bool = True) -> list[RangeMatch]:
    """For each sentence which quantities of the question its ranges and bounds include and exclude; where an English
    one wants a yes or a no, what a limit leaves out counts as included, unless a range of another sentence has it."""
    quantities = plain_quantities(question)
    if len(quantities) <= _MAX_QUANTITIES:
        quantities = [one for one in quantities if not any(_is_written(one, sentence) for sentence in sentences)]
    if not quantities or len(quantities) > _MAX_QUANTITIES:
        return [NO_RANGE_MATCH] * len(sentences)
    rows = [[_find_range(one, sentence) for one in quantities] for sentence in sentences]
    in_any = [any(isinstance(row[at], Interval) for row in rows) for at in range(len(quantities))]
    asked = topic_stems(question).difference(*(terms(one.written) for one in quantities))
    shared = [len(asked & set(terms(sentence))) for sentence in sentences]
    if is_english and not all(in_any) and is_closed_question(question):
        rows = [
            _with_limits(row, quantities, in_any, text) if asked and asked <= set(terms(text)) else row
            for row, text in zip(rows, sentences, strict=True)
        ]
    # For each number, how much the sentences that have it in a range say of what is asked.
    included = [
        max((said for row, said in zip(rows, shared, strict=True) if isinstance(row[at], Interval)), default=-1)
        for at in range(len(quantities))
    ]
    return [
        _match_sentence(question, quantities, row, [most >= 0 and most >= said - _MOST_WORDS_MORE for most in included])
        for row, said in zip(rows, shared, strict=True)
    ]


def _find_range(quantity: Quantity, sentence: str) -> Interval | bool:
    """The interval of the sentence, or whether it has any of the kind. A year is no number of years: "in 2010" is not
    "18 years and over"; and nobody counts in fractions: version 5.3 is not "at most 5,000 lines"."""
    found = find_interval(quantity, sentence)
    if not isinstance(found, Interval) or quantity.units != ("",) or quantity.noun:
        return found
    is_year = _YEARS[0] <= quantity.low < _YEARS[1] and "year" in found.units
    is_fraction_of_a_count = quantity.low.denominator != 1 and bool(found.noun)
    return False if is_year or is_fraction_of_a_count else found


def _with_limits(
    row: Sequence[Interval | bool], quantities: Sequence[Quantity], in_any: Sequence[bool], sentence: str
) -> list[Interval | bool]:
    """The limits of the sentence in place of what no range has. The row of a table is one step of a scale, and no rule
    for what lies beyond."""
    if _CELL_SIGN in sentence:
        return list(row)
    each = zip(row, quantities, in_any, strict=True)
    return [found if known or found is not True else find_limit(one, sentence) or True for found, one, known in each]


def _is_written(quantity: Quantity, sentence: str) -> bool:
    """What a sentence states as it is needs no range: "45 mm" beside "the cover is 45 mm"."""
    return any(
        compare_amounts(quantity.low, mine, one.low, theirs) == 0
        for one in plain_quantities(sentence)
        for mine in quantity.units
        for theirs in one.units
    )


def _match_sentence(
    question: str, quantities: Sequence[Quantity], found: Sequence[Interval | bool], in_others: Sequence[bool]
) -> RangeMatch:
    """`found` has for each quantity its interval, or whether the sentence has any of that kind; `in_others`, whether a
    range of another sentence excludes this one's."""
    included = [(one, each) for one, each in zip(quantities, found, strict=True) if isinstance(each, Interval)]
    excluded = [one for one, each, known in zip(quantities, found, in_others, strict=True) if each is True and known]
    if not included and not excluded:
        return NO_RANGE_MATCH
    wording = tidy_text(question)
    within = [(quantity, interval) for quantity, interval in included if interval.compare(quantity)]
    for quantity, interval in sorted(within, key=lambda pair: -pair[0].start):
        wording = wording[: quantity.start] + interval.written + wording[quantity.end :]
    return RangeMatch(
        included=frozenset(stem for quantity, _ in included for stem in terms(quantity.written)),
        # Of the number alone: a sentence that says days speaks of days, whatever their number.
        excluded=frozenset(stem for quantity in excluded for stem in terms(quantity.written.split()[0])),
        numbers=frozenset(quantity.number for quantity, _ in within),
        wording=wording if within else "",
    )
