"""Numbers with units, as far as decision trees need them: 4.5 cm is 45 mm."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from language.units import convert_number, parse_unit

# The units that a tree may use, by the symbol that people are shown. The spellings of a unit are those of
# `language.units`, and these in any case.
_SYMBOLS = """
mm cm m km in ft mm2 cm2 m2 km2 ft2 ha g kg t lb N kN MN Pa kPa MPa GPa bar psi °C °F K s min h d week month year %
"""
_OTHER_SPELLINGS = {
    "bars": "bar",
    "degc": "°C",
    "degf": "°F",
    "in": "in",
    "kn/m2": "kPa",
    "m2": "m2",
    "n/m2": "Pa",
    "n/mm2": "MPa",
    "sqcm": "cm2",
    "sqft": "ft2",
    "sqkm": "km2",
    "sqm": "m2",
    "sqmm": "mm2",
}
# One letter in this case only, and no unit in other texts: "25 C".
_LETTERS = {"C": "°C", "F": "°F", "d": "day", "t": "tonne"}
_SUPERSCRIPTS = str.maketrans("²³", "23")


@dataclass(frozen=True)
class Unit:
    """A unit by its symbol, and by its `name` as `language.units` knows it."""

    symbol: str
    name: str


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


_UNITS = [Unit(symbol, parse_unit(_LETTERS.get(symbol, symbol))) for symbol in _SYMBOLS.split()]
_UNIT_BY_NAME = {unit.name: unit for unit in _UNITS}

# Linear: a run of digits and commas, then a fraction, then at most one unit of bounded length.
_NUMBER_PATTERN = r"[-+−]?\d[\d,]{0,30}(?:\.\d{1,30})?"
_UNIT_PATTERN = r"%|°?[A-Za-z]{1,12}[23²³]?(?:/[A-Za-z]{1,4}[23²³]?)?"
_QUANTITY_PATTERN = re.compile(rf"({_NUMBER_PATTERN})[\s-]?({_UNIT_PATTERN})?", re.ASCII)
_MEASURE_PATTERN = re.compile(rf"(?<![\w.,])({_NUMBER_PATTERN})(?:[ \u00a0-]?({_UNIT_PATTERN}))?")
_THOUSANDS_PATTERN = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def find_unit(spelling: str) -> Unit | None:
    """The unit of this spelling, or None when trees do not know it."""
    spelling = spelling.strip().translate(_SUPERSCRIPTS)
    other = _LETTERS.get(spelling) or _OTHER_SPELLINGS.get(spelling.casefold())
    return _UNIT_BY_NAME.get(parse_unit(other or spelling))


def parse_quantity(value: object) -> Quantity | None:
    """The quantity a value is: a number, or a text such as `45`, `1,500 kg` or `4.5 cm`. None: it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _quantity_of_number(value)
    match = (
        _QUANTITY_PATTERN.fullmatch(" ".join(value.split())) if isinstance(value, str) and len(value) <= 100 else None
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
        spelling = match.group(2) or ""
        # “45 in the beam” is no length in inches, “45in” is; “in 1977, GM …” is no weight.
        is_detached = bool(spelling) and match.end(1) < match.start(2)
        is_word = is_detached and (spelling.casefold() == "in" or match.group(1).endswith(","))
        known = None if is_word else find_unit(spelling)
        end = match.end() if known else match.start() + len(written)
        found.append(Measure(Quantity(number, known), match.start(), end))
    return found


def convert_to_unit(quantity: Quantity, target: Unit | None) -> float | None:
    """The number in another unit; None when the two measure different things.

    A number without a unit is taken to be in the target's. Without a target, the number counts as written.
    """
    if quantity.unit is None or target is None or quantity.unit == target:
        return quantity.number
    return convert_number(quantity.number, quantity.unit.name, target.name)


def nearly_equal(one: float, other: float) -> bool:
    """Whether two numbers are the same but for the rounding of a conversion."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def format_number(number: float, unit_symbol: str | None = None) -> str:
    """A number as a person writes it, with its unit."""
    return f"{number:.12g}{' ' + unit_symbol if unit_symbol else ''}"
