from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.figures.intervals import Interval, find_interval, find_limit, plain_quantities, read_intervals


def is_included(question: str, text: str) -> bool:
    (quantity,) = plain_quantities(question)
    return isinstance(find_interval(quantity, text), Interval)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("I cancel 10 days before", "Cancellations 7 to 14 days before departure are refunded by half."),
        ("I cancel 10 days before", "Between 7 and 14 days before departure we refund half."),
        ("I cancel two weeks before", "From 14 days down to 7 days before departure we refund half."),
        ("I cancel 10 days before", "At least 7 but fewer than 14 days before departure: half."),
        ("Do I need a licence for 60 hp?", "Engines of more than 15 hp need a licence."),
        ("A lorry of 5200 kg", "Lorries of more than 3.5 t and no more than 7.5 t cross by day."),
        ("He is 9 years old", "Children under 12 travel free."),
        ("He is 9", "Children aged 4 to 12 years pay half."),
        ("I order for $600", "Orders over $500 are free."),
        ("10 days", "Days before departure: 7–14 | Refund: 50 %"),
        ("exactly 14 days", "up to 14 days"),
        ("We are 20 people", "Groups of more than 15 people get a discount."),
    ],
)
def test_a_number_lies_in_the_range_that_a_text_states(question: str, text: str) -> None:
    assert is_included(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("I cancel 5 days before", "Cancellations 7 to 14 days before departure are refunded by half."),
        ("exactly 14 days", "fewer than 14 days"),
        ("exactly 11 kW", "Above 11 kW and up to 22 kW a wallbox needs our approval."),
        ("exactly 14 days", "more than 14 days"),
        ("10 days", "7 to 14 months"),
        ("I order for $600", "Orders over 500 EUR are free."),
        ("10 days", "14 days, and 7 in winter"),
        ("20 guests", "Parties of 6 guests may bring up to 40 chairs."),
        ("all three houses", "Visitor: Child under 12 | One house: free | All three houses: free"),
    ],
)
def test_a_number_lies_in_no_range_of_the_text(question: str, text: str) -> None:
    assert not is_included(question, text)


def test_a_text_with_other_ranges_of_the_kind_is_told_from_one_without_any() -> None:
    (quantity,) = plain_quantities("20 days")
    assert find_interval(quantity, "7 to 14 days") is True
    assert find_interval(quantity, "7 to 14 km") is False


@pytest.mark.parametrize(
    ("question", "text", "written"),
    [
        ("5 hours", "Between 8 and 10 hours in winter, else at most 4 hours", "4 hours"),
        ("5 hours", "at most 6 hours", None),
        ("5 hours", "6 to 8 hours", None),
        ("5", "at most 4", None),
    ],
)
def test_a_limit_that_leaves_a_number_out_has_one_end(question: str, text: str, written: str | None) -> None:
    (quantity,) = plain_quantities(question)
    limit = find_limit(quantity, text)
    assert (limit.written if limit else None) == written


def test_ranges_and_bounds_of_a_question_are_no_plain_quantities() -> None:
    assert [one.number for one in plain_quantities("more than 5 days, 7 to 9 km, 30 kg")] == ["30"]


def test_one_day_is_a_number_of_days_unless_something_is_told_of_it() -> None:
    assert plain_quantities("One day I would like to row for 3 hours.")[0].number == "3"
    assert plain_quantities("I cancel one day before arrival.")[0].number == "1"


def test_bounds_of_two_rules_are_two_intervals() -> None:
    first, second = read_intervals("At least 7 days are needed. At most 14 days are paid.")
    assert (first.low, first.high, second.low, second.high) == (7, None, None, 14)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_ranges_hold_what_lies_between_their_ends(low: int, width: int, asked: int) -> None:
    text = f"Between {low} and {low + width} days before departure half is refunded."
    assert is_included(f"I cancel {asked} days before", text) == (low <= asked <= low + width)


@given(st.text(alphabet="0123456789 -–to<>=%|.,:daysmk\n", max_size=200))
def test_any_text_is_read(text: str) -> None:
    for one in read_intervals(text):
        assert one.low is None or one.high is None or one.low <= one.high


@pytest.mark.parametrize("text", ["29 to 8 days before arrival", "29–8 days before arrival"])
def test_a_range_of_times_may_begin_with_the_longer_one(text: str) -> None:
    (three_weeks,) = plain_quantities("3 weeks before")
    found = find_interval(three_weeks, text)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (8, 29)


@pytest.mark.parametrize("text", ["cut from 60 to 30 days", "won 3 to 1", "rooms 12-8"])
def test_a_change_a_score_and_a_pair_of_numbers_are_no_range(text: str) -> None:
    assert not read_intervals(text)
