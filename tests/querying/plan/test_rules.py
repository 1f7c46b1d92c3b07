from __future__ import annotations

import pytest

from tests.querying.plan.lists import read


@pytest.mark.parametrize(("name", "least"), [("seen", 60), ("unseen", 60), ("held_out", 57), ("posts", 56)])
def test_questions_are_planned_as_a_careful_reader_would(name: str, least: int) -> None:
    wrong = [asked.question for asked in read(name) if not asked.is_right()]
    assert len(wrong) <= 60 - least, wrong
