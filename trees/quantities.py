"""Numbers with units, as far as decision trees need them: enough to know that 4.5 cm is 45 mm."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

# symbol: (dimension, factor to the base unit, offset added after the factor, other spellings)
_UNIT_TABLE: dict[str, tuple[str, float, float, str]] = {
    "mm": ("length", 1e-3, 0, "millimetre millimetres millimeter millimeters"),
    "cm": ("length", 1e-2, 0, "centimetre centimetres centimeter centimeters"),
    "m": ("length", 1, 0, "metre metres meter meters"),
    "km": ("length", 1e3, 0, "kilometre kilometres kilometer kilometers"),
    "in": ("length", 0.0254, 0, "inch inches"),
    "ft": ("length", 0.3048, 0, "foot feet"),
    "mm2": ("area", 1e-6, 0, "mm² sqmm"),
    "cm2": ("area", 1e-4, 0, "cm² sqcm"),
    "m2": ("area", 1, 0, "m² sqm"),
    "km2": ("area", 1e6, 0, "km² sqkm"),
    "ft2": ("area", 0.09290304, 0, "ft² sqft"),
    "ha": ("area", 1e4, 0, "hectare hectares"),
    "g": ("mass", 1e-3, 0, "gram grams"),
    "kg": ("mass", 1, 0, "kilogram kilograms kgs"),
    "t": ("mass", 1e3, 0, "tonne tonnes"),
    "lb": ("mass", 0.45359237, 0, "lbs pound pounds"),
    "N": ("force", 1, 0, "newton newtons"),
    "kN": ("force", 1e3, 0, "kilonewton kilonewtons"),
    "MN": ("force", 1e6, 0, "meganewton meganewtons"),
    "Pa": ("pressure", 1, 0, "pascal pascals N/m2 N/m²"),
    "kPa": ("pressure", 1e3, 0, "kilopascal kilopascals kN/m2 kN/m²"),
    "MPa": ("pressure", 1e6, 0, "megapascal megapascals N/mm2 N/mm²"),
    "GPa": ("pressure", 1e9, 0, "gigapascal gigapascals"),
    "bar": ("pressure", 1e5, 0, "bars"),
    "psi": ("pressure", 6894.757293168, 0, ""),
    "°C": ("temperature", 1, 273.15, "C degC celsius"),
    "°F": ("temperature", 5 / 9, 255.3722222222222, "F degF fahrenheit"),
    "K": ("temperature", 1, 0, "kelvin"),
    "s": ("time", 1, 0, "sec secs second seconds"),
    "min": ("time", 60, 0, "mins minute minutes"),
    "h": ("time", 3600, 0, "hr hrs hour hours"),
    "d": ("time", 86400, 0, "day days"),
    "week": ("time", 604800, 0, "weeks"),
    "month": ("time", 2629800, 0, "months"),
    "year": ("time", 31557600, 0, "years yr yrs"),
    "%": ("ratio", 0.01, 0, "percent"),
}


@dataclass(frozen=True)
class Unit:
    """A unit: `base = number * factor + offset`, comparable within its dimension."""

    symbol: str
    dimension: str
    factor: float
    offset: float


@dataclass(frozen=True)
class Quantity:
    number: float
    unit: Unit | None = None


@dataclass(frozen=True)
class Measure:
    """A quantity found in a text, at `text[start:end]`."""

    quantity: Quantity
    start: int
    end: int


def _unit_spellings() -> Iterator[tuple[str, Unit]]:
    for symbol, (dimension, factor, offset, others) in _UNIT_TABLE.items():
        unit = Unit(symbol, dimension, factor, offset)
        for spelling in (symbol, *others.split()):
            yield spelling, unit


_UNITS_BY_SPELLING = dict(_unit_spellings())
# Written in any case, but for single letters: N and n, K and k are not the same thing.
_UNITS_ANY_CASE = {
    spelling.casefold(): unit for spelling, unit in reversed(_UNITS_BY_SPELLING.items()) if len(spelling) > 1
}

# Linear: a run of digits and commas, then a fraction, then at most one unit of bounded length.
_NUMBER_PATTERN = r"[-+−]?\d[\d,]{0,30}(?:\.\d{1,30})?"
_UNIT_PATTERN = r"%|°?[A-Za-z]{1,12}[23²³]?(?:/[A-Za-z]{1,4}[23²³]?)?"
_QUANTITY_PATTERN = re.compile(rf"({_NUMBER_PATTERN})[\s-]?({_UNIT_PATTERN})?", re.ASCII)
_MEASURE_PATTERN = re.compile(rf"(?<![\w.,])({_NUMBER_PATTERN})(?:[ \u00a0-]?({_UNIT_PATTERN}))?")
_THOUSANDS_PATTERN = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def find_unit(spelling: str) -> Unit | None:
    """The unit of this spelling, or None when it is not in the table."""
    spelling = spelling.strip()
    return _UNITS_BY_SPELLING.get(spelling) or _UNITS_ANY_CASE.get(spelling.casefold())


def parse_quantity(value: object) -> Quantity | None:
    """The quantity a value is: a number, or a text such as `45`, `1,500 kg` or `4.5 cm`. None: it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _quantity_of_number(value)
    match = (
        _QUANTITY_PATTERN.fullmatch(" ".join(value.split()))
        if isinstance(value, str) and len(value) <= 100
        else None
    )
    if match is None:
        return None
    number, known = _parse_number(match.group(1)), find_unit(match.group(2) or "")
    if number is None or (match.group(2) and known is None):
        return None
    return Quantity(number, known)


def _quantity_of_number(value: float) -> Quantity | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return Quantity(number) if math.isfinite(number) else None


def _parse_number(text: str) -> float | None:
    text = text.replace("−", "-")
    if "," in text and not _THOUSANDS_PATTERN.fullmatch(text):
        return None
    number = float(text.replace(",", ""))
    return number if math.isfinite(number) else None


def find_measures(text: str) -> list[Measure]:
    """The numbers in a text, with their units where they have one. Numbers in words (M25) do not count."""
    found = []
    for match in _MEASURE_PATTERN.finditer(text):
        written = match.group(1).rstrip(",")
        number = _parse_number(written)
        if number is None:
            continue
        known = _unit_in_text(match)
        end = match.end() if known else match.start() + len(written)
        found.append(Measure(Quantity(number, known), match.start(), end))
    return found


def _unit_in_text(match: re.Match[str]) -> Unit | None:
    spelling = match.group(2) or ""
    # “45 in the beam” is no length in inches; “45in” is.
    detached = match.end(1) < match.start(2) if spelling else False
    return None if detached and spelling == "in" else find_unit(spelling)


def convert_to_unit(quantity: Quantity, target: Unit | None) -> float | None:
    """The number in another unit; None when the two measure different things.

    A number without a unit is taken to be in the target's. Without a target, the number counts as written.
    """
    if quantity.unit is None or target is None or quantity.unit == target:
        return quantity.number
    if quantity.unit.dimension != target.dimension:
        return None
    base = quantity.number * quantity.unit.factor + quantity.unit.offset
    return (base - target.offset) / target.factor


def nearly_equal(one: float, other: float) -> bool:
    """Whether two numbers are the same but for the rounding of a conversion."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def format_number(number: float, unit_symbol: str | None = None) -> str:
    """A number as a person writes it, with its unit."""
    return f"{number:.12g}{' ' + unit_symbol if unit_symbol else ''}"
