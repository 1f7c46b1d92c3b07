"""Numbers as other languages write them: a comma before the fraction, and digits of other scripts."""

from __future__ import annotations

import pytest

from trees.quantities import find_measures, parse_quantity


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("12,5 mm", 12.5),
        ("1.250,5 mm", 1250.5),
        ("0,125", 0.125),
        ("1,250", 1250),  # as in English, unless something says otherwise
        ("1,500 kg", 1500),
        ("२५ mm", 25),
        ("１２．５ mm", 12.5),
        ("٣٥", 35),
    ],
)
def test_a_value_is_read_as_it_is_written(written: str, number: float) -> None:
    quantity = parse_quantity(written)
    assert quantity is not None
    assert quantity.number == number


def test_a_list_is_no_number() -> None:
    assert parse_quantity("1,2,3") is None


def numbers(text: str) -> list[float]:
    return [measure.quantity.number for measure in find_measures(text)]


def test_a_german_question_has_decimal_commas() -> None:
    assert numbers("Wie groß muss die Deckung sein, wenn der Balken 12,5 cm breit ist?") == [12.5]
    assert numbers("Welche Bewehrung braucht eine Platte mit 1.250,5 mm Stützweite und 20 mm Deckung?") == [1250.5, 20]


def test_what_may_be_a_thousand_or_one_and_a_fraction_is_not_read_in_such_a_language() -> None:
    """The tree asks for it, rather than to decide on a number that nobody meant."""
    assert numbers("Wie groß muss die Deckung sein, wenn die Stütze 1.250 mm lang ist?") == []
    assert numbers("¿Qué recubrimiento necesita una viga que mide 1,250 mm de largo y está al aire libre?") == []


def test_an_english_question_is_read_as_before() -> None:
    assert numbers("What cover does a beam of 1,250 mm need on levels 3,4 and 5, with bars of 12.5 mm?") == [
        1250,
        5,
        12.5,
    ]


def test_a_hindi_question_has_digits_of_its_own() -> None:
    [measure] = find_measures("बीम की चौड़ाई २५ cm है, न्यूनतम कवर कितना होना चाहिए?")
    assert measure.quantity.number == 25
    assert measure.quantity.unit is not None
    assert measure.quantity.unit.symbol == "cm"
