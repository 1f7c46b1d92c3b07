"""The questions of tests/data/handouts are what their README says, and when one counts as answered whole."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from benchmarks.handout_questions import SETS, judge, table
from evaluation.eval_types import PageSpan, PipelineOutcome

HALVES = {"dev": (130, 111, 11), "heldout": (116, 102, 10)}


def questions(half: str) -> list[dict[str, Any]]:
    lines = (SETS / half / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("half", HALVES)
def test_the_halves_have_so_many_questions_of_each_kind(half: str) -> None:
    asked = questions(half)
    answerable = [one for one in asked if one["kind"] == "answerable"]
    assert (len(asked), len(answerable), sum("history" in one for one in asked)) == HALVES[half]
    assert all(one["answer"] for one in answerable)
    assert {path.name for path in (SETS / half / "documents").iterdir()} == {one["document"] for one in asked}


@pytest.mark.parametrize("half", HALVES)
def test_what_answers_stands_in_its_paper(half: str) -> None:
    for one in questions(half):
        path = SETS / half / "documents" / one["document"]
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            assert all(said in text for said in (one["answer"], *one["also"], *one["and"])), one


ASKED = {
    "id": "0",
    "document": "d",
    "question": "Which of the editions have support by telephone?",
    "kind": "answerable",
    "answer": "Office has support by telephone.",
    "also": [],
    "and": ["Plus has support within four hours."],
}
BOTH = ("Office has support by telephone.", "Plus has support within four hours.")


def outcome(*cited: str) -> PipelineOutcome:
    spans = tuple(
        PageSpan(document=uuid.uuid4(), page_id=1, page_number=1, start=0, end=9, text=text) for text in cited
    )
    kind = "answered" if cited else "refused"
    return PipelineOutcome(
        outcome=kind, citations=spans, confidence="high", text=" ".join(cited), milliseconds=1.0, strength=None
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [(outcome(*BOTH), (True, True)), (outcome(BOTH[0]), (True, False)), (outcome(BOTH[1]), (False, False))],
)
def test_an_answer_is_whole_where_all_of_it_is_quoted(given: PipelineOutcome, expected: tuple[bool, bool]) -> None:
    row = judge(ASKED, given)
    assert (row["right"], row["whole"]) == expected


def test_the_table_counts_whole_answers_and_follow_ups() -> None:
    follow_up = ASKED | {"history": [{"role": "user", "content": "Which editions are there?"}]}
    rows = [judge(ASKED, outcome(*BOTH)), judge(follow_up, outcome(BOTH[0])), judge(ASKED, outcome())]
    assert list(table(rows))[-2:] == ["with more than one sentence to quote 3: whole 1", "follow-ups 1: right 1"]
