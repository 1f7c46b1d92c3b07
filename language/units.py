"""Units of measurement as people write them, and when two quantities are the same one.

pint knows what the units are worth. It takes most of a second to load, so it is asked only when two quantities
are written differently, and its answers are remembered.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

# pint's name of the unit, then how people write it. Case counts in symbols of four characters or fewer, so that
# "mN" is not "MN"; "KN", "Kg" and the like are read as what they can only mean.
_SPELLINGS = """
millimeter: mm millimetre millimetres millimeter millimeters
centimeter: cm centimetre centimetres centimeter centimeters
meter: m metre metres meter meters
kilometer: km kms kilometre kilometres kilometer kilometers
micrometer: µm μm micron microns micrometre micrometres
nanometer: nm nanometre nanometres nanometer nanometers
inch: inch inches
foot: ft foot feet
yard: yd yds yard yards
mile: mi mile miles
hectare: ha hectare hectares
acre: acre acres
gram: g gm gms gram grams gramme grammes
kilogram: kg kgs kilogram kilograms kilo kilos
milligram: mg milligram milligrams
microgram: µg μg mcg microgram micrograms
nanogram: ng
metric_ton: tonne tonnes
ton: ton tons
pound: lb lbs pound pounds
ounce: oz ounce ounces
liter: l L litre litres liter liters
milliliter: ml mL millilitre millilitres milliliter milliliters
deciliter: dl dL
microliter: µl μl µL μL
gallon: gal gallon gallons
second: s sec secs second seconds
millisecond: ms millisecond milliseconds
minute: min mins minute minutes
hour: h hr hrs hour hours
day: day days
workday: workday workdays
week: week weeks
month: month months
quarter_year: quarters
year: yr yrs year years
decade: decade decades
century: century centuries
newton: N newton newtons
millinewton: mN
millipascal: mPa
milliwatt: mW
kilonewton: kN kilonewton kilonewtons
meganewton: MN meganewton meganewtons
pascal: Pa pascal pascals
kilopascal: kPa kilopascal kilopascals
megapascal: MPa megapascal megapascals
gigapascal: GPa gigapascal gigapascals
bar: bar
psi: psi
mmHg: mmHg
joule: J joule joules
kilojoule: kJ kilojoule kilojoules
megajoule: MJ megajoule megajoules
kilocalorie: kcal
watt: W watt watts
kilowatt: kW kilowatt kilowatts
megawatt: MW megawatt megawatts
kilowatt_hour: kWh
megawatt_hour: MWh
volt: V volt volts
kilovolt: kV kilovolt kilovolts
millivolt: mV
ampere: A amp amps ampere amperes
milliampere: mA
ohm: Ω ohm ohms
hertz: Hz hertz
kilohertz: kHz
megahertz: MHz
gigahertz: GHz
decibel: dB decibel decibels
mole: mol mole moles
millimole: mmol
micromole: µmol μmol
international_unit: IU
kelvin: K kelvin kelvins
degree_Celsius: °C ℃ celsius
degree_Fahrenheit: °F ℉ fahrenheit
degree: ° degree degrees
bit: bit bits
byte: byte bytes
kilobyte: kB KB kilobyte kilobytes
megabyte: MB megabyte megabytes
gigabyte: GB gigabyte gigabytes
terabyte: TB terabyte terabytes
mile_per_hour: mph
kilometer_per_hour: kph kmh
revolutions_per_minute: rpm
part_per_million: ppm
percentage: % ％ percent pct
percentage_point: pp
basis_point: bp bps
US_dollar: $ USD dollar dollars
euro: € EUR euro euros
pound_sterling: £ GBP
rupee: ₹ INR rupee rupees
yen: ¥ JPY yen
"""
# Two words that are one unit, tried before the single ones.
_UNIT_PHRASES = {
    "percentage points": "percentage_point",
    "percentage point": "percentage_point",
    "basis points": "basis_point",
    "basis point": "basis_point",
    "per cent": "percentage",
    "working days": "workday",
    "working day": "workday",
    "business days": "workday",
    "business day": "workday",
    "calendar days": "day",
    "calendar day": "day",
    "degrees celsius": "degree_Celsius",
    "degree celsius": "degree_Celsius",
    "deg c": "degree_Celsius",
    "degrees c": "degree_Celsius",
    "degrees fahrenheit": "degree_Fahrenheit",
    "degree fahrenheit": "degree_Fahrenheit",
    "degrees f": "degree_Fahrenheit",
    "metric tons": "metric_ton",
    "metric tonnes": "metric_ton",
    "pounds sterling": "pound_sterling",
    "us dollars": "US_dollar",
}
# What pint lacks. A percentage is no percentage point, and money of one kind is not money of another.
_EXTRA_DEFINITIONS = """
percentage = [percentage]
percentage_point = [percentage_point]
basis_point = 0.01 percentage_point
workday = [workday]
quarter_year = 3 month
US_dollar = [US_dollar]
euro = [euro]
pound_sterling = [pound_sterling]
rupee = [rupee]
yen = [yen]
part_per_million = [part_per_million]
"""


def _units_by_spelling() -> dict[str, str]:
    rows = (line.split(": ") for line in _SPELLINGS.strip().splitlines())
    return {spelling: name for name, spellings in rows for spelling in spellings.split()}


_UNIT_BY_SPELLING = _units_by_spelling()
# Spellings in another case, unless they could be two things or one letter.
_UNIT_BY_FOLDED_SPELLING = {
    spelling.casefold(): name for spelling, name in reversed(_UNIT_BY_SPELLING.items()) if len(spelling) > 1
} | {
    "mpa": "megapascal",
    "mn": "meganewton",
    "mw": "megawatt",
}
CURRENCIES = frozenset({"US_dollar", "euro", "pound_sterling", "rupee", "yen"})

_PHRASE_PATTERN = "|".join(sorted((re.escape(phrase) for phrase in _UNIT_PHRASES), key=len, reverse=True))
_SPELLING_PATTERN = "|".join(sorted((re.escape(spelling) for spelling in _UNIT_BY_SPELLING), key=len, reverse=True))
_POWER = r"(?:\^?-?[123](?![\d.,]\d|\d))?"
_SINGLE_UNIT_PATTERN = rf"(?:(?:sq(?:uare|\.)?|cu(?:bic|\.)?)[ ])?(?:{_SPELLING_PATTERN}){_POWER}(?![A-Za-zµμ])"
# A unit right after its number. "in" and "a" are words first: inches must be written out or stand against it.
UNIT_PATTERN = (
    rf"(?i:{_PHRASE_PATTERN})\b"
    rf"|(?i:{_SINGLE_UNIT_PATTERN})(?:(?:[ ]?[/·*][ ]?|[ ]per[ ])(?i:{_SINGLE_UNIT_PATTERN})){{0,2}}"
    r"|in\b(?=[.,;)])|kNm\b|Nm\b"
)
_WHOLE_UNIT = re.compile(UNIT_PATTERN)
_UNIT_PART = re.compile(
    rf"(?i:(sq|square|sq\.|cu|cubic|cu\.)[ ])?({_SPELLING_PATTERN})(\^?-?[123])?", re.IGNORECASE
)
_UNIT_JOINT = re.compile(r"[ ]?[/·*][ ]?|[ ]per[ ]", re.IGNORECASE)


@dataclass(frozen=True)
class _UnitScale:
    """`base = number * factor + offset`, in the base units of its dimension."""

    dimension: str
    factor: float
    offset: float


@lru_cache(maxsize=2048)
def parse_unit(spelling: str) -> str:
    """The unit as an expression that pint reads; empty when this is no unit we know."""
    spelling = " ".join(spelling.split())
    if phrase := _UNIT_PHRASES.get(spelling.casefold()):
        return phrase
    if spelling == "in":
        return "inch"
    if spelling in ("kNm", "Nm"):
        return f"{'kilonewton' if spelling[0] == 'k' else 'newton'} * meter"
    expression = _unit_expression(spelling) if _WHOLE_UNIT.fullmatch(spelling) else ""
    # "1,500 dollars per year" is money; that it is due every year the words say, as in "$1,500 a year".
    amount = expression.partition(" / ")[0]
    return amount if amount in CURRENCIES else expression


def _unit_expression(spelling: str) -> str:
    written, at = "", 0
    for part in _UNIT_PART.finditer(spelling):
        joint = spelling[at : part.start()]
        if written and not _UNIT_JOINT.fullmatch(joint):
            return ""
        power = _unit_with_power(part)
        if not power:
            return ""
        written += f"{_joint_operator(joint)}{power}" if written else power
        at = part.end()
    return written if at == len(spelling) else ""


def _joint_operator(written: str) -> str:
    return " / " if "/" in written or "per" in written.casefold() else " * "


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
    first, second = _unit_scale(one_unit), _unit_scale(other_unit)
    if first is None or second is None or first.dimension != second.dimension:
        return False
    values = [float(value) * scale.factor + scale.offset for value, scale in ((one, first), (other, second))]
    return math.isclose(*values, rel_tol=1e-9, abs_tol=1e-12)


def are_units_comparable(one_unit: str, other_unit: str) -> bool:
    """Whether both measure the same kind of thing."""
    if one_unit == other_unit:
        return True
    first, second = _unit_scale(one_unit), _unit_scale(other_unit)
    return first is not None and second is not None and first.dimension == second.dimension


@lru_cache(maxsize=1024)
def _unit_scale(unit: str) -> _UnitScale | None:
    """None when pint cannot read it, for then nothing can be compared with it."""
    if not unit:
        return None
    registry = _unit_registry()
    try:
        zero, one = (registry.Quantity(value, unit).to_base_units() for value in (0.0, 1.0))
    except Exception:  # pint has many ways to say that an expression makes no sense
        return None
    return _UnitScale(str(one.dimensionality), one.magnitude - zero.magnitude, zero.magnitude)


@cache
def _unit_registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry()
    for line in _EXTRA_DEFINITIONS.strip().splitlines():
        registry.define(line)
    return registry
