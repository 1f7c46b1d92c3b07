"""So many questions of tests/data/cells that pick rows by their cells come out right."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from benchmarks._harness import ask_questions
from benchmarks.cell_questions import KINDS, SETS, judge, table
from evaluation.eval_types import PageSpan, PipelineOutcome


def questions(half: str) -> list[dict[str, Any]]:
    lines = (SETS / half / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [{"id": f"{number}"} | json.loads(line) for number, line in enumerate(lines)]


def outcome(kind: str, text: str = "") -> PipelineOutcome:
    span = PageSpan(document=uuid.uuid4(), page_id=1, page_number=1, start=0, end=9, text=text)
    return PipelineOutcome(
        outcome=kind, citations=(span,) if text else (), confidence="high", text=text, milliseconds=1.0, strength=None
    )


@pytest.mark.parametrize(
    ("given", "is_right"),
    [
        (outcome("answered", "Yoga — day: Friday. Dance — day: Friday"), True),
        (outcome("answered", "Yoga — day: Friday"), False),
        (outcome("answered", "Yoga — day: Friday. Dance — day: Friday. Choir — day: Tuesday"), False),
        (outcome("refused"), False),
    ],
)
def test_an_answer_is_judged_by_the_rows_that_it_names(given: PipelineOutcome, *, is_right: bool) -> None:
    asked = {"id": "0", "question": "?", "kind": KINDS[0], "rows": ["Yoga", "Dance"], "others": ["Choir"]}
    judged = judge(asked, given)
    assert judged["right"] is is_right
    assert list(table([judged]))[-1].startswith("all 1")
    assert judge({**asked, "rows": []}, given)["right"] is (given.outcome == "refused")


@pytest.mark.django_db(transaction=True)
def test_rows_are_found_by_their_cells_and_follow_ups_by_their_subject() -> None:
    asked = questions("heldout")
    keys = ("id", "question", "document", "history")
    wanted = [{key: one[key] for key in keys if key in one} for one in asked]
    given = ask_questions(wanted, (SETS / "heldout" / "documents").iterdir())
    rows = [judge(one, outcome) for one, outcome in zip(asked, given, strict=True)]
    right = {kind: sum(row["right"] for row in rows if row["kind"] == kind) for kind in KINDS}
    least = {"answerable": 18, "unanswerable": 7, "follow-up": 7}
    assert all(right[kind] >= least[kind] for kind in KINDS), right
