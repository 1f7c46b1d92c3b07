from __future__ import annotations

import pytest

from language.weekdays import ALL_DAYS, bounded_days, days_spoken_of, named_days

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Open from Monday to Friday.", {MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY}),
        ("Mon–Wed 9:00 to 12:00", {MONDAY, TUESDAY, WEDNESDAY}),
        ("Between Thursday and Saturday the ferry runs twice.", {THURSDAY, FRIDAY, SATURDAY}),
        ("On Thursdays and Saturdays the ferry runs twice.", {THURSDAY, SATURDAY}),
        ("Friday through Monday", {FRIDAY, SATURDAY, SUNDAY, MONDAY}),
        ("At weekends it is closed.", {SATURDAY, SUNDAY}),
        ("It is open every day from ten.", ALL_DAYS),
        ("The daily ticket is refunded within five working days.", set()),
        ("Mon-Thu 9-18, Sat 10-14", {MONDAY, TUESDAY, WEDNESDAY, THURSDAY, SATURDAY}),
        ("Sat and Sun 10-14", {SATURDAY, SUNDAY}),
        ("The sun sat on the sea.", set()),
        ("Every day except Monday", set()),
        ("Open every day but Sunday.", set()),
        ("Open every day but in winter only on Sunday.", ALL_DAYS),
    ],
)
def test_ranges_and_names_of_days_are_read(text: str, days: set[int]) -> None:
    assert days_spoken_of(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Which courses are before Friday?", {"Friday": {0, 1, 2, 3}}),
        ("What is there by Tuesday or after fridays?", {"Tuesday": {0, 1}, "fridays": {5, 6}}),
        ("Which courses are no later than Tuesday?", {"Tuesday": {0, 1}}),
        ("Which courses are not earlier than Friday?", {"Friday": {4, 5, 6}}),
        ("Is it open from Monday until Friday?", {}),
        ("What is on the day before? Friday is a holiday.", {}),
    ],
)
def test_a_day_may_bound_what_is_asked_about(text: str, days: dict[str, set[int]]) -> None:
    assert bounded_days(text) == days


def test_a_question_names_days_by_their_whole_names() -> None:
    assert list(named_days("Are you open on Saturdays, or on Sunday?")) == [("Saturdays", SATURDAY), ("Sunday", SUNDAY)]
    assert list(named_days("Is the sun out?")) == []


def test_letters_that_are_others_once_their_case_is_ignored_are_no_days() -> None:
    assert days_spoken_of("frıday, ſunday, frı–ſun") == frozenset()
