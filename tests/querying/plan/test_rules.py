from __future__ import annotations

from datetime import date

import pytest

from querying.plan import rules
from querying.plan.types import AnswerMode, Plan
from tests.querying.plan.asked import BLOG, NOTES, OF_BLOG, OF_NOTES, Asked

TODAY = date(2026, 11, 21)
ALL = [(asked, BLOG) for asked in OF_BLOG] + [(asked, NOTES) for asked in OF_NOTES]


def kind(plan: Plan) -> str:
    if plan.followup_question:
        return "which time"
    return {AnswerMode.SQL_ONLY: "list", AnswerMode.HYBRID: "search", AnswerMode.VECTOR_ONLY: "open"}[
        plan.answer_mode
    ]


def said(plan: Plan, names: dict[str, object]) -> dict[str, object]:
    shown = {
        name: getattr(plan, name) for name in ("tags", "doc_types", "project", "statuses") if getattr(plan, name)
    }
    return shown | {name: getattr(plan, name) for name in ("intent", "limit") if name in names}


def is_right(asked: Asked, plan: Plan) -> bool:
    _, days, labels, expected = asked
    found = plan.time_range and tuple(
        day and day.isoformat() for day in (plan.time_range.start, plan.time_range.end)
    )
    same = {name: set(value) if isinstance(value, tuple) else value for name, value in said(plan, labels).items()}
    wanted = {name: set(value) if isinstance(value, tuple) else value for name, value in labels.items()}
    return (found, same, kind(plan)) == (days, wanted, expected)


@pytest.mark.parametrize(("asked", "vocabulary"), ALL, ids=[asked[0][:50] for asked, _ in ALL])
def test_the_plan_is_what_a_careful_reader_would_make(asked: Asked, vocabulary) -> None:
    plan = rules.plan_of(asked[0], vocabulary=vocabulary, today=TODAY, timezone="UTC")
    assert is_right(asked, plan), plan
