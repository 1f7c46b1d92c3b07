"""Finds the numbers that a text includes without writing them: 10 days are in "7 to 14 days", 60 hp are "more than 15
hp"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from language.bound_words import AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN
from language.cache_sizes import CACHED_SENTENCES
from language.figures.figure_extraction import extract_figures, table_cell
from language.figures.figure_types import Quantity
from language.terms import terms
from language.units import compare_amounts, parse_unit

# "At least 7 but fewer than 14 days": two bounds with at most so much text between them are one interval.
_MAX_JOINT = 20
_JOINT_BREAK = re.compile(r"[.;:|\n]")
_DIRECTIONS = {"after": MORE_THAN, "before": LESS_THAN}
_CELL_BREAKS = "|\n"
_LABEL_WORD = re.compile(r"[^\W\d_]+")
# Ages are written with and without their unit.
_AGE_UNIT = "year"


@dataclass(frozen=True, kw_only=True)
class Interval:
    """From `low` to `high` in any of the `units`, None where the text sets no limit. `start:end` is its place in the
    tidied text, which reads `written`; `noun` is the stem of the word that a bare number counts."""

    low: Fraction | None
    high: Fraction | None
    includes_low: bool
    includes_high: bool
    units: tuple[str, ...]
    noun: str
    start: int
    end: int
    written: str

    @property
    def is_limit(self) -> bool:
        """Whether it has one end only."""
        return (self.low is None) != (self.high is None)

    def compare(self, quantity: Quantity) -> bool | None:
        """Whether it contains the quantity; None where the two measure different things."""
        for mine in self.units:
            for theirs in quantity.units:
                if (found := self._compare_in_units(mine, quantity.low, theirs)) is not None:
                    return found
        return None

    def _compare_in_units(self, unit: str, value: Fraction, value_unit: str) -> bool | None:
        if {unit, value_unit} == {"", _AGE_UNIT}:
            unit = value_unit
        above = 1 if self.low is None else compare_amounts(value, value_unit, self.low, unit)
        below = -1 if self.high is None else compare_amounts(value, value_unit, self.high, unit)
        if above is None or below is None:
            return None
        is_above = above > 0 or (above == 0 and self.includes_low)
        return is_above and (below < 0 or (below == 0 and self.includes_high))


def find_interval(quantity: Quantity, text: str) -> Interval | bool:
    """The interval of the text that contains the quantity; else whether the text states any of that kind."""
    is_comparable = False
    for one, contains in _comparable_intervals(quantity, text):
        if contains:
            return one
        is_comparable = True
    return is_comparable


def find_limit(quantity: Quantity, text: str) -> Interval | None:
    """The first interval with one end ("at most four hours") that leaves the quantity out; None where there is none,
    and for a bare number, of which nobody knows what it counts."""
    if quantity.units == ("",) and not quantity.noun:
        return None
    return next((one for one, contains in _comparable_intervals(quantity, text) if not contains and one.is_limit), None)


def _comparable_intervals(quantity: Quantity, text: str) -> Iterator[tuple[Interval, bool]]:
    """The intervals of the text that measure what the quantity does, and whether each contains it."""
    for one in read_intervals(text):
        contains = one.compare(quantity) if _counts_the_same(one, quantity, text) else None
        if contains is not None:
            yield one, contains


def tidy_text(text: str) -> str:
    """The text as the places of its quantities count it."""
    return extract_figures(text).text


def plain_quantities(text: str) -> list[Quantity]:
    """The quantities of the text that are neither ranges nor bounds."""
    return [one for one in extract_figures(text).quantities if not one.is_range and not one.bound]


@lru_cache(maxsize=CACHED_SENTENCES)
def read_intervals(text: str) -> tuple[Interval, ...]:
    """Every interval that the text states as a range ("7 to 14 days") or by one or two bounds ("under 12")."""
    read = extract_figures(text)
    found: list[Interval] = []
    for one in _single_intervals(read.text, read.quantities):
        joined = _join_bounds(read.text, found[-1], one) if found else None
        found[-1:] = [joined] if joined else [*found[-1:], one]
    return tuple(found)


def _single_intervals(text: str, quantities: tuple[Quantity, ...]) -> Iterator[Interval]:
    for one in quantities:
        direction = _DIRECTIONS.get(one.bound, one.bound)
        if not one.is_range and direction not in (AT_LEAST, MORE_THAN, AT_MOST, LESS_THAN):
            continue
        is_low = one.is_range or direction in (AT_LEAST, MORE_THAN)
        is_high = one.is_range or direction in (AT_MOST, LESS_THAN)
        yield Interval(
            low=one.low if is_low else None,
            high=one.high if is_high else None,
            includes_low=direction != MORE_THAN,
            includes_high=direction != LESS_THAN,
            units=_label_units(text, one) if one.units == ("",) else one.units,
            noun=one.noun,
            start=one.start,
            end=one.end,
            written=one.written,
        )


def _join_bounds(text: str, one: Interval, other: Interval) -> Interval | None:
    """Both as one interval where they are its two ends."""
    between = text[one.end : other.start]
    if len(between) > _MAX_JOINT or _JOINT_BREAK.search(between):
        return None
    low, high = (one, other) if one.high is None else (other, one)
    if low.low is None or high.high is None or low.high is not None or high.low is not None:
        return None
    units = other.units if one.units == ("",) else one.units
    order = compare_amounts(low.low, (low.units if low.units != ("",) else units)[0], high.high, units[0])
    if order != -1:
        return None
    return replace(
        low,
        high=high.high,
        includes_high=high.includes_high,
        units=units,
        start=one.start,
        end=other.end,
        written=text[one.start : other.end],
    )


def _label_units(text: str, quantity: Quantity) -> tuple[str, ...]:
    """The units that the label of a table's cell names: "Days before departure: 7-14"."""
    begin, _ = table_cell(text, quantity.start, quantity.end, breaks=_CELL_BREAKS)
    label, colon, _ = text[begin : quantity.start].rpartition(":")
    found = (parse_unit(word) for word in _LABEL_WORD.findall(label) if len(word) > 1) if colon else ()
    return tuple(dict.fromkeys(filter(None, found))) or ("",)


def _counts_the_same(interval: Interval, quantity: Quantity, text: str) -> bool:
    """Three houses are not "under 12": what the quantity counts must be named in the sentence, or in the cell of the
    table, that states the interval."""
    if not quantity.noun or interval.noun == quantity.noun:
        return True
    read = extract_figures(text)
    if any(one.noun == quantity.noun for one in read.quantities):
        return False
    cell = table_cell(read.text, interval.start, interval.end, breaks=_CELL_BREAKS)
    return quantity.noun in terms(read.text[slice(*cell)])
