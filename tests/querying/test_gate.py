from __future__ import annotations

import pytest

from querying.gate import judge
from querying.types import Evidence
from tests.querying.passages import evidence, passage

PLAN = passage("The Northwind plan covers eye exams and glasses for every employee, up to 300 dollars in a year.")


@pytest.mark.parametrize(
    ("question", "lost", "reason"),
    [
        ("Does the plan cover eye exams?", 0.0, ""),
        ("Which eye exams does the plan never cover?", 0.2, "denies"),
        ("Does the plan cover 900 dollars of glasses?", 0.1, "900"),
        ("Do glasses of Acme Optics count for the plan?", 0.05, "Acme Optics"),
    ],
)
def test_signs_of_contradiction_weaken_the_evidence_and_say_why(question: str, lost: float, reason: str):
    judged = judge(question, evidence(PLAN), sufficient=0.95)
    assert judged.score == pytest.approx(0.9 - lost)
    assert reason in " ".join(judged.why)


def test_an_opposite_is_a_sign():
    less = passage("Cover is smaller where the exposure is mild.")
    judged = judge("Where is cover larger?", evidence(less), sufficient=0.95)
    assert judged.score == pytest.approx(0.8)
    assert "“larger”" in " ".join(judged.why)
    assert "“smaller”" in " ".join(judged.why)


def test_what_no_passage_mentions_is_named():
    judged = judge("Does the plan cover galvanised dentures?", evidence(PLAN), sufficient=0.95)
    assert "No passage mentions “galvanised”, “dentures”." in judged.why


def test_a_passed_gate_needs_no_reason():
    judged = judge("Does the plan cover eye exams?", evidence(PLAN), sufficient=0.5)
    assert (judged.passes, judged.why) == (True, ())


def test_nothing_found_is_nothing_to_answer_from():
    judged = judge("Anything?", Evidence(passages=(), sentences=(), strength=0.0))
    assert not judged.passes
    assert judged.why == ("There is nothing about it in the documents.",)
