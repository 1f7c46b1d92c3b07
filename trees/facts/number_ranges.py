"""Ranges of numbers: what a condition or a bound says about the conditions below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf
from typing import TypeAlias

from trees.definition.fields import FactField
from trees.definition.nodes import Condition
from trees.facts.field_values import parse_value

# Right below a number (0) or right above it (1): “more than 5” begins where “at most 5” ends.
_Place: TypeAlias = tuple[float, int]
# Digits that count. Those behind them are the rounding of a conversion.
_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class NumberRange:
    """The numbers between two places; all of them unless it is told where it begins or ends."""

    start: _Place = (-inf, 0)
    end: _Place = (inf, 1)

    @property
    def is_empty(self) -> bool:
        return self.start >= self.end

    def within(self, other: NumberRange) -> NumberRange:
        """What is in both."""
        return NumberRange(start=max(self.start, other.start), end=min(self.end, other.end))

    def spanned_with(self, other: NumberRange) -> NumberRange:
        """What is in either, and between the two."""
        return NumberRange(start=min(self.start, other.start), end=max(self.end, other.end))

    def without(self, other: NumberRange) -> NumberRange:
        """What is left of this one. Numbers on both sides of a gap are kept with the gap."""
        if other.start <= self.start < other.end:
            return NumberRange(start=other.end, end=self.end)
        if other.start < self.end <= other.end:
            return NumberRange(start=self.start, end=other.start)
        return self

    def covers(self, other: NumberRange) -> bool:
        return self.start <= other.start and other.end <= self.end


ALL_NUMBERS = NumberRange()


def find_outcome(condition: Condition, *, field: FactField, known: NumberRange) -> bool | None:
    """How the condition comes out for every number in this range; None where it may come out either way."""
    wanted = _wanted_ranges(condition, field)
    if any(one.covers(known) for one in wanted):
        return True
    return False if wanted and all(one.within(known).is_empty for one in wanted) else None


def narrow_range(condition: Condition, *, field: FactField, known: NumberRange, outcome: bool) -> NumberRange | None:
    """What remains of a range where the condition comes out so. None when the condition says nothing of a range.

    Where nothing would remain nobody gets, and the condition itself is at fault: from there on it alone is believed.
    """
    wanted = _wanted_ranges(condition, field)
    if not wanted:
        return None
    narrowed = _keep(known, wanted) if outcome else _drop(known, wanted)
    if not narrowed.is_empty:
        return narrowed
    return _keep(ALL_NUMBERS, wanted) if outcome else _drop(ALL_NUMBERS, wanted)


def _keep(known: NumberRange, wanted: Sequence[NumberRange]) -> NumberRange:
    left = [both for one in wanted if not (both := one.within(known)).is_empty]
    return reduce(NumberRange.spanned_with, left) if left else known.within(wanted[0])


def _drop(known: NumberRange, wanted: Sequence[NumberRange]) -> NumberRange:
    return reduce(NumberRange.without, wanted, known)


def _wanted_ranges(condition: Condition, field: FactField) -> list[NumberRange]:
    """The ranges for which the condition is true; none where it compares no numbers."""
    if field.type != "number" or condition.operator == "contains":
        return []
    values = [parse_value(value, field) for value in condition.values]
    return [range_of(condition.operator, value) for value in values if isinstance(value, int | float)]


def range_of(operator: str, number: float) -> NumberRange:
    """The numbers that a comparison with this one takes: with an operator of another kind the number alone."""
    number = float(f"{number:.{_DIGITS}g}")
    below, above = (number, 0), (number, 1)
    if operator in ("gt", "gte"):
        return NumberRange(start=above if operator == "gt" else below)
    if operator in ("lt", "lte"):
        return NumberRange(end=below if operator == "lt" else above)
    return NumberRange(start=below, end=above)
