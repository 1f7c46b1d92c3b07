"""Numbers with units, as far as decision trees need them: 4.5 cm is 45 mm."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from language.figures.quantities import read_number_words
from language.lazy_pattern import lazy_pattern
from language.number_notation import (
    COMMAS_BETWEEN_THOUSANDS,
    DECIMAL_COMMA,
    POINT_AND_THREE_DIGITS,
    language_has_decimal_comma,
)
from language.number_words import SCALES, TIMES_BY_WORD
from language.units import CURRENCY_CODES, CURRENCY_SIGNS, DOLLAR_PATTERN, convert_number, parse_unit

# The units that a tree may use, by the symbol that people are shown. The spellings of a unit are those of
# `language.units`, and these in any case.
_SYMBOLS = (
    "nm µm mm cm m km in ft yd mi mm2 cm2 m2 km2 ft2 ha acre mm3 cm3 m3 ft3 mL dL L gal "
    "µg mg g kg t lb oz N kN MN Pa kPa MPa GPa bar psi mmHg J kJ MJ kcal Wh kWh MWh W kW MW V kV mA A Ω Hz kHz dB "
    "°C °F K ms s min h d workdays week month year m/s km/h mph rpm µmol mmol mol IU mg/L mmol/L ppm "
    "kB MB GB TB %"
)
# Those that have no sign are written as codes.
CURRENCY_SYMBOLS = (
    *CURRENCY_SIGNS,
    *(code for code in CURRENCY_CODES if parse_unit(code) not in map(parse_unit, CURRENCY_SIGNS)),
)
UNIT_SYMBOLS = (*_SYMBOLS.split(), *CURRENCY_SYMBOLS)
WORKDAY, DAY = "workday", "day"
_OTHER_SPELLINGS = {
    "bars": "bar",
    "degc": "°C",
    "degf": "°F",
    "in": "in",
    "kn/m2": "kPa",
    "m2": "m2",
    "n/m2": "Pa",
    "n/mm2": "MPa",
    "ml": "mL",
    "us$": "$",
    "business-day": WORKDAY,
    "business-days": WORKDAY,
    "working-day": WORKDAY,
    "working-days": WORKDAY,
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
class NumberWithUnit:
    number: float
    unit: Unit | None = None


@dataclass(frozen=True)
class QuantityMention:
    """A quantity found in a text, at `text[start:end]`."""

    quantity: NumberWithUnit
    start: int
    end: int


# Linear: a currency, a run of digits and commas, then a fraction, then at most one unit of bounded length.
_CURRENCY_PATTERN = rf"(?:({DOLLAR_PATTERN}|[{CURRENCY_SIGNS}]|{'|'.join(CURRENCY_CODES)})[ \u00a0]?)?"
# The first form is that of languages with a decimal comma: 1.250,5.
_NUMBER_PATTERN = r"[-+−]?(?:\d{1,3}(?:\.\d{3}){1,9},\d{1,30}|\d[\d,]{0,30}(?:\.\d{1,30})?)"
_UNIT_PATTERN = (
    rf"(?i:(?:working|business)[ -]days?)\b|[%{CURRENCY_SIGNS}Ω]"
    r"|°?[A-Za-zµμ]{1,12}[23²³]?(?:/[A-Za-z]{1,4}[23²³]?)?"
)
_QUANTITY_PATTERN = lazy_pattern(rf"{_CURRENCY_PATTERN}({_NUMBER_PATTERN})[\s-]?({_UNIT_PATTERN})?", re.ASCII)
_MEASURE_PATTERN = lazy_pattern(rf"(?<![\w.,]){_CURRENCY_PATTERN}({_NUMBER_PATTERN})(?:[ \u00a0-]?({_UNIT_PATTERN}))?")


# “10 minus 5” is no number below zero.
_MINUS = re.compile(r"(?<!\d )\bminus[ \u00a0]$", re.IGNORECASE)
_LONGEST_MINUS = 8
_COUNTED_TIMES = re.compile(r"(?<=\d)\s?x$|\s+times$")
_MULTIPLIERS = SCALES | {"dozen": 12}
# "One" alone is mostly no number; that of "one or two days" is.
_ONE_BEFORE = re.compile(r"\bone(?=\s(?:or|to)\s$)", re.IGNORECASE)
_ONE_BEFORE_LENGTH = 8


def find_unit(spelling: str) -> Unit | None:
    """The unit of this spelling, or None when trees do not know it."""
    spelling = spelling.strip().translate(_SUPERSCRIPTS)
    other = _LETTERS.get(spelling) or _OTHER_SPELLINGS.get(spelling.casefold())
    return _unit_by_name().get(parse_unit(other or spelling))


@cache
def _unit_by_name() -> dict[str, Unit]:
    units = [Unit(symbol, parse_unit(_LETTERS.get(symbol, symbol))) for symbol in UNIT_SYMBOLS]
    return {unit.name: unit for unit in units}


def parse_quantity(value: object) -> NumberWithUnit | None:
    """The quantity that a value states: a number, or a text such as `45`, `1,500 kg` or `4.5 cm`. None for other
    values."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _quantity_of_number(value)
    if not isinstance(value, str) or len(value) > 100:
        return None
    match = _QUANTITY_PATTERN.fullmatch(" ".join(fold_digits(value).split()))
    if match is None:
        return None
    currency, digits, spelling = match.groups()
    # A value is one number, so that “12,5” is no list of two.
    number, known = _parse_number(digits, has_decimal_comma=True), find_unit(currency or spelling or "")
    if number is None or (spelling and (known is None or currency)):
        return None
    return NumberWithUnit(number, known)


def parse_spoken_quantity(text: str) -> NumberWithUnit | None:
    """The quantity that a short reply says: `twelve hours`, `three times`, `4x`, `twice`. None for other texts."""
    said = " ".join(text.split()).strip(" .!").casefold() if len(text) <= 100 else ""
    said = _COUNTED_TIMES.sub("", said)
    if (count := {**TIMES_BY_WORD, "one": 1}.get(said)) is not None:
        return NumberWithUnit(count)
    whole = [one for one in find_measures(said) if (one.start, one.end) == (0, len(said))]
    return whole[0].quantity if whole else parse_quantity(said)


def _measures_in_words(text: str) -> Iterator[QuantityMention]:
    """The numbers that are written as words, fractions such as “half” too."""
    for one in read_number_words(text):
        unit = _unit_by_name().get(one.units[0])
        if before := _ONE_BEFORE.search(text, max(0, one.start - _ONE_BEFORE_LENGTH), one.start):
            yield QuantityMention(NumberWithUnit(1.0), before.start(), before.end())
        yield QuantityMention(NumberWithUnit(float(one.low), unit), one.start, one.end)


def _quantity_of_number(value: float) -> NumberWithUnit | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return NumberWithUnit(number) if math.isfinite(number) else None


def fold_digits(text: str) -> str:
    """Replaces the digits of every script by 0 to 9, character for character: २५ and ２５ become 25."""
    if text.isascii():
        return text
    return "".join("." if sign == "．" else str(unicodedata.decimal(sign, sign)) for sign in text)


def _parse_number(text: str, *, has_decimal_comma: bool) -> float | None:
    """`1,500` is a thousand and a half wherever it is not told to be something else."""
    text = text.replace("−", "-")
    if "," in text and not COMMAS_BETWEEN_THOUSANDS.fullmatch(text):
        if not (has_decimal_comma and DECIMAL_COMMA.fullmatch(text)):
            return None
        text = text.replace(".", "").replace(",", ".")
    number = float(text.replace(",", ""))
    return number if math.isfinite(number) else None


def find_measures(text: str) -> list[QuantityMention]:
    """The numbers in a text, in digits or in words, with their units where they have one. Numbers inside a word (M25)
    do not count."""
    found: list[QuantityMention] = []
    for one in sorted([*_measures_in_words(text), *_measures_in_digits(text)], key=lambda one: one.start):
        before = found[-1] if found else None
        if before and (joined := _one_number(text, before, one)):
            found[-1] = joined
        elif not _is_part_of_number(text, one):
            found.append(_with_sign(text, one))
    return found


def _with_sign(text: str, measure: QuantityMention) -> QuantityMention:
    """ "Minus five degrees" are less than none."""
    sign = _MINUS.search(text[max(0, measure.start - _LONGEST_MINUS) : measure.start])
    if not sign or measure.quantity.number < 0:
        return measure
    number = NumberWithUnit(-measure.quantity.number, measure.quantity.unit)
    return QuantityMention(number, measure.start - len(sign.group()), measure.end)


def _one_number(text: str, one: QuantityMention, other: QuantityMention) -> QuantityMention | None:
    """Both as one, where words add to the number before them or say it again: “3 thousand euros”, “30 (thirty)”, “2 and
    a half hours”."""
    between = text[one.end : other.start]
    if between in (" (", "(") and text.startswith(")", other.end) and one.quantity.number == other.quantity.number:
        return QuantityMention(other.quantity if other.quantity.unit else one.quantity, one.start, other.end)
    first, second = one.quantity, other.quantity
    number = None
    if between in (" ", "-", "\u00a0") and (scale := _MULTIPLIERS.get(_first_word(text, other))):
        is_product = second.number >= 2 * scale  # “2 hundred thousand”, as opposed to “2 thousand five hundred”
        number = first.number * second.number if is_product else (first.number - 1) * scale + second.number
    elif between == " and a " and _is_fraction_in_words(text, other) and not (first.unit and second.unit):
        number = first.number + second.number
    if number is None or not math.isfinite(number):
        return None
    return QuantityMention(NumberWithUnit(number, second.unit or first.unit), one.start, other.end)


def _first_word(text: str, measure: QuantityMention) -> str:
    return re.split(r"[\s-]", text[measure.start : measure.end], maxsplit=1)[0].casefold()


def _is_fraction_in_words(text: str, measure: QuantityMention) -> bool:
    return not measure.quantity.number.is_integer() and text[measure.start].isalpha()


def _is_part_of_number(text: str, measure: QuantityMention) -> bool:
    """Whether it is a fraction in words that nothing is counted by, or that “a day and a half hour” goes on with."""
    if not _is_fraction_in_words(text, measure):
        return False
    return measure.quantity.unit is None or text.endswith(" and a ", 0, measure.start)


def _measures_in_digits(text: str) -> Iterator[QuantityMention]:
    has_decimal_comma = cache(lambda: language_has_decimal_comma(text))
    for match in _MEASURE_PATTERN.finditer(fold_digits(text)):
        currency, digits, spelling = match.group(1), match.group(2), match.group(3) or ""
        written = digits.rstrip(",")
        number = _number_in_text(written, has_decimal_comma)
        if number is None:
            continue
        # “45 in the beam” is no length in inches, “45in” is; “in 1977, GM …” is no weight.
        is_detached = bool(spelling) and match.end(2) < match.start(3)
        is_word = is_detached and (spelling.casefold() == "in" or spelling == "a" or digits.endswith(","))
        known = find_unit(currency) if currency else None if is_word else find_unit(spelling)
        end = match.end() if known and not currency else match.start(2) + len(written)
        yield QuantityMention(NumberWithUnit(number, known), match.start(), end)


def _number_in_text(written: str, has_decimal_comma: Callable[[], bool]) -> float | None:
    """The number, read by the rules of the text's language where these matter; None where it may be two numbers."""
    if "," in written:
        if COMMAS_BETWEEN_THOUSANDS.fullmatch(written):
            return None if has_decimal_comma() else _parse_number(written, has_decimal_comma=False)
        return _parse_number(written, has_decimal_comma=True) if has_decimal_comma() else None
    if POINT_AND_THREE_DIGITS.fullmatch(written) and has_decimal_comma():
        return None
    return _parse_number(written, has_decimal_comma=False)


def convert_to_unit(quantity: NumberWithUnit, target: Unit | None) -> float | None:
    """The number in another unit; None when the two measure different things.

    A number without a unit is taken to be in the target's.
    """
    if quantity.unit is None or quantity.unit == target:
        return quantity.number
    if target is None:
        return None
    return convert_number(quantity.number, quantity.unit.name, target.name)


def nearly_equal(one: float, other: float) -> bool:
    """Whether two numbers are the same but for the rounding of a conversion."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def format_number(number: float, unit_symbol: str | None = None) -> str:
    """A number as a person writes it, with its unit."""
    if unit_symbol and unit_symbol in CURRENCY_SIGNS:
        return f"{unit_symbol}{number:,.12g}"
    return f"{number:.12g}{' ' + unit_symbol if unit_symbol else ''}"
