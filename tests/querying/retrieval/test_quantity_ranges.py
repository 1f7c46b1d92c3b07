from __future__ import annotations

import pytest

from querying.retrieval.quantity_ranges import match_ranges
from querying.types.evidence import NO_RANGE_MATCH

HALF, NONE = "7 to 14 days before departure we refund half.", "Fewer than 7 days before departure nothing is refunded."
QUESTION = "What do I get back if I cancel 10 days before departure?"


def test_a_sentence_with_a_range_for_the_number_is_told_from_one_with_another() -> None:
    half, none, neither = match_ranges(QUESTION, [HALF, NONE, "We refund by bank transfer."])
    assert (half.numbers, half.excluded) == ({"10"}, frozenset())
    assert not none.numbers
    assert none.excluded == {"10"}
    assert neither is NO_RANGE_MATCH


def test_a_limit_is_excluded_only_beside_a_range_that_fits() -> None:
    assert match_ranges(QUESTION, [NONE]) == [NO_RANGE_MATCH]


def test_a_range_of_another_matter_excludes_no_limit() -> None:
    limit = "Come at once if the dog has had a seizure that lasted more than 5 minutes."
    other = "Appointments can be cancelled free of charge up to 24 hours before."
    matches = match_ranges("My dog had a seizure that lasted 2 minutes, must I come at once?", [limit, other])
    assert not matches[0].excluded


def test_the_question_is_read_with_the_range_in_place_of_the_number() -> None:
    (half,) = match_ranges(QUESTION, [HALF])
    assert half.wording == "What do I get back if I cancel 7 to 14 days before departure?"


def test_a_question_without_numbers_or_with_a_list_of_them_is_left_alone() -> None:
    numbers = ", ".join(f"{one} days" for one in range(1, 9))
    assert match_ranges("What is refunded?", [HALF]) == [NO_RANGE_MATCH]
    assert match_ranges(f"What is refunded for {numbers}?", [HALF]) == [NO_RANGE_MATCH]


def test_a_number_that_a_sentence_states_is_looked_for_in_no_range() -> None:
    sentences = ["The cover is 45 mm.", "Footings have at least 50 mm.", "Spacers stand at most one metre apart."]
    assert match_ranges("a cover of 45 mm", sentences) == [NO_RANGE_MATCH] * 3


def test_a_year_is_no_number_of_years() -> None:
    row = "Fraud | Under 18 years: 1.8 | 18 years and over: 73.5"
    assert match_ranges("How many were arrested for fraud in 2010?", [row]) == [NO_RANGE_MATCH]
    (match,) = match_ranges("How many at an age of 20 years were arrested for fraud?", [row])
    assert match.numbers == {"20"}


def test_a_number_with_a_fraction_counts_no_things() -> None:
    limit = "Members can be imported from files with at most 5,000 lines."
    assert match_ranges("What is new in 5.3?", [limit]) == [NO_RANGE_MATCH]
    (match,) = match_ranges("Can I import 300 lines?", [limit])
    assert match.numbers == {"300"}


PARKING = "Cars may stay for at most 4 hours."


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Can my car stay for 5 hours?", PARKING),
        ("It is 300 minutes, may my car stay?", PARKING),
        ("Is 3 cm of padding allowed?", "At least 5 cm of padding are allowed."),
        ("May I bring 3 guests?", "You may bring no more than 2 guests."),
    ],
)
def test_a_limit_decides_a_question_for_yes_or_no(question: str, sentence: str) -> None:
    (match,) = match_ranges(question, [sentence])
    assert match.included
    assert not match.excluded


def test_the_number_stays_one_that_the_sentence_does_not_mention() -> None:
    (match,) = match_ranges("Can my car stay for 5 hours?", [PARKING])
    assert not match.numbers
    assert not match.wording


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Is the fee 30 EUR?", "The deposit is at least 50 EUR."),
        ("Can I stay for 30 days?", "Cancel less than 14 days before arrival and half is refunded."),
    ],
)
def test_a_limit_of_something_else_decides_nothing(question: str, sentence: str) -> None:
    (match,) = match_ranges(question, [sentence])
    assert not match.included


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What do 5 hours cost?", PARKING),
        ("Can I park for 5 days in the hall?", "Lorries of at most 4 t may park."),
        ("Can I pay half 20 days before?", HALF),
        ("Is there a discount for 3 persons?", "Persons: 20 or more | Discount: 15 %"),
        ("Is there a discount for 3 persons?", "| 20 or more | 15 % |"),
        ("Can I park 5?", PARKING),
    ],
)
def test_a_limit_decides_nothing_else(question: str, sentence: str) -> None:
    (match,) = match_ranges(question, [sentence])
    assert not match.included


def test_a_limit_decides_nothing_beside_a_range_that_has_the_number() -> None:
    half, none = match_ranges("Do I get half if I cancel 10 days before departure?", [HALF, NONE])
    assert half.numbers == {"10"}
    assert not none.numbers
    assert none.excluded == {"10"}


def test_a_limit_decides_no_question_of_another_language() -> None:
    assert match_ranges("Can I park for 5 hours?", [PARKING], is_english=False) == [NO_RANGE_MATCH]
