from __future__ import annotations

import pytest

from tests.querying.plan.lists import read

RIGHT = {
    "seen": 60,
    "unseen": 60,
    "held_out": 59,
    "posts": 58,
    "stranger_a": 60,
    "stranger_b": 60,
    "stranger_c": 60,
    "own": 30,
}


@pytest.mark.parametrize("name", RIGHT)
def test_questions_are_planned_as_a_careful_reader_would(name: str) -> None:
    right = {asked.question: asked.is_right() for asked in read(name)}
    wrong = [question for question, is_right in right.items() if not is_right]
    assert len(right) - len(wrong) >= RIGHT[name], wrong
