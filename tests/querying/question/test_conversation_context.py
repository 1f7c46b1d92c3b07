from __future__ import annotations

import uuid

import pytest

from plugins.models import Release
from querying.question import conversation_context
from querying.question.conversation_context import WeightedTurn
from querying.types import Caller, Question, Turn


def question(text: str, *turns: tuple[str, str], synonyms: list[list[str]] | None = None) -> Question:
    context = tuple(Turn(role=role, content=content) for role, content in turns)
    release = Release(version="1", synonyms=synonyms or [])
    return Question(text=text, release=release, caller=Caller(name="test"), context=context, id=uuid.UUID(int=1))


CONVERSATION = (
    ("user", "Which beams need cover?"),
    ("assistant", "All of them."),
    ("user", "How much cover in severe exposure?"),
    ("assistant", "At least 45 mm."),
)


def test_what_was_said_before_counts_less_and_less() -> None:
    assert conversation_context.weighted_turns(question("And footings?", *CONVERSATION)) == [
        WeightedTurn(text="And footings?", weight=1.0, before="How much cover in severe exposure?"),
        WeightedTurn(text="How much cover in severe exposure?", weight=0.3),
        WeightedTurn(text="Which beams need cover?", weight=0.2),
        WeightedTurn(text="At least 45 mm.", weight=0.1),
    ]


def test_a_word_counts_at_the_highest_of_its_turns() -> None:
    weights = {
        word.original: word.weight
        for word in conversation_context.weighted_words(question("And cover of footings?", *CONVERSATION))
    }
    assert weights[("cover",)] == 1.0
    assert (weights[("exposur",)], weights[("beam",)], weights[("45",)]) == (0.3, 0.2, 0.1)


def test_a_question_by_itself_is_all_that_is_embedded() -> None:
    assert conversation_context.texts_to_embed(question("Footings?")) == [("Footings?", 1.0)]


def test_the_conversation_has_a_share_of_the_vector() -> None:
    assert conversation_context.texts_to_embed(question("And footings?", ("user", "Which cover?"))) == [
        ("And footings?", 0.5),
        ("Which cover? And footings?", 0.5),
    ]


def test_a_reply_has_a_share_by_its_length() -> None:
    for length, shares in [(400, [0.5, 0.3, 0.2]), (4000, [0.5, 0.3, 0.2]), (100, [0.5, 0.45, 0.05])]:
        reply = "x" * length
        texts = conversation_context.texts_to_embed(
            question("And footings?", ("user", "Which cover?"), ("assistant", reply))
        )
        assert [text for text, _ in texts] == ["And footings?", "Which cover? And footings?", reply[:400]]
        assert [share for _, share in texts] == pytest.approx(shares)


def test_an_endless_conversation_is_cut() -> None:
    long = question("And footings?", *[("user", f"word{number} " * 2000) for number in range(50)])
    turns = conversation_context.weighted_turns(long)
    assert len(turns) == 13
    assert max(len(turn.text) for turn in turns) == 1000
    assert max(len(text) for text, _ in conversation_context.texts_to_embed(long)) == 4000


def test_synonyms_of_the_release_are_searched_for() -> None:
    words = conversation_context.weighted_words(question("Which w/c?", synonyms=[["w/c", "water-cement ratio"]]))
    assert [word.phrases for word in words] == [(("w", "c"), ("water", "cement", "ratio"))]


def test_the_longest_synonym_is_embedded_with_the_question() -> None:
    groups = [["w/c", "w/c ratio", "water-cement ratio"], ["RC", "reinforced concrete"]]
    texts = conversation_context.texts_to_embed(question("Which w/c for RC walls?", synonyms=groups))
    assert texts == [("Which w/c for RC walls? (water-cement ratio, reinforced concrete)", 1.0)]
