from __future__ import annotations

import json
from pathlib import Path

import pytest

from querying.question.tree_selection import profile_tree, select_tree, unrelated_stems
from tests.trees.growing import action, cover_tree, question, tree
from trees.definition.parser import parse_tree

PAINT = parse_tree(
    tree(
        question("surface", {"steel": "a", "wood": "b"}, text="Which surface is painted?", extractFrom="surface"),
        action("a", "Two coats of zinc primer"),
        action("b", "One coat of varnish, minimum thickness 50 microns"),
    )
)
TREES = [
    profile_tree(
        "Nominal cover. The least cover that concrete members such as beams and slabs need, by exposure.", cover_tree()
    ),
    profile_tree("Paint systems. Which primer, paint or varnish goes on steel or wood.", PAINT),
]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("What is the minimum cover for a beam exposed to weather?", 0),
        ("What cover is required?", 0),
        ("Which cover do concrete slabs need?", 0),
        ("What does severe exposure mean for the cover of my beam?", 0),
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
        "What is nominal cover?",
        "What does severe mean?",
        "Why does cover matter?",
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
    assert select_tree(TREES, question="And indoors then?", context=earlier) == 0
    assert select_tree(TREES, question="And indoors then?") is None


def test_an_earlier_turn_does_not_carry_a_question_about_something_else():
    assert select_tree(TREES, question="Who won the world cup?", context=["Cover for a concrete beam?"]) is None


def test_of_equal_trees_the_first_is_taken():
    assert select_tree([*TREES, TREES[0]], question="Which cover do concrete slabs need?") == 0


def test_without_trees_there_is_none():
    assert select_tree([], question="What is the nominal cover?") is None


def test_questions_of_trees_that_nobody_learnt_from_come_out_right():
    """Six trees and 441 questions, written by somebody who had seen neither the code nor the other questions."""
    data = json.loads((Path(__file__).parent / "tree_questions.json").read_text(encoding="utf-8"))
    trees = [profile_tree(f"{one['name']} {one['description']}", parse_tree(one["tree"])) for one in data["trees"]]
    keys = [one["key"] for one in data["trees"]]
    right: dict[str, list[bool]] = {"own": [], "same subject": [], "other topics": []}
    for asked in data["questions"]:
        index = select_tree(trees, question=asked["text"])
        kind = "own" if asked["tree"] else "other topics" if asked["why"] == "other_topic" else "same subject"
        right[kind].append((None if index is None else keys[index]) == asked["tree"])
    shares = {kind: sum(which) / len(which) for kind, which in right.items()}
    assert shares["own"] >= 0.79, shares
    assert shares["same subject"] >= 0.69, shares
    assert shares["other topics"] >= 0.93, shares


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
    assert (
        unrelated_stems(profile_tree("Nominal cover", tree), question="What nominal cover does a beam need?") == set()
    )
    assert unrelated_stems(profile_tree("Nominal cover", tree), question="What cover does a beam need in a fire?") == {
        "fire"
    }
