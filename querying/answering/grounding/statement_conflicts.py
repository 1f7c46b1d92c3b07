"""Finds statements of different writers that contradict each other: other figures, duty against permission, a denial.

Sources of one plugin are compared word by word (`conflicts`). Experts of different fields choose their own words, so
here the subject may be worded differently; a conflict is certain only if neither statement says more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import ClockTime, Quantity
from language.negation import reverses_polarity
from querying.answering.grounding.claim_contradictions import has_opposite_word
from querying.answering.grounding.claim_support import Surroundings, compare_words
from querying.answering.grounding.conflict_types import ConflictKind, StatementConflict
from querying.answering.grounding.figure_association import exclude_each_other, is_rival_figure
from querying.answering.grounding.linked_sentences import goes_on
from querying.answering.grounding.modality import changes_degree, changes_duty
from querying.answering.grounding.semantic_similarity import similarities

# Fewer shared content words do not make a subject that is surely the same, unless neither says any other, or goes on
# about what was named before ("It is free").
_MIN_SHARED_WORDS = 2
# What one of them may say beyond the other, in content words: "60 days *of receipt*".
_MAX_EXTRA_WORDS = 1
_MIN_SIMILARITY = 0.6
_LIMITS = ("<", "<=", ">", ">=")
# Nobody writes a sentence this long; it is not compared.
_MAX_CHARACTERS = 2000


def find_conflict(one: str, other: str, *, headings: Sequence[str] = ("", "")) -> StatementConflict | None:
    """How the two sentences exclude each other; None where they do not, or may be about different things. `headings`
    are those above each of them, with the title."""
    if max(len(one), len(other)) > _MAX_CHARACTERS or _asks(one) or _asks(other):
        return None
    is_certain = _speak_of_the_same(one, other, headings)
    if is_certain is None:
        return None
    kind = _conflict_kind(one, other)
    # A ferry may leave at 9:15 and at 10:30.
    is_certain = is_certain and not _have_other_times(one, other)
    return StatementConflict(kind=kind, is_certain=is_certain) if kind else None


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?")


def is_within_bound(one: str, other: str, *, headings: Sequence[str] = ("", "")) -> bool:
    """Whether the first sentence gives a value that keeps the limit which the second one sets for the same: 60 mm,
    where at least 50 mm are asked for."""
    if max(len(one), len(other)) > _MAX_CHARACTERS or _speak_of_the_same(one, other, headings) is None:
        return False
    if changes_duty(one, other) or changes_duty(other, one) or reverses_polarity(one, other):
        return False
    rivals = _rival_figures(one, other)
    return len(rivals) == 1 and rivals[0][1].bound in _LIMITS and not exclude_each_other(*rivals[0])


def _speak_of_the_same(one: str, other: str, headings: Sequence[str]) -> bool | None:
    """Whether the subject is exactly the same; None where it may be another."""
    mine, theirs = headings
    found = [
        compare_words(one, other, Surroundings(heading=theirs, passage=other)),
        compare_words(other, one, Surroundings(heading=mine, passage=one)),
    ]
    extra = sorted(len(words.missing) for words in found)
    if extra[0] or extra[1] > _MAX_EXTRA_WORDS:
        return None
    shared = min(len(words.matched) for words in found)
    if not shared or (shared < _MIN_SHARED_WORDS and (extra[1] or any(map(goes_on, (one, other))))):
        return None
    if _is_another_case(one, other) or similarities(one, [other])[0] < _MIN_SIMILARITY:
        return None
    return not extra[1]


def _is_another_case(one: str, other: str) -> bool:
    """ "Severe" and "mild", "very severe" and "severe", Table 16 and Table 17, 20 °C at 10:30 and 25 °C at 14:00. What
    only allows or forbids is no other case, nor is a time of day where nothing else is given."""
    figures = [extract_figures(text) for text in (one, other)]
    has_times_as_values = not any(each.quantities for each in figures)
    named = [{name.code for name in each.names if not (has_times_as_values and name.clock_time)} for each in figures]
    is_opposed = has_opposite_word(one, other) and not reverses_polarity(one, other)
    return named[0] != named[1] or changes_degree(one, other) or is_opposed


def _conflict_kind(one: str, other: str) -> ConflictKind | None:
    if _have_other_times(one, other):  # with a denial besides they are two cases: full at 9:15, not full at 10:30
        is_number = len(_clock_times(one)) == len(_clock_times(other)) and not reverses_polarity(one, other)
        return ConflictKind.NUMBER if is_number else None
    if _have_other_values(one, other):
        return ConflictKind.NUMBER
    if changes_duty(one, other) or changes_duty(other, one):
        return ConflictKind.DUTY
    return ConflictKind.DENIAL if reverses_polarity(one, other) else None


def _have_other_values(one: str, other: str) -> bool:
    """Whether each gives one figure of a kind, and these exclude each other. Whose figure is whose among several cannot
    be told."""
    rivals = _rival_figures(one, other)
    return len(rivals) == 1 and exclude_each_other(*rivals[0])


def _have_other_times(one: str, other: str) -> bool:
    """Whether they give other times of day: "8 pm" is no other one than "20:00"."""
    mine, theirs = _clock_times(one), _clock_times(other)
    return len(mine) != len(theirs) or not all(map(ClockTime.may_be, mine, theirs))


def _clock_times(text: str) -> list[ClockTime]:
    return [time for name in extract_figures(text).names if (time := name.clock_time)]


def _rival_figures(one: str, other: str) -> list[tuple[Quantity, Quantity]]:
    """Pairs of different figures of one kind; none where one of them has more figures."""
    mine, theirs = extract_figures(one).quantities, extract_figures(other).quantities
    if len(mine) != len(theirs):
        return []
    return [(a, b) for a, b in product(mine, theirs) if is_rival_figure(a, b) and not (a.is_bare or b.is_bare)]
