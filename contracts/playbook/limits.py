"""Limits of a playbook ("term ≤ 5 years"), and whether what a contract states keeps them.

Both sides are read as figures with units, and compared exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from contracts.playbook.playbook_types import Limit
from language.bound_words import AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN
from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import Quantity
from language.terms import terms
from language.units import are_units_comparable, convert_number
from language.word_patterns import word_pattern

_LIMIT = re.compile(r"(?P<name>[^<>=≤≥]{1,80}?)\s{0,4}(?P<sign><=|>=|≤|≥|<|>)\s{0,4}(?P<amount>[^<>=≤≥]{1,60})")
_DIRECTIONS = {"≤": AT_MOST, "<=": AT_MOST, "≥": AT_LEAST, ">=": AT_LEAST, "<": LESS_THAN, ">": MORE_THAN}
# Words for what has no end: they exceed every ceiling.
_ENDLESS_STEMS = frozenset(terms("perpetual perpetuity indefinitely indefinite unlimited forever"))
_ENDLESS_PHRASES = word_pattern("without (?:end|limit|limitation)|(?:as|so) long as")
# Words for what may go on after the figure.
_EXTENDING_STEMS = frozenset(terms("renew renewal renewed extend extension prolong"))

# How far from a figure the words stand that say what it is, in characters.
_NEIGHBOURHOOD = 80


class LimitVerdict(StrEnum):
    """`UNSTATED`: nothing of this kind is stated. `UNCLEAR`: what is stated both keeps and breaks the limit."""

    KEPT = "kept"
    BROKEN = "broken"
    UNCLEAR = "unclear"
    UNSTATED = "unstated"


def parse_limit(written: str) -> Limit:
    """The limit. Raises `ValueError` with what is wrong."""
    match = _LIMIT.fullmatch(" ".join(written.split()))
    if match is None:
        raise ValueError(f"“{written}” is no limit: write it as “term ≤ 5 years”")
    amounts = extract_figures(match["amount"]).quantities
    if len(amounts) != 1 or amounts[0].is_range:
        raise ValueError(f"“{match['amount']}” is no single quantity")
    amount = amounts[0]
    if amount.is_bare and amount.noun:
        raise ValueError(f"“{match['amount']}” has no unit that is known")
    return Limit(
        name=match["name"].strip(),
        direction=_DIRECTIONS[match["sign"]],
        value=amount.low,
        unit=amount.units[0],
        written=" ".join(written.split()),
    )


def check_limit(limit: Limit, text: str) -> LimitVerdict:
    """Whether the quantities of this kind in the text keep the limit. Where there are several, those count whose
    neighbourhood says the name of the limit. No figure keeps a ceiling in a text that says that there is no end."""
    verdicts = {_quantity_verdict(limit, amount, one) for one, amount in _relevant_amounts(limit, text)}
    if not verdicts:
        return LimitVerdict.BROKEN if limit.is_ceiling and _is_endless(text) else LimitVerdict.UNSTATED
    if verdicts == {LimitVerdict.KEPT} and limit.is_ceiling and (_is_endless(text) or _may_be_extended(text)):
        return LimitVerdict.UNCLEAR
    return verdicts.pop() if len(verdicts) == 1 else LimitVerdict.UNCLEAR


def _is_endless(text: str) -> bool:
    return not _ENDLESS_STEMS.isdisjoint(terms(text)) or bool(_ENDLESS_PHRASES.search(text))


def _may_be_extended(text: str) -> bool:
    return not _EXTENDING_STEMS.isdisjoint(terms(text))


def stated_amounts(limit: Limit, text: str) -> list[float]:
    """What the text states of this kind, in the unit of the limit."""
    return [amount for _, amount in _relevant_amounts(limit, text)]


def _relevant_amounts(limit: Limit, text: str) -> list[tuple[Quantity, float]]:
    figures = extract_figures(text)
    found = [(one, amount) for one in figures.quantities if (amount := _amount_in(one, limit.unit)) is not None]
    named = [pair for pair in found if _is_named(limit, figures.text, pair[0])]
    return named or found


def _is_named(limit: Limit, text: str, one: Quantity) -> bool:
    around = text[max(0, one.start - _NEIGHBOURHOOD) : one.end + _NEIGHBOURHOOD]
    return not frozenset(terms(limit.name)).isdisjoint(terms(around))


def _amount_in(one: Quantity, unit: str) -> float | None:
    """The higher end of the quantity in this unit; None where it is of another kind."""
    if not unit:
        return float(one.high) if one.is_bare and not one.noun else None
    for mine in one.units:
        if mine and are_units_comparable(mine, unit):
            return convert_number(float(one.high), mine, unit)
    return None


def _quantity_verdict(limit: Limit, amount: float, one: Quantity) -> LimitVerdict:
    """ "At least three years" may be more than a ceiling. "Within thirty days" allows thirty, which keeps a floor."""
    is_kept = _holds(limit, amount)
    if limit.is_ceiling and one.bound in (AT_LEAST, MORE_THAN) and is_kept:
        return LimitVerdict.UNCLEAR
    return LimitVerdict.KEPT if is_kept else LimitVerdict.BROKEN


def _holds(limit: Limit, amount: float) -> bool:
    difference = Fraction(amount).limit_denominator(10**6) - limit.value
    return {
        AT_MOST: difference <= 0,
        LESS_THAN: difference < 0,
        AT_LEAST: difference >= 0,
        MORE_THAN: difference > 0,
    }[limit.direction]


def limits_verdict(verdicts: Sequence[LimitVerdict]) -> LimitVerdict:
    """The verdict on several limits together: a broken one counts first, then an unclear one."""
    for one in (LimitVerdict.BROKEN, LimitVerdict.UNCLEAR, LimitVerdict.KEPT):
        if one in verdicts:
            return one
    return LimitVerdict.UNSTATED
