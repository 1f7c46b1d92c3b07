from __future__ import annotations

from fractions import Fraction

import pytest

from language.units import are_units_comparable, is_same_amount, parse_unit


@pytest.mark.parametrize(
    ("spelling", "unit"),
    [
        ("mm", "millimeter"),
        ("MM", "millimeter"),
        ("Kg", "kilogram"),
        ("mN", "millinewton"),
        ("MN", "meganewton"),
        ("kN/m2", "kilonewton / meter**2"),
        ("N/mm^2", "newton / millimeter**2"),
        ("square metres", "meter**2"),
        ("litres per second", "liter / second"),
        ("degrees Celsius", "degree_Celsius"),
        ("percentage points", "percentage_point"),
        ("working days", "workday"),
        ("dollars per year", "US_dollar"),
        ("CHF", "swiss_franc"),
        ("chf", "swiss_franc"),
        ("Swiss francs", "swiss_franc"),
        ("SEK", "swedish_krona"),
        ("Sek", ""),
        ("₩", "korean_won"),
        ("HK$", "hong_kong_dollar"),
        ("beams", ""),
        ("a", ""),
    ],
)
def test_a_unit_is_known_by_its_spellings(spelling: str, unit: str):
    assert parse_unit(spelling) == unit


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("4.5", "cm"), ("45", "mm"), True),
        (("1", "MPa"), ("1", "N/mm2"), True),
        (("32", "°F"), ("0", "°C"), True),
        (("12", "months"), ("1", "year"), True),
        (("7", "days"), ("1", "week"), True),
        (("0.1", "m"), ("10", "cm"), True),
        (("30", "days"), ("1", "month"), False),
        (("5", "%"), ("5", "percentage points"), False),
        (("5", "$"), ("5", "€"), False),
        (("5", "CHF"), ("5", "€"), False),
        (("5", "C$"), ("5", "CAD"), True),
        (("5", "days"), ("5", "working days"), False),
        (("45", "mm"), ("45", "kg"), False),
    ],
)
def test_quantities_are_the_same_whatever_their_unit(one: tuple[str, str], other: tuple[str, str], same: bool):
    assert is_same_amount(Fraction(one[0]), parse_unit(one[1]), Fraction(other[0]), parse_unit(other[1])) is same


def test_only_what_measures_the_same_can_be_compared():
    assert are_units_comparable("millimeter", "inch")
    assert not are_units_comparable("millimeter", "kilogram")
    assert not are_units_comparable("millimeter", "")
