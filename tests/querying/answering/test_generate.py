from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.answering.verified_text import split_sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One is here. Two is th", ["One is here. ", "Two is th"]),
        ("One is here [Source 1]. Two", ["One is here [Source 1]. ", "Two"]),
        (
            "One is here. [Source 1] Two is there. [Source 2]",
            ["One is here. [Source 1] ", "Two is there. [Source 2]"],
        ),
        ("One is here. [Sou", ["One is here. [Sou"]),
        ("See Fig. 3 of clause 26.4.2 now. Then", ["See Fig. 3 of clause 26.4.2 now. ", "Then"]),
    ],
)
def test_text_is_cut_between_sentences_and_marks_stay_with_theirs(text: str, parts: list[str]):
    assert split_sentences(text) == parts


@given(st.text(alphabet=st.sampled_from("Ab. [Source 1]\n!?,"), max_size=300))
def test_the_parts_put_together_are_the_text(text: str):
    assert "".join(split_sentences(text)) == text


def test_a_sentence_that_never_ends_is_not_held_for_ever():
    assert split_sentences("word " * 1000)[-1] == ""
