from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.question.sub_questions import MAX_SUB_QUESTIONS, sub_question_spans


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sub_question_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is a retainer, and when is it due?", ["What is a retainer", "when is it due?"]),
        ("Is it covered and what does it cost", ["Is it covered", "what does it cost"]),
        ("I live in Kent. What is due? And where do I pay?", ["What is due?", "And where do I pay?"]),
        ("Who signs, and when, and why?", ["Who signs", "when", "why?"]),
        ("What do nurses and doctors earn?", []),
        ("Doctors earn what and nurses earn more.", []),
        ("The plan and what it covers", []),
        ("", []),
    ],
)
def test_a_text_is_cut_where_it_asks_something_else(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@given(st.lists(st.sampled_from(["what", "and", "how", "is", "cost", "?", ".", ",", "\n"]), max_size=60).map(" ".join))
def test_parts_are_in_order_and_few(text: str) -> None:
    spans = sub_question_spans(text)
    assert len(spans) <= MAX_SUB_QUESTIONS
    assert len(spans) != 1
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert all(start < end for start, end in spans)
