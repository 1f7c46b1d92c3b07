from __future__ import annotations

import pytest

from tests.trees.growing import action, cover_tree, question, tree
from trees.definition.parser import parse_tree
from trees.selection import asks_for_meaning, asks_for_word_meaning, select_tree, unrelated_stems

PAINT = parse_tree(
    tree(
        question("surface", {"steel": "a", "wood": "b"}, text="Which surface is painted?", extractFrom="surface"),
        action("a", "Two coats of zinc primer"),
        action("b", "One coat of varnish, minimum thickness 50 microns"),
    )
)
TREES = [("Nominal cover of concrete members", cover_tree()), ("Paint systems", PAINT)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("What is the minimum cover for a beam exposed to weather?", 0),
        ("What is the nominal cover?", 0),
        ("What cover is required?", 0),
        ("Which cover do concrete slabs need?", 0),
        ("How should I paint steel?", 1),
        ("Which primer goes on steel?", 1),
    ],
)
def test_the_tree_that_a_question_is_about_is_found(asked, expected):
    assert select_tree(TREES, question=asked) == expected


@pytest.mark.parametrize(
    "asked",
    [
        "Who won the world cup?",
        "What is the minimum wage in Germany?",
        "What is the minimum?",
        "Who invented the beam?",
        "Give me a cover letter for a job",
        "Is severe weather coming tomorrow?",
        "",
        "?",
    ],
)
def test_a_question_about_something_else_reaches_no_tree(asked):
    assert select_tree(TREES, question=asked) is None


def test_facts_given_with_the_request_count():
    assert select_tree(TREES, question="Who invented the concrete?", facts=[]) is None
    assert select_tree(TREES, question="Which one for concrete then, my friend?", facts=["exposure"]) == 0


def test_facts_alone_do_not_drag_in_a_question_about_something_else():
    assert select_tree(TREES, question="Who won the world cup?", facts=["exposure", "member_type"]) is None


def test_an_earlier_turn_carries_a_short_question():
    earlier = ["What is the nominal cover for a beam?"]
    assert select_tree(TREES, question="And for a slab?", context=earlier) == 0
    assert select_tree(TREES, question="And for a slab?") is None


def test_an_earlier_turn_does_not_carry_a_question_about_something_else():
    assert select_tree(TREES, question="Who won the world cup?", context=["Cover for a concrete beam?"]) is None


def test_of_equal_trees_the_first_is_taken():
    assert select_tree([*TREES, TREES[0]], question="What is the nominal cover?") == 0


def test_without_trees_there_is_none():
    assert select_tree([], question="What is the nominal cover?") is None


def test_a_question_for_a_meaning_is_told_from_one_for_a_decision():
    for meaning in ("What is nominal cover?", "Define cover", "Why does cover matter?", "what does severe mean"):
        assert asks_for_meaning(meaning)
    for decision in (
        "What is the cover of a beam?",
        "What cover is needed?",
        "What is required for a beam by the sea?",
    ):
        assert not asks_for_meaning(decision)


def test_a_question_for_what_a_word_means_is_told_from_one_for_what_follows():
    for meaning in (
        "What does severe mean?",
        "what does “severe exposure” mean here",
        "Define severe.",
        "What is meant by severe exposure?",
        "What counts as severe?",
    ):
        assert asks_for_word_meaning(meaning)
    for decision in (
        "What does severe exposure mean for the cover of my beam?",
        "Define the cover of a beam in severe exposure by the sea",
        "What is the cover in severe exposure?",
        "severe",
    ):
        assert not asks_for_word_meaning(decision)


def test_strangers_are_the_words_that_the_tree_has_nothing_to_do_with():
    tree = parse_tree(
        {
            "rootNodeId": "kind",
            "nodes": {
                "kind": {
                    "id": "kind",
                    "type": "question",
                    "label": "Member type?",
                    "question": {"text": "What member is it?", "options": ["beam"], "extractFrom": "member"},
                    "childrenByAnswer": {"beam": "cover"},
                },
                "cover": {
                    "id": "cover",
                    "type": "action",
                    "label": "Cover",
                    "action": {"recommendation": "45 mm", "sourceHint": "table 2"},
                },
            },
        }
    )
    assert unrelated_stems("Nominal cover", tree, question="What nominal cover does a beam need?") == set()
    assert unrelated_stems("Nominal cover", tree, question="What cover does a beam need in a fire?") == {"fire"}
