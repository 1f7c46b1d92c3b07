"""A reply that says a part of one option, or its place, gives that option; any other leaves the question open."""

from __future__ import annotations

import pytest

from tests.trees.growing import action, question, tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts import short_replies
from trees.facts.extraction import extract_facts, facts_from_request
from trees.quantities import QuantityMention

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


@pytest.mark.parametrize(
    ("options", "reply"),
    [
        (("Germany", "Outside the EU"), "in the EU"),
        (("Before June 1", "After July 1"), "in June"),
        (("Former employee", "Customer"), "employee"),
        (("Expired passport", "ID card"), "my passport"),
        (("Ex-husband", "Sibling"), "my husband"),
        (("Semi-detached house", "Flat"), "detached house"),
        (("Partly furnished", "Empty"), "furnished"),
        (("All rooms", "Only the kitchen"), "some rooms"),
        (("Both parents work", "Single parent"), "one parent works"),
        (("until 8 pm", "after 10 pm"), "10 pm"),
        (("Minor injury", "Death"), "injury"),
        (("Visa refused", "Still waiting"), "I have a visa"),
        (("Passeport expiré", "Carte"), "passeport"),
        (("Rent a car", "Buy a house"), "own car"),
        (("5 days before departure", "Later"), "5 days"),
        (("5 days after departure", "Later"), "5 days before departure"),
        (("Minor injury",), "injury"),
    ],
)
def test_a_reply_that_leaves_out_what_the_option_depends_on_is_open(options: tuple[str, ...], reply: str) -> None:
    assert understood(asking(*options, text="Which?"), reply) == reply


@pytest.mark.parametrize(
    ("options", "reply", "option"),
    [
        (("Full-time", "Part-time"), "part", "Part-time"),
        (("New customer", "Existing customer"), "new", "New customer"),
        (("Visa refused by Spain", "Visa refused by Italy"), "Italy", "Visa refused by Italy"),
        (("Outside the EU", "Germany"), "we live outside the EU", "Outside the EU"),
        (("House number 3", "House number 2"), "number 2", "House number 2"),
    ],
)
def test_what_every_option_says_may_be_left_out(options: tuple[str, ...], reply: str, option: str) -> None:
    assert understood(asking(*options, text="Which?"), reply) == option


@pytest.mark.parametrize("reply", ["option 2", "Option two.", "number 2", "no. 2", "the second option, please"])
def test_a_numbered_option_is_a_place_and_no_number_in_an_option(reply: str) -> None:
    assert understood(asking("2 months", "3 months", text="Which?"), reply) == "3 months"
    assert understood(asking("Two rooms", "Three rooms", text="Which?"), reply) == "Three rooms"


@pytest.mark.parametrize("reply", ["2", "2.", "two", "the 2 one"])
def test_a_bare_number_that_may_be_a_place_or_in_an_option_is_open(reply: str) -> None:
    assert understood(asking("2 months", "3 months", text="Which?"), reply) == reply
    assert understood(asking("Two rooms", "Three rooms", text="Which?"), reply) == reply


def test_a_bare_number_that_means_one_option_in_every_way_gives_it() -> None:
    assert understood(asking("1 month", "2 months", text="Which?"), "2") == "2 months"
    assert understood(asking("1 month", "3 months", text="Which?"), "3") == "3 months"


@pytest.mark.parametrize("reply", ["one second please", "just a second", "second, please", "at last!", "at first"])
def test_a_reply_that_says_more_than_a_place_is_no_place(reply: str) -> None:
    assert understood(asking("Monday", "Tuesday", text="Which?"), reply) == reply


def test_a_long_number_is_compared_in_full() -> None:
    asked = asking("4711001 spare part", "Other", text="Which article?")
    assert understood(asked, "4711002") == "4711002"
    assert understood(asked, "spare part 4711001") == "4711001 spare part"


def test_each_option_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def no_measures(text: str) -> list[QuantityMention]:
        read.append(text)
        return []

    monkeypatch.setattr(short_replies, "find_measures", no_measures)
    asked = asking(*(f"street {name} of the harbour" for name in "abcdefghijkl"), text="Which street is it?")
    for reply in ("street harbour", "street harbour street"):
        understood(asked, reply)
    assert len(read) == len(set(read)) + 1, "only the question is read again"


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
