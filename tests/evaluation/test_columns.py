"""The questions of tests/data/columns are what their README says, and so many of them come out right."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from benchmarks._harness import ask_questions
from benchmarks.column_questions import SETS, judge, table
from evaluation.eval_types import PageSpan, PipelineOutcome

HALVES = ("dev", "heldout")


def questions(half: str) -> list[dict[str, Any]]:
    lines = (SETS / half / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [{"id": f"{number}"} | json.loads(line) for number, line in enumerate(lines)]


def test_the_halves_share_no_table_and_both_kinds_of_questions_are_there() -> None:
    dev, heldout = ({one["document"] for one in questions(half)} for half in HALVES)
    assert not dev & heldout
    for half in HALVES:
        assert {path.name for path in (SETS / half / "documents").iterdir()} == {
            one["document"] for one in questions(half)
        }
        assert sum(one["kind"] == "unanswerable" for one in questions(half)) == 15


@pytest.mark.parametrize("half", HALVES)
def test_every_cell_that_answers_stands_in_its_table(half: str) -> None:
    for one in questions(half):
        path = SETS / half / "documents" / one["document"]
        if one["kind"] == "answerable" and path.suffix in (".csv", ".md"):
            text = path.read_text(encoding="utf-8")
            assert all(one[key] in text for key in ("item", "column", "value")), one


def outcome(kind: str, cited: str = "", *, text: str = "") -> PipelineOutcome:
    span = PageSpan(document=uuid.uuid4(), page_id=1, page_number=1, start=0, end=9, text=cited)
    return PipelineOutcome(
        outcome=kind, citations=(span,) if cited else (), confidence="high", text=text, milliseconds=1.0, strength=None
    )


PRICE = {"id": "0", "document": "d", "question": "?", "kind": "answerable", "item": "Floor pump", "value": "34.90"}
NOTHING = {"id": "1", "document": "d", "question": "?", "kind": "unanswerable"}
PUMP, TUBE = "item: Floor pump | price: 34.90", "item: Inner tube | price: 34.90"


@pytest.mark.parametrize(
    ("asked", "given", "is_right"),
    [
        (PRICE, outcome("answered", PUMP, text="Floor pump — price: 34.90"), True),
        (PRICE, outcome("answered", TUBE, text="Inner tube — price: 34.90"), False),
        (PRICE, outcome("answered", PUMP, text="Floor pump — stock: 12"), False),
        (PRICE, outcome("refused"), False),
        (NOTHING, outcome("refused"), True),
        (NOTHING, outcome("answered", PUMP, text="Floor pump — price: 34.90"), False),
    ],
)
def test_an_answer_is_judged_by_its_cell_and_its_row(
    asked: dict[str, Any], given: PipelineOutcome, *, is_right: bool
) -> None:
    judged = judge(asked, given)
    assert judged["right"] is is_right
    assert list(table([judged]))[-1].startswith("others")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("half", "least_right"), [("dev", 33), ("heldout", 27)])
def test_questions_find_the_column_that_they_name_in_other_words(half: str, least_right: int) -> None:
    asked = questions(half)
    wanted = [{key: one[key] for key in ("id", "question", "document")} for one in asked]
    given = ask_questions(wanted, (SETS / half / "documents").iterdir())
    rows = [judge(one, outcome) for one, outcome in zip(asked, given, strict=True)]
    assert sum(row["right"] for row in rows if row["is_answerable"]) >= least_right
    assert [row["question"] for row in rows if not row["is_answerable"] and row["answered"]] == []
