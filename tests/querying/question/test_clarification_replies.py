"""A chat in which we asked back: the answer finds its question again, and nothing else is mistaken for one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.models import Plugin, Release
from querying.question.clarifications import SUBJECT_FIELD
from querying.question.resume import resume_from_context, resume_from_text
from querying.types.question import Caller, Question, Turn

TREE: dict[str, Any] = {
    "rootNodeId": "exposure",
    "nodes": {
        "exposure": {
            "id": "exposure",
            "type": "question",
            "label": "Exposure",
            "question": {
                "text": "How is it exposed?",
                "options": ["mild", "severe"],
                "extractFrom": "exposure",
                "synonyms": {"severe": ["coastal"]},
            },
            "childrenByAnswer": {"mild": "a", "severe": "span"},
        },
        "span": {
            "id": "span",
            "type": "condition",
            "label": "Span",
            "condition": {"field": "span_m", "operator": "gt", "value": 6},
            "trueChild": "a",
            "falseChild": "a",
        },
        "a": {"id": "a", "type": "action", "label": "A", "action": {"recommendation": "Do it."}},
    },
}
EXPOSED = "How is it exposed?\n\n- mild\n- severe"
SPAN = "What is the span m?"


def question(*said: str, trees: list[dict[str, Any]] | None = None, facts: dict[str, Any] | None = None) -> Question:
    """The last text is the question, those before it are the user's and the assistant's in turn."""
    *before, text = said
    roles = ("user", "assistant")
    first = len(before) % 2  # an odd number of turns begins with the assistant's
    context = tuple(Turn(role=roles[(at + first) % 2], content=content) for at, content in enumerate(before))
    stored = [{"id": "1", "name": "T", "description": "", "tree_data": data} for data in trees or [TREE]]
    release = Release(plugin=Plugin(slug="p"), trees=stored)
    return Question(text=text, release=release, caller=Caller(name="x"), context=context, facts=facts or {})


FREE_TEXT = {
    "rootNodeId": "place",
    "nodes": {
        "place": {"id": "place", "type": "condition", "label": "Place", "trueChild": "a", "falseChild": "a",
                  "condition": {"field": "place", "operator": "contains", "value": "sea"}},
        "a": TREE["nodes"]["a"],
    },
}  # fmt: skip
PLACE = "What is the place?"


@pytest.mark.parametrize("said", ["Thanks!", "Bye", "Hello"])
@pytest.mark.parametrize(("tree", "asked"), [(TREE, EXPOSED), (TREE, SPAN), (FREE_TEXT, PLACE)])
def test_thanks_answer_no_question(tree: dict[str, Any], asked: str, said: str) -> None:
    thanks = question("What cover?", asked, said, trees=[tree])
    assert resume_from_context(thanks) == thanks
    assert resume_from_context(question("What cover?", asked, "8", trees=[tree])).facts


YES_OR_NO = {
    "rootNodeId": "pool",
    "nodes": {
        "pool": {"id": "pool", "type": "condition", "label": "Pool", "trueChild": "a", "falseChild": "a",
                 "condition": {"field": "pool", "operator": "eq", "value": True}},
        "a": TREE["nodes"]["a"],
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "value"),
    [("No thanks", "No"), ("no, thank you!", "no"), ("Yes thank you", "Yes"), ("Nein danke", "Nein danke")],
)
def test_thanks_after_an_answer_leave_it_one(said: str, value: object) -> None:
    declined = question("What cover?", "Yes or no: pool?", said, trees=[YES_OR_NO])
    assert resume_from_context(declined).facts == {"pool": value}


def test_no_thanks_is_a_value_where_any_text_is() -> None:
    declined = question("What cover?", PLACE, "No thanks", trees=[FREE_TEXT])
    assert resume_from_context(declined).facts == {"place": "No thanks"}


def test_thanks_name_no_subject() -> None:
    for said in ("Thanks!", "ok", "Vielen Dank"):
        assert resume_from_text(question(said), first="What does this clinic do?", field=SUBJECT_FIELD) is None
    named = resume_from_text(question("the Northgate one"), first="What does this clinic do?", field=SUBJECT_FIELD)
    assert named is not None
    assert named.facts == {SUBJECT_FIELD: "the Northgate one"}


@pytest.mark.parametrize("asked", [EXPOSED, "How is it exposed?", " How is it\nexposed?\n\n\n- mild\n- severe\n"])
@pytest.mark.parametrize(("reply", "value"), [("severe", "severe"), ("Mild", "Mild"), ("coastal", "coastal")])
def test_an_answer_becomes_a_fact_of_the_first_question(asked: str, reply: str, value: str):
    taken = resume_from_context(question("What cover?", asked, reply))
    assert (taken.text, taken.facts, taken.context) == ("What cover?", {"exposure": value}, ())


def test_what_was_said_before_stays_the_context():
    taken = resume_from_context(question("Hello.", "Good day.", "What cover?", EXPOSED, "severe"))
    assert taken.text == "What cover?"
    assert [turn.content for turn in taken.context] == ["Hello.", "Good day."]


def test_an_answer_that_says_more_is_kept_for_what_else_it_says():
    taken = resume_from_context(question("What cover?", EXPOSED, "It is severe, with a span of 7 m"))
    assert taken.facts == {"exposure": "severe"}
    assert [turn.content for turn in taken.context] == [EXPOSED, "It is severe, with a span of 7 m"]


def test_several_questions_in_a_row_are_all_answered():
    taken = resume_from_context(question("What cover?", EXPOSED, "severe", SPAN, "7 m"))
    assert (taken.text, taken.facts, taken.context) == ("What cover?", {"exposure": "severe", "span_m": "7 m"}, ())


def test_of_two_answers_to_the_same_question_the_later_counts():
    taken = resume_from_context(question("What cover?", EXPOSED, "sehr", EXPOSED, "severe"))
    assert (taken.text, taken.facts) == ("What cover?", {"exposure": "severe"})


def test_a_fact_of_the_request_wins():
    assert resume_from_context(question("What cover?", EXPOSED, "severe", facts={"exposure": "mild"})).facts == {
        "exposure": "mild"
    }


@pytest.mark.parametrize("reply", ["sehr", "dunno", "I don't know", "I’m not sure, sorry", "No idea about that one"])
def test_an_answer_that_is_none_is_put_to_the_tree_which_asks_again(reply: str):
    assert resume_from_context(question("What cover?", EXPOSED, reply)).facts == {"exposure": reply}


@pytest.mark.parametrize(
    "reply",
    [
        "What does severe mean?",
        "How far apart do spacers stand?",
        "what about footings",
        "Tell me about severe exposure",
        "Spacers of mortar hold the bars at their cover",
        "mild or severe?",
        "x" * 501,
    ],
)
def test_anything_else_is_a_question_of_its_own(reply: str):
    asked = question("What cover?", EXPOSED, reply)
    assert resume_from_context(asked) == asked


@pytest.mark.parametrize(
    "said",
    [
        ("severe",),
        (EXPOSED, "severe"),
        ("What cover?", "The cover is 45 mm.", "severe"),
        ("What cover?", EXPOSED + " Or what?", "severe"),
    ],
)
def test_without_our_question_nothing_is_an_answer(said: tuple[str, ...]):
    asked = question(*said)
    assert resume_from_context(asked) == asked


def test_our_question_after_something_that_was_not_the_users_is_no_question_of_theirs():
    asked = question("x", "severe")
    turns = (Turn(role="assistant", content="Hello."), Turn(role="assistant", content=EXPOSED))
    asked = replace(asked, context=turns)
    assert resume_from_context(asked) == asked


def test_a_quantity_in_a_unit_that_the_tree_does_not_take_is_put_to_it_which_asks_again():
    asked = question("What cover?", EXPOSED, "severe", SPAN, "two and a half kg")
    assert resume_from_context(asked).facts == {"exposure": "severe", "span_m": "two and a half kg"}


def test_a_release_without_trees_takes_nothing_up():
    asked = question("What cover?", EXPOSED, "severe")
    asked.release.trees = []
    assert resume_from_context(asked) == asked


ours = st.sampled_from([EXPOSED, "How is it exposed?", "severe", "mild", "What cover?", "7 m"])
anything = st.text(max_size=40) | ours


@given(st.lists(anything, min_size=1, max_size=9))
def test_any_conversation_keeps_its_words(said: list[str]):
    asked = question(*said)
    taken = resume_from_context(asked)
    assert taken.text in said
    assert {turn.content for turn in taken.context} <= set(said)
    assert set(taken.facts) <= {"exposure", "span_m"}
    assert (taken.release, taken.id) == (asked.release, asked.id)
