from __future__ import annotations

import pytest

from querying.question import standalone_question
from querying.question.standalone_question import is_fragment, named_thing, rewrite_follow_up


@pytest.mark.parametrize(
    ("fragment", "before", "expected"),
    [
        (
            "And for a slab?",
            "What is the minimum cover for a beam exposed to weather?",
            "What is the minimum cover for a slab exposed to weather?",
        ),
        ("and indoors?", "What cover does a beam need outdoors?", "What cover does a beam need indoors?"),
        ("for children?", "How much is an eye exam for adults?", "How much is an eye exam for children?"),
        ("And Mill Lane?", "When is Harbour Street open?", "When is Mill Lane open?"),
        ("And Northgate?", "Is Mill Lane open on Saturday?", "Is Northgate open on Saturday?"),
        ("And in Studio 1?", "Which courses are in Studio 2?", "Which courses are in Studio 1?"),
        ("or Germany?", "What is the minimum wage in France?", "What is the minimum wage in Germany?"),
        ("And if I resign?", "What happens to my bonus if I retire?", "What happens to my bonus if I resign?"),
        ("and in 5.1?", "What's new in 5.2?", "What's new in 5.1?"),
        ("and the 10:30?", "When does the 9:15 arrive?", "When does the 10:30 arrive?"),
        ("in mild exposure?", "What is the cover in severe exposure?", "What is the cover in mild exposure?"),
    ],
)
def test_a_fragment_stands_for_the_question_before_with_its_own_words(
    fragment: str, before: str, expected: str
) -> None:
    assert is_fragment(fragment)
    assert rewrite_follow_up(fragment, before) == expected


WHOLE = [
    "What is a beam?",
    "How is it created?",
    "Why Mars?",
    "Who signed it?",
    "How long does it take?",
    "May I work from Portugal for 15 days?",
    "MKSYSB",
    "",
    "?",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_question_of_its_own_is_no_fragment(text: str) -> None:
    assert not is_fragment(text)


@pytest.mark.parametrize(
    ("fragment", "before"),
    [
        ("If I live in Spain?", "Are investment earnings subject to FICA taxes?"),
        ("And without a receipt?", "Can I return shoes?"),
        ("and for slabs?", "What cover does a beam need?"),
        ("For 200 people?", "What is the capacity of Hall B?"),
    ],
)
def test_a_word_that_is_akin_to_none_is_added(fragment: str, before: str) -> None:
    assert rewrite_follow_up(fragment, before) == f"{before} {fragment}"


def test_the_model_reads_a_bounded_number_of_texts_whatever_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = standalone_question._embed_all
    monkeypatch.setattr(standalone_question, "_embed_all", lambda texts: read.extend(texts) or real(texts))
    before = " ".join(f"word{number}ing" for number in range(400))
    rewrite_follow_up("and for slabs of grade seven?", before)
    assert 0 < len(read) <= standalone_question._MAX_PHRASES + standalone_question._MAX_FILLED


def test_a_fragment_names_a_thing_or_says_something_of_one() -> None:
    named = {"And sick leave?": "sick leave", "and the sauna?": "the sauna", "What about badminton?": "badminton"}
    assert {text: named_thing(text) for text in named} == named
    assert not any(
        map(named_thing, ["And for adults?", "And above 500 euros?", "And its price?", "And if I resign?", ""])
    )
