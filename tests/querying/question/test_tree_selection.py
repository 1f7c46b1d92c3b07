from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from querying.question.tree_selection import (
    TreeProfile,
    profile_tree,
    read_features,
    select_tree,
    unrelated_stems,
)
from tests.trees.growing import action, cover_tree, question, tree
from trees.definition.parser import parse_tree

PAINT = parse_tree(
    tree(
        question("surface", {"steel": "a", "wood": "b"}, text="Which surface is painted?", extractFrom="surface"),
        action("a", "Two coats of zinc primer"),
        action("b", "One coat of varnish, minimum thickness 50 microns"),
    )
)


@cache
def trees() -> list[TreeProfile]:
    """Profiled by the first test that needs them: each process that only collects would load the model for it."""
    about = "Nominal cover. The least cover that concrete members such as beams and slabs need, by exposure."
    painted = "Paint systems. Which primer, paint or varnish goes on steel or wood."
    return [profile_tree(about, cover_tree()), profile_tree(painted, PAINT)]


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
def test_lx_051_the_tree_that_a_question_is_about_is_found(asked, expected):
    assert select_tree(trees(), question=asked) == expected


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
    assert select_tree(trees(), question=asked) is None


def test_facts_given_with_the_request_count():
    assert select_tree(trees(), question="Who invented the concrete?", facts=[]) is None
    assert select_tree(trees(), question="Which one for concrete then, my friend?", facts=["exposure"]) == 0


def test_facts_alone_do_not_drag_in_a_question_about_something_else():
    assert select_tree(trees(), question="Who won the world cup?", facts=["exposure", "member_type"]) is None


def test_an_earlier_turn_carries_a_short_question():
    earlier = ["What is the nominal cover for a beam?"]
    assert select_tree(trees(), question="What about indoors?", context=earlier) == 0
    assert select_tree(trees(), question="What about indoors?") is None


def test_an_earlier_turn_does_not_carry_a_question_about_something_else():
    assert select_tree(trees(), question="Who won the world cup?", context=["Cover for a concrete beam?"]) is None


def test_of_equal_trees_the_first_is_taken():
    assert select_tree([*trees(), trees()[0]], question="Which cover do concrete slabs need?") == 0


def test_without_trees_there_is_none():
    assert select_tree([], question="What is the nominal cover?") is None


def shares_right(file_name: str) -> dict[str, float]:
    """Of each kind of questions the share that comes out right."""
    data = json.loads((Path(__file__).parent / file_name).read_text(encoding="utf-8"))
    profiles = [profile_tree(f"{one['name']} {one['description']}", parse_tree(one["tree"])) for one in data["trees"]]
    keys = [one["key"] for one in data["trees"]]
    right: dict[str, list[bool]] = {"own": [], "same subject": [], "other topics": []}
    for asked in data["questions"]:
        index = select_tree(profiles, question=asked["text"])
        kind = "own" if asked["tree"] else "other topics" if asked["why"] == "other_topic" else "same subject"
        right[kind].append((None if index is None else keys[index]) == asked["tree"])
    return {kind: sum(which) / len(which) for kind, which in right.items() if which}


@pytest.mark.parametrize(
    ("file_name", "least"),
    [
        # Six trees and 441 questions, by somebody who had seen neither the code nor the other questions.
        ("tree_questions.json", {"own": 0.82, "same subject": 0.74, "other topics": 0.95}),
        # Three trees on matters of the northwind handbook, and three short ones, written before they were judged.
        ("northwind_tree_questions.json", {"own": 0.85, "same subject": 0.93}),
        ("short_tree_questions.json", {"own": 0.6, "same subject": 0.8, "other topics": 1.0}),
    ],
)
def test_questions_of_trees_that_nobody_learnt_from_come_out_right(file_name: str, least: dict[str, float]):
    shares = shares_right(file_name)
    assert shares.keys() == least.keys()
    assert all(shares[kind] >= least[kind] for kind in least), shares


@pytest.mark.parametrize(
    "asked",
    [
        "What does the table of nominal cover contain?",
        "What is the purpose of nominal cover?",
        "What should be kept in mind about paint systems?",
        "How are paint systems checked?",
    ],
)
def test_what_the_documents_say_of_a_trees_subject_is_left_to_them(asked):
    assert select_tree(trees(), question=asked) is None


def test_the_phrases_of_a_question_are_those_around_the_trees_words():
    seen = read_features(trees()[0], "What does nominal cover mean?").phrases
    assert {"^", "^ what does", "does it mean", "mean ? $"} <= seen
    assert not any("cover" in phrase for phrase in seen)


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


def test_a_tree_that_asks_nothing_is_compared_as_well():
    advice = profile_tree("Varnish", parse_tree(tree(action("a", "One coat of varnish"))))
    assert select_tree([advice, trees()[0]], question="What is the minimum cover for a beam exposed to weather?") == 1
