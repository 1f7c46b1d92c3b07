"""Units of measurement as people write them, and when two quantities are the same one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, lru_cache

from language.unit_scales import unit_scale

# pint's name of the unit with the prefixes it is used with, then how people write it: symbols, words, and phrases with
# "_" for a space. The name is a word too, unless it has a "_", and words of four letters and more have a plural.
# Case counts in symbols: "mN" is not "MN".
_UNIT_ROWS = """
meter nano micro milli centi kilo: m metre
kilometer: kms
micrometer: micron
inch: inches
foot: ft feet
yard: yd yds
mile: mi
hectare: ha
acre:
gram nano micro milli kilo: g gramme
gram: gm gms
microgram: mcg
kilogram: kgs kilo
metric_ton: t tonne metric_ton metric_tonne
ton: tons
pound: lb lbs
ounce: oz
liter micro milli deci: l L litre
gallon: gal
second milli: s
second: sec secs
minute: min mins
hour: h hr hrs
day: days calendar_day
workday: working_day business_day
week:
fortnight:
month:
quarter_year: quarters
year: yr yrs
decade:
century: centuries
newton milli kilo mega: N
pascal milli kilo mega giga: Pa
bar:
psi:
mmHg:
joule kilo mega: J
kilocalorie: kcal
watt milli kilo mega: W
watt_hour kilo mega: Wh
horsepower: hp HP
metric_horsepower: PS
volt milli kilo: V
ampere milli: A
ampere: amp amps
ohm: Ω ohms
hertz kilo mega giga: Hz
decibel: dB
mole micro milli: mol
international_unit: IU
kelvin: K
degree_Celsius: °C ℃ celsius degree_celsius degrees_celsius degrees_c deg_c
degree_Fahrenheit: °F ℉ fahrenheit degree_fahrenheit degrees_fahrenheit degrees_f
degree: °
bit: bits
byte:
kilobyte: kB KB
megabyte: MB
gigabyte: GB
terabyte: TB
mile_per_hour: mph
kilometer_per_hour: kph kmh
revolutions_per_minute: rpm
part_per_million: ppm
per_cent: % ％ percent pct per_cent
percentage_point: pp percentage_point
basis_point: bp bps basis_point
US_dollar: $ USD dollar us_dollar
euro: € EUR
pound_sterling: £ GBP pounds_sterling
rupee: ₹ INR
yen: ¥ JPY
swiss_franc: CHF swiss_franc
canadian_dollar: CAD C$ CA$ canadian_dollar
australian_dollar: AUD A$ AU$ australian_dollar
new_zealand_dollar: NZD NZ$
singapore_dollar: SGD S$
hong_kong_dollar: HKD HK$
chinese_yuan: CNY
korean_won: ₩ KRW
swedish_krona: SEK
norwegian_krone: NOK
danish_krone: DKK
polish_zloty: PLN
czech_koruna: CZK
brazilian_real: BRL R$
mexican_peso: MXN
south_african_rand: ZAR
turkish_lira: ₺
russian_rouble: ₽
israeli_shekel: ₪
"""
_PREFIX_SYMBOLS = {"": [""], "micro": ["µ", "μ"], "mega": ["M"], "giga": ["G"]}
_PREFIX_SYMBOLS |= {prefix: [prefix[0]] for prefix in ("nano", "milli", "centi", "deci", "kilo")}


def _units_by_spelling() -> dict[str, str]:
    found: dict[str, str] = {}
    for row in _UNIT_ROWS.strip().splitlines():
        names, _, spellings = row.partition(":")
        name, *prefixes = names.split()
        for text in [*([] if "_" in name else [name]), *spellings.split()]:
            found |= _prefixed_spellings(name, ["", *prefixes], text.replace("_", " "))
    return found


def _prefixed_spellings(name: str, prefixes: list[str], text: str) -> dict[str, str]:
    """`milli` before "metre" gives "millimetre" and "millimetres", before "m" it gives "mm"."""
    is_word = len(text) > 3
    has_plural = is_word and text.islower() and text[-1] not in "sz"
    return {
        f"{written_prefix}{form}": prefix + name
        for prefix in prefixes
        for written_prefix in ([prefix] if is_word else _PREFIX_SYMBOLS[prefix])
        for form in ([text, f"{text}s"] if has_plural else [text])
    }


_UNIT_BY_SPELLING = _units_by_spelling()
# Spellings in another case, unless they could be two things or one letter.
_UNIT_BY_FOLDED_SPELLING = {
    spelling.casefold(): name
    for spelling, name in reversed(_UNIT_BY_SPELLING.items())
    if len(spelling) > 1 and spelling != "SEK"  # “Sek.” are seconds in German
} | {"mpa": "megapascal", "mn": "meganewton", "mw": "megawatt"}
# All that `parse_unit` makes its expressions of.
UNIT_NAMES = frozenset({*_UNIT_BY_SPELLING.values(), *_UNIT_BY_FOLDED_SPELLING.values(), "newton", "kilonewton"})
CURRENCY_SIGNS = "$€£₹¥₩₺₽₪"
_CODES = "USD EUR GBP INR JPY CHF CAD AUD NZD SGD HKD CNY KRW SEK NOK DKK PLN CZK BRL MXN ZAR"
CURRENCY_CODES = tuple(_CODES.split())
CURRENCIES = frozenset(_UNIT_BY_SPELLING[spelling] for spelling in (*CURRENCY_SIGNS, *CURRENCY_CODES))
# “US$”, “C$”: the sign alone is that of the United States.
DOLLAR_PATTERN = r"(?:US|CA?|AU?|NZ|S|HK|R)\$"
# A currency before its number.
CURRENCY_PATTERN = rf"(?:{DOLLAR_PATTERN}|[{CURRENCY_SIGNS}]|\b(?:{'|'.join(CURRENCY_CODES)}|Rs)\b\.?) ?"


def _alternation(spellings: Iterable[str]) -> str:
    """A pattern of these spellings, the longest first."""
    return "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))


_PHRASE_PATTERN = _alternation(spelling for spelling in _UNIT_BY_SPELLING if " " in spelling)
_SPELLING_PATTERN = _alternation(spelling for spelling in _UNIT_BY_SPELLING if " " not in spelling)
_POWER = r"(?:\^?-?[123](?![\d.,]\d|\d))?"
_SINGLE_UNIT_PATTERN = rf"(?:(?:sq(?:uare|\.)?|cu(?:bic|\.)?)[ ])?(?:{_SPELLING_PATTERN}){_POWER}(?![A-Za-zµμ])"
# A unit right after its number. "in" and "a" are words first: inches must be written out or stand against it.
UNIT_PATTERN = (
    rf"(?i:{_PHRASE_PATTERN})\b"
    rf"|(?i:{_SINGLE_UNIT_PATTERN})(?:(?:[ ]?[/·*][ ]?|[ ]per[ ])(?i:{_SINGLE_UNIT_PATTERN})){{0,2}}"
    r"|in\b(?=[.,;)])|kNm\b|Nm\b"
)
_UNIT_PART_PATTERN = rf"(?i:(sq|square|sq\.|cu|cubic|cu\.)[ ])?({_SPELLING_PATTERN})(\^?-?[123])?"
_UNIT_JOINT = re.compile(r"[ ]?[/·*][ ]?|[ ]per[ ]", re.IGNORECASE)


@lru_cache(maxsize=2048)
def parse_unit(spelling: str) -> str:
    """The unit as an expression that pint reads; empty when this is no unit we know."""
    spelling = " ".join(spelling.split())
    if " " in spelling and (name := _UNIT_BY_FOLDED_SPELLING.get(spelling.casefold())):
        return name
    if spelling == "in":
        return "inch"
    if spelling in ("kNm", "Nm"):
        return f"{'kilonewton' if spelling[0] == 'k' else 'newton'} * meter"
    expression = _unit_expression(spelling) if _whole_unit().fullmatch(spelling) else ""
    # "1,500 dollars per year" is money; that it is due every year the words say, as in "$1,500 a year".
    amount = expression.partition(" / ")[0]
    return amount if amount in CURRENCIES else expression


# They take ten milliseconds to compile, and a process that only searches needs neither.
@cache
def _whole_unit() -> re.Pattern[str]:
    return re.compile(UNIT_PATTERN)


@cache
def _unit_part() -> re.Pattern[str]:
    return re.compile(_UNIT_PART_PATTERN, re.IGNORECASE)


def _unit_expression(spelling: str) -> str:
    written, at = "", 0
    for part in _unit_part().finditer(spelling):
        joint = spelling[at : part.start()]
        if written and not _UNIT_JOINT.fullmatch(joint):
            return ""
        power = _unit_with_power(part)
        if not power:
            return ""
        operator = " / " if "/" in joint or "per" in joint.casefold() else " * "
        written += f"{operator}{power}" if written else power
        at = part.end()
    return written if at == len(spelling) else ""


def _unit_with_power(part: re.Match[str]) -> str:
    word, spelling, power = part.groups()
    name = _UNIT_BY_SPELLING.get(spelling) or _UNIT_BY_FOLDED_SPELLING.get(spelling.casefold(), "")
    if word:
        power = "2" if word.casefold().startswith("sq") else "3"
    return f"{name}**{power.lstrip('^')}" if power and name else name


def is_same_amount(one: Fraction, one_unit: str, other: Fraction, other_unit: str) -> bool:
    """Whether both are the same quantity: 4.5 cm is 45 mm, and 30 days are no month."""
    if one_unit == other_unit:
        return one == other
    first, second = unit_scale(one_unit), unit_scale(other_unit)
    if first is None or second is None or first.dimension != second.dimension:
        return False
    values = [float(value * scale.factor + scale.offset) for value, scale in ((one, first), (other, second))]
    return math.isclose(*values, rel_tol=1e-9, abs_tol=1e-12)


def compare_amounts(one: Fraction, one_unit: str, other: Fraction, other_unit: str) -> int | None:
    """-1, 0 or 1 as the first is less than, equal to or greater than the second; None when the two measure different
    things."""
    if one_unit == other_unit:
        return (one > other) - (one < other)
    first, second = unit_scale(one_unit), unit_scale(other_unit)
    if first is None or second is None or first.dimension != second.dimension:
        return None
    if is_same_amount(one, one_unit, other, other_unit):
        return 0
    return 1 if one * first.factor + first.offset > other * second.factor + second.offset else -1


def are_units_comparable(one_unit: str, other_unit: str) -> bool:
    """Whether both measure the same kind of thing."""
    if one_unit == other_unit:
        return True
    first, second = unit_scale(one_unit), unit_scale(other_unit)
    return first is not None and second is not None and first.dimension == second.dimension


def convert_number(number: float, unit: str, target: str) -> float | None:
    """The number in the other unit; None when the two measure different things."""
    scale, wanted = unit_scale(unit), unit_scale(target)
    if scale is None or wanted is None or scale.dimension != wanted.dimension:
        return None
    return float((Fraction(number) * scale.factor + scale.offset - wanted.offset) / wanted.factor)
