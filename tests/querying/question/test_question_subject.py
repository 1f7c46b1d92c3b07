from __future__ import annotations

import pytest

from querying.question.question_subject import with_subject

POTTERY = "When is the pottery course?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much does it cost?", "How much does the pottery course cost?"),
        ("Who teaches it?", "Who teaches the pottery course?"),
        ("Where?", "Where is the pottery course?"),
        ("How much?", "How much does the pottery course cost?"),
    ],
)
def test_a_question_about_it_names_what_the_one_before_is_about(question: str, expected: str) -> None:
    assert with_subject(question, [POTTERY]) == expected


def test_questions_about_it_are_passed_over() -> None:
    earlier = [POTTERY, "When does badminton begin?", "Where?", "How much does it cost?"]
    assert with_subject("Who teaches it?", earlier) == "Who teaches badminton?"


@pytest.mark.parametrize("question", ["What is a beam?", "Is it allowed to smoke in the office?", "Why?", "Thanks", ""])
def test_a_question_that_is_whole_or_asks_for_no_fact_stays_as_it_is(question: str) -> None:
    assert with_subject(question, [POTTERY]) == ""


def test_nothing_is_named_where_the_question_before_has_no_clear_subject() -> None:
    earlier = [POTTERY, "How do I renew my library card?"]
    assert with_subject("How much does it cost?", earlier) == ""
    assert with_subject("How much does it cost?", []) == ""
