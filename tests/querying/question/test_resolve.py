from __future__ import annotations

import uuid

import pytest
from asgiref.sync import async_to_sync

from lexic.phrases import in_language
from plugins.models import Release
from querying.answering.llms.extractive import Extractive
from querying.question.resolve import ResolvedQuestion, WeightedTurn, resolve_question
from querying.types.question import Caller, Question, Turn
from querying.types.refusals import LIBRARY_REFUSAL, REFUSAL


def question(text: str, *turns: tuple[str, str], synonyms: list[list[str]] | None = None) -> ResolvedQuestion:
    context = tuple(Turn(role=role, content=content) for role, content in turns)
    release = Release(version="1", synonyms=synonyms or [])
    asked = Question(text=text, release=release, caller=Caller(name="test"), context=context, id=uuid.UUID(int=1))
    return ResolvedQuestion.of(asked)


CONVERSATION = (
    ("user", "Which beams need cover?"),
    ("assistant", "All of them."),
    ("user", "How much cover in severe exposure?"),
    ("assistant", "At least 45 mm."),
)


def test_what_was_said_before_counts_less_and_less() -> None:
    assert question("And footings?", *CONVERSATION).weighted_turns() == [
        WeightedTurn(text="And footings?", weight=1.0, preceding_text="How much cover in severe exposure?"),
        WeightedTurn(text="How much cover in severe exposure?", weight=0.3),
        WeightedTurn(text="Which beams need cover?", weight=0.2),
        WeightedTurn(text="At least 45 mm.", weight=0.1),
    ]


def test_a_word_counts_at_the_highest_of_its_turns() -> None:
    weights = {
        word.original: word.weight for word in question("And cover of footings?", *CONVERSATION).weighted_words()
    }
    assert weights[("cover",)] == 1.0
    assert (weights[("exposur",)], weights[("beam",)], weights[("45",)]) == (0.3, 0.2, 0.1)


def test_a_question_by_itself_is_all_that_is_embedded() -> None:
    assert question("Footings?").texts_to_embed() == [("Footings?", 1.0)]


def test_the_conversation_has_a_share_of_the_vector() -> None:
    assert question("And footings?", ("user", "Which cover?")).texts_to_embed() == [
        ("And footings?", 0.5),
        ("Which cover? And footings?", 0.5),
    ]


def test_a_reply_has_a_share_by_its_length() -> None:
    for length, shares in [(400, [0.5, 0.3, 0.2]), (4000, [0.5, 0.3, 0.2]), (100, [0.5, 0.45, 0.05])]:
        reply = "x" * length
        texts = question("And footings?", ("user", "Which cover?"), ("assistant", reply)).texts_to_embed()
        assert [text for text, _ in texts] == ["And footings?", "Which cover? And footings?", reply[:400]]
        assert [share for _, share in texts] == pytest.approx(shares)


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "hi", "pt-br", "zh-hans", "ar"])
@pytest.mark.parametrize("refusal", [REFUSAL, LIBRARY_REFUSAL])
def test_a_refusal_before_has_no_part_in_the_next_question(refusal: str, language: str) -> None:
    refused = f"{in_language(refusal, language)}\n\nFor information."
    following = question("What does the guest flat cost?", ("user", "Is there a gym?"), ("assistant", refused))
    alone = question("What does the guest flat cost?", ("user", "Is there a gym?"))
    assert following.last_reply == ""
    assert following.texts_to_embed() == alone.texts_to_embed()
    assert following.weighted_turns() == alone.weighted_turns()


def test_an_endless_conversation_is_cut() -> None:
    long = question("And footings?", *[("user", f"word{number} " * 2000) for number in range(50)])
    turns = long.weighted_turns()
    assert len(turns) == 13
    assert max(len(turn.text) for turn in turns) == 1000
    assert max(len(text) for text, _ in long.texts_to_embed()) == 4000


def test_synonyms_of_the_release_are_searched_for() -> None:
    words = question("Which w/c?", synonyms=[["w/c", "water-cement ratio"]]).weighted_words()
    assert [word.phrases for word in words] == [(("w", "c"), ("water", "cement", "ratio"))]


def test_the_longest_synonym_is_embedded_with_the_question() -> None:
    groups = [["w/c", "w/c ratio", "water-cement ratio"], ["RC", "reinforced concrete"]]
    texts = question("Which w/c for RC walls?", synonyms=groups).texts_to_embed()
    assert texts == [("Which w/c for RC walls? (water-cement ratio, reinforced concrete)", 1.0)]


def test_words_that_stated_a_fact_are_judged_as_the_option_that_they_mean() -> None:
    asked = question("May I work 17 days from portugal?")
    judged = asked.with_fact_options({"Portugal": "European Union", "17 days": ""})
    assert judged.search_text.split() == ["May", "I", "work", "from", "European", "Union?"]
    assert judged.text == "May I work 17 days from portugal?"


def test_a_reply_of_nothing_but_such_words_brings_no_other_words() -> None:
    asked = question("From Portugal.", ("user", "May I work abroad?"))
    judged = asked.with_fact_options({"Portugal": "European Union"})
    assert judged.new_words == "From European Union."


def test_a_question_that_is_nothing_but_a_compared_number_stays() -> None:
    asked = question("17 days")
    assert asked.with_fact_options({"17 days": ""}) is asked


@pytest.mark.parametrize(
    ("asked", "standalone"),
    [
        (["When is the pottery course?", "Thanks!", "Where?"], "Where is the pottery course?"),
        (["How much does the sauna cost?", "And the pool?", "When is it open?"], "When is the pool open?"),
        (["How much does the sauna cost?", "When is it open?", "And the pool?"], "When is the pool open?"),
        (["When is Harbour Street open?", "And Mill Lane?", "And Sundays?"], "And Sundays? When is Mill Lane open?"),
        (
            ["When is the pottery course?", "When does badminton begin?", "Where?", "Who teaches it?"],
            "Who teaches badminton?",
        ),
        (["When is the pottery course?", "Great, thanks"], ""),
        (["When is the pottery course?", "And badminton?", "How much does it cost?"], "How much does badminton cost?"),
        (["When is the pottery course?", "Who teaches it?", "And badminton?"], "Who teaches badminton?"),
        (["When is the pottery course?", "And for adults?", "How much does it cost?"], ""),
        (["Which courses are on Friday?", "And on Monday?"], "And on Monday? Which courses are?"),
        (["When is the pottery course?", "How do I renew my library card?", "How much does it cost?"], ""),
    ],
)
def test_a_follow_up_goes_on_from_what_the_one_before_stands_for(asked: list[str], standalone: str) -> None:
    context = [turn for text in asked[:-1] for turn in (("user", text), ("assistant", "Yes."))]
    resolved = async_to_sync(resolve_question)(question(asked[-1], *context).asked, llm=Extractive())
    assert resolved.standalone == standalone


def test_a_follow_up_goes_on_from_the_question_and_not_from_what_answered_a_question_back() -> None:
    context = [
        ("user", "May I work from Spain for a few weeks?"),
        ("assistant", "For how long?\n\n- up to 20 days\n- longer"),
        ("user", "thirty working days"),
        ("assistant", "No."),
    ]
    resolved = async_to_sync(resolve_question)(question("And Japan?", *context).asked, llm=Extractive())
    assert resolved.standalone == "May I work from Japan for a few weeks?"


def test_what_is_asked_after_a_courtesy_is_no_answer_to_its_reply() -> None:
    context = [
        ("user", "Hello"),
        ("assistant", "Hello. What would you like to know?"),
        ("user", "when is the pottery course"),
        ("assistant", "On Monday."),
        ("user", "Yes, please"),
        ("assistant", "All right. What else would you like to know?"),
    ]
    resolved = async_to_sync(resolve_question)(question("And badminton?", *context).asked, llm=Extractive())
    assert resolved.standalone == "when is badminton"
