"""Statements of different writers: what goes together, what does not, and what is about something else."""

from __future__ import annotations

import pytest

from querying.answering.grounding.conflict_types import ConflictKind
from querying.answering.grounding.statement_conflicts import find_conflict, is_within_bound

BEAM = "The minimum nominal cover for a beam in severe exposure is 45 mm."


@pytest.mark.parametrize(
    ("one", "other", "kind", "is_certain"),
    [
        (BEAM, "In severe exposure, beams need a nominal cover of at least 40 mm.", "number", True),
        ("The notice period is 30 days.", "The notice period shall be three months.", "number", True),
        ("The fee is $100 per month.", "The fee is $120 per month.", "number", True),
        ("Concrete must cure for at least 7 days.", "Concrete must cure for at least 14 days.", "number", True),
        ("Visitors must wear a helmet on site.", "Visitors may wear a helmet on site.", "duty", True),
        ("The supplier shall indemnify the buyer.", "The supplier shall not indemnify the buyer.", "denial", True),
        ("Invoices are paid within 30 days.", "Invoices are paid within 60 days of receipt.", "number", False),
        ("Remote work is allowed three days a week.", "We may work remotely at most two days a week.", "number", True),
        ("Smoking is prohibited in the building.", "Smoking is permitted in the building.", "denial", False),
        ("There is a lift.", "There is no lift.", "denial", True),
        ("Check-out is by 11 am.", "Check-out is by 10 am.", "number", False),
        ("Check-in is by 8:00.", "Check-in is by 20:00.", "number", False),
        ("Quiet hours are from 22:00 to 7:00.", "Quiet hours are from 23:00 to 7:00.", "number", False),
    ],
)
def test_what_excludes_each_other_is_found_from_both_sides(one: str, other: str, kind: str, is_certain: bool) -> None:
    for pair in ((one, other), (other, one)):
        found = find_conflict(*pair)
        assert found is not None, pair
        assert (found.kind, found.is_certain) == (ConflictKind(kind), is_certain)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (BEAM, "In severe exposure, columns need a nominal cover of at least 40 mm."),
        (BEAM, "In mild exposure the nominal cover of a beam is 20 mm."),
        ("There is a lift.", "There is no lift in the annexe."),
        ("Is there a lift?", "There is no lift."),
        ("It is free.", "It is not free."),
        ("Quiet hours begin at 22:00.", "Quiet hours begin at 10 p.m."),
        ("Check-out is by 11:00 am.", "Check-out is by 11:00."),
        ("The ferry is full at 9:15.", "The ferry is not full at 10:30."),
        ("At 10:30 the water has 20 °C.", "At 14:00 the water has 25 °C."),
        (BEAM, "In very severe exposure the nominal cover of a beam is 60 mm."),
        ("The cover of a beam in severe exposure is 4.5 cm.", "The cover of a beam in severe exposure is 45 mm."),
        ("Remote work is at most three days a week.", "Remote work is two days a week."),
        ("Table 16 gives the cover as 40 mm.", "Table 17 gives the cover as 45 mm."),
        ("Concrete cures 7 days in cold weather.", "Concrete cures 14 days in hot weather."),
        ("The dose is 10 mg per kilogram.", "The dose for children is 5 mg per kilogram."),
        ("Visitors must wear a helmet on site.", "All visitors have to wear a helmet on site."),
        ("x " * 1500 + "is 5 mm", "x " * 1500 + "is 6 mm"),
    ],
)
def test_other_cases_other_words_for_the_same_and_other_subjects_are_no_conflict(one: str, other: str) -> None:
    assert find_conflict(one, other) is None
    assert find_conflict(other, one) is None


def test_headings_say_what_a_sentence_is_about() -> None:
    sentence = "They stand at most one metre apart."
    for heading, is_certain in (("", False), ("Handbook > Spacers", True)):
        found = find_conflict("Spacers stand at most two metres apart.", sentence, headings=("", heading))
        assert found is not None
        assert (found.kind, found.is_certain) == (ConflictKind.NUMBER, is_certain)


def test_a_value_inside_a_limit_keeps_it() -> None:
    limit = "Footings have a nominal cover of at least 50 mm."
    assert is_within_bound("Footings have a nominal cover of 60 mm.", limit)
    assert not is_within_bound("Footings have a nominal cover of 40 mm.", limit)
    assert not is_within_bound("Footings have a nominal cover of 60 mm.", "Footings have a nominal cover of 50 mm.")
    assert not is_within_bound("Slabs have a nominal cover of 60 mm.", limit)
