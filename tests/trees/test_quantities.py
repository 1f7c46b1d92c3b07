from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trees.quantities import (
    UNIT_SYMBOLS,
    convert_to_unit,
    find_measures,
    find_unit,
    format_number,
    nearly_equal,
    parse_quantity,
    parse_spoken_quantity,
)


@pytest.mark.parametrize(
    ("written", "target", "number"),
    [
        ("45mm", "mm", 45),
        ("45 mm", "mm", 45),
        ("4.5 cm", "mm", 45),
        ("45 millimetres", "cm", 4.5),
        ("1,500 kg", "t", 1.5),
        ("25 N/mm2", "MPa", 25),
        ("0 °C", "K", 273.15),
        ("212 F", "°C", 100),
        ("2 h", "min", 120),
        ("2 weeks", "d", 14),
        ("45 MM", "mm", 45),
        ("-5", "°C", -5),
        ("50%", "%", 50),
        ("300mm²", "cm2", 3),
        (45, "mm", 45),
        ("250 mg", "g", 0.25),
        ("5 ml", "mL", 5),
        ("1.5 litres", "mL", 1500),
        ("$1,200", "$", 1200),
        ("1200 USD", "$", 1200),
        ("CHF 1,200", "CHF", 1200),
        ("1200 CHF", "CHF", 1200),
        ("C$50", "CAD", 50),
        ("₩ 900", "₩", 900),
        ("US$ 40", "$", 40),
        ("€80", "€", 80),
        ("16 A", "mA", 16000),
        ("120 mg/L", "mg/L", 120),
    ],
)
def test_a_quantity_is_read_in_the_unit_asked_for(written, target, number):
    quantity = parse_quantity(written)
    assert quantity is not None
    assert nearly_equal(convert_to_unit(quantity, find_unit(target)), number)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "mm",
        "beam",
        "45 beams",
        "M25",
        "4,5,6",
        "4 5",
        "45mm beam",
        "1e5",
        "--4",
        "$45 mm",
        True,
        None,
        [],
        "9" * 400,
    ],
)
def test_what_is_no_quantity_is_not_read_as_one(written):
    assert parse_quantity(written) is None


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400])
def test_a_number_without_end_is_no_quantity(number):
    assert parse_quantity(number) is None


def test_money_of_one_kind_is_not_money_of_another():
    assert convert_to_unit(parse_quantity("$40"), find_unit("€")) is None


def test_money_is_written_with_its_sign_first():
    assert format_number(1200, "$") == "$1,200"
    assert format_number(1200, "mm") == "1200 mm"


def test_a_weight_is_not_a_length():
    assert convert_to_unit(parse_quantity("4 kg"), find_unit("mm")) is None


@pytest.mark.parametrize(
    ("written", "target"),
    [("3 weeks", "working days"), ("5 days", "workday"), ("5 working days", "d"), ("5 business days", "week")],
)
def test_calendar_time_is_no_working_time(written, target):
    assert convert_to_unit(parse_quantity(written), find_unit(target)) is None


def test_a_quantity_is_no_bare_number():
    assert convert_to_unit(parse_quantity("3 weeks"), None) is None
    assert convert_to_unit(parse_quantity("3"), None) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10 working days of 30 days", [(10, "workdays"), (30, "d")]),
        ("10 Business-days, 3 working hours", [(10, "workdays"), (3, None)]),
        ("cover of 45 mm, span 6.5m", [(45, "mm"), (6.5, "m")]),
        ("M25 concrete, 3 beams", [(3, None)]),
        ("5 in the beam, 5in bar", [(5, None), (5, "in")]),
        ("5-10 mm", [(5, None), (10, "mm")]),
        ("at -5 °C", [(-5, "°C")]),
        ("it cost $800, or €20.50", [(800, "$"), (20.5, "€")]),
        ("20 USD and 3 mg of it", [(20, "$"), (3, "mg")]),
        ("a 16 A circuit, 5 a day", [(16, "A"), (5, None)]),
        ("1,500 kg, 20, 30", [(1500, "kg"), (20, None), (30, None)]),
        ("two and a half hours, 3 and a half", [(2.5, "h"), (3.5, None)]),
        ("$2 million, 3 dozen, 2 hundred thousand kg", [(2_000_000, "$"), (36, None), (200_000, "kg")]),
        ("2 thousand five hundred euros, half of it", [(2500, "€")]),
        ("one or two days, half days, one of two hundred", [(1, None), (2, "d"), (0.5, "d"), (200, None)]),
    ],
)
def test_numbers_are_found_in_a_text(text, expected) -> None:
    found = [(one.quantity.number, one.quantity.unit and one.quantity.unit.symbol) for one in find_measures(text)]
    assert found == expected


def test_every_unit_of_a_tree_is_known_by_its_symbol():
    assert all(find_unit(symbol).symbol == symbol for symbol in UNIT_SYMBOLS)


@given(st.text(alphabet="0123456789,.-+ mkNPa/%°²$€µ", max_size=200))
def test_any_run_of_signs_can_be_read(text) -> None:
    parse_quantity(text)
    for one in find_measures(text):
        assert 0 <= one.start < one.end <= len(text)


@pytest.mark.parametrize(
    ("reply", "number", "unit"),
    [
        ("twelve", 12, ""),
        ("Twelve hours.", 12, "h"),
        ("twenty-five kg", 25, "kg"),
        ("three times", 3, ""),
        ("3 times", 3, ""),
        ("4x", 4, ""),
        ("once", 1, ""),
        ("Twice", 2, ""),
        ("one", 1, ""),
        ("two and a half hours", 2.5, "h"),
        ("3 thousand euros", 3000, "€"),
        ("minus five", -5, ""),
        ("two and a half days", 2.5, "d"),
        ("1.5 million", 1_500_000, ""),
    ],
)
def test_a_reply_says_its_number_in_words(reply: str, number: float, unit: str):
    said = parse_spoken_quantity(reply)
    assert said is not None
    assert (said.number, said.unit.symbol if said.unit else "") == (number, unit)


@pytest.mark.parametrize(
    "reply", ["many", "half", "times", "two or three", "several hundred", "the second one", "one two", ""]
)
def test_a_reply_that_says_no_single_number_has_none(reply: str):
    assert parse_spoken_quantity(reply) is None


def test_numbers_in_words_are_found_in_a_text():
    found = find_measures("It vomited three times in 24 hours, and weighs forty-five kg.")
    assert [(one.quantity.number, one.start) for one in found] == [(3, 11), (24, 26), (45, 47)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3 thousand euros", [3000]),
        ("2.5 million and 2 dozen", [2_500_000, 24]),
        ("two and a half hours", [2.5]),
        ("2 and a half hours", [2.5]),
        ("a day and a half hour", []),
        ("a beam and a 5 m column", [5]),
        ("several hundred euros, a few thousand, half a dozen", []),
        ("thirty (30) or 7 (seven) days", [30, 7]),
        ("30 (five) days", [30, 5]),
        ("It is minus 5 °C, not minus six.", [-5, -6]),
        ("10 minus 5", [10, 5]),
        ("fıve, FİVE and 5 mıllion", [5]),  # letters that only look alike once their case is ignored
    ],
)
def test_words_that_are_part_of_a_number_are_no_number_of_their_own(text: str, numbers: list[float]) -> None:
    assert [one.quantity.number for one in find_measures(text)] == numbers


def test_a_number_of_many_words_stays_finite() -> None:
    found = find_measures("5 " + "million " * 1000)
    assert all(one.quantity.number < float("inf") for one in found)
