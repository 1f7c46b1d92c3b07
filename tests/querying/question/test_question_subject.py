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
        ("What if I miss it?", "What if I miss the pottery course?"),
        ("And until when?", "Until when is the pottery course?"),
    ],
)
def test_a_question_about_it_names_what_the_one_before_is_about(question: str, expected: str) -> None:
    assert with_subject(question, POTTERY) == expected


@pytest.mark.parametrize(
    "question",
    [
        *("What is a beam?", "Is it allowed to smoke in the office?", "Why?", "Thanks", ""),
        *(
            "What if it rains?",
            "Is it raining?",
            "Got it",
            "Forget it",
            "Who runs IT?",
            "How long does it take to get a refund?",
        ),
        *("How many?", "Since when?", "By when?", "What?", "How?"),
    ],
)
def test_a_question_that_is_whole_or_asks_for_no_fact_stays_as_it_is(question: str) -> None:
    assert with_subject(question, POTTERY) == ""


@pytest.mark.parametrize(
    "before", ["How do I renew my library card?", "Who teaches it?", f"{POTTERY} And for adults?", ""]
)
def test_nothing_is_named_where_the_question_before_has_no_clear_subject(before: str) -> None:
    assert with_subject("How much does it cost?", before) == ""


def test_a_subject_is_no_preposition_and_half_a_phrase() -> None:
    assert with_subject("Where is it?", "When does the library open on Saturday?") == "Where is the library?"
    assert with_subject("How much does it cost?", "When is the sauna open?") == "How much does the sauna cost?"
    assert (
        with_subject("How do I renew it?", "How much is a library card for adults?") == "How do I renew a library card?"
    )
    assert " of " not in with_subject("Can I carry it over?", "How many days of annual leave do I get?")
