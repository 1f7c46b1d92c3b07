"""A reply that says a part of one option, or its place, gives that option; any other leaves the question open."""

from __future__ import annotations

import pytest

from tests.trees.growing import action, question, tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import extract_facts, facts_from_request

PLATFORM, BOARD = "5-metre platform", "1-metre board"


def asking(*options: str, text: str = "Do you mean the platform or the board?", **more: object) -> Tree:
    children = {option: f"a{number}" for number, option in enumerate(options)}
    nodes = [action(name) for name in children.values()]
    return parse_tree(
        tree(question("q", children, text=text, extractFrom="choice", options=list(options), **more), *nodes)
    )


def understood(asked: Tree, reply: str) -> object:
    return facts_from_request(asked, {"choice": reply})[0]["choice"].value


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("platform", PLATFORM),
        ("the platform", PLATFORM),
        ("Platform, please.", PLATFORM),
        ("I mean the platform", PLATFORM),
        ("the 5 metre one", PLATFORM),
        ("5 m platform", PLATFORM),
        ("5m", PLATFORM),
        ("the first one", PLATFORM),
        ("the second one", BOARD),
        ("the 2nd one", BOARD),
        ("the last option", BOARD),
        ("boards", BOARD),
    ],
)
def test_words_of_one_option_or_its_place_give_it(reply: str, option: str) -> None:
    assert understood(asking(PLATFORM, BOARD), reply) == option


@pytest.mark.parametrize(
    "reply",
    [
        "not the platform",
        "not the second one",
        "metre",
        "the 5 metre board",
        "platform or board",
        "the 3 metre platform",
        "5 cm platform",
        "the third one",
        "the sauna",
        "I do not know which platform",
        "over 5 m",
        "one",
    ],
)
def test_words_of_two_options_or_of_none_and_denials_leave_it_open(reply: str) -> None:
    assert understood(asking(PLATFORM, BOARD), reply) == reply


def test_a_question_of_its_own_words_is_no_reply() -> None:
    assert extract_facts(asking(PLATFORM, BOARD), question="May a child use the platform?") == {}


@pytest.mark.parametrize(
    ("options", "reply"),
    [
        (("no cover by the firm", "private cover"), "firm"),
        (("over 20 people", "up to 10 people"), "20 people"),
        (("C++ developer", "Java developer"), "C# developer"),
        (("insured", "not insured by law"), "law"),
    ],
)
def test_an_option_that_denies_or_bounds_something_is_not_guessed(options: tuple[str, ...], reply: str) -> None:
    assert understood(asking(*options), reply) == reply


def test_a_word_of_a_synonym_of_another_option_leaves_it_open() -> None:
    asked = asking(PLATFORM, BOARD, synonyms={BOARD: ["small platform"]})
    assert understood(asked, "platform") == "platform"


def test_options_that_are_shown_in_two_orders_have_no_places() -> None:
    both = {PLATFORM: "again", BOARD: "a"}
    first = question("q", both, text="Which?", extractFrom="choice", options=[PLATFORM, BOARD])
    again = question(
        "again", {PLATFORM: "a", BOARD: "a"}, text="Which?", extractFrom="choice", options=[BOARD, PLATFORM]
    )
    asked = parse_tree(tree(first, again, action("a")))
    for reply in ("the second one", "the last one"):
        assert understood(asked, reply) == reply
