"""Where “yes” and “no” answer a field's question, and where “no” only stands before a noun."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, question, tree, yes_no_tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import extract_facts, facts_from_request

FIELD = "flows_without_coffee"


def choice_tree(field: str = FIELD, *options: str) -> Tree:
    answers = dict.fromkeys(options or ("yes", "no"), "a")
    declared = {field: {"type": "choice", "options": list(answers)}}
    return parse_tree(tree(question("q", answers, extractFrom=field), action("a"), fields=declared))


def said(asked: Tree, text: str) -> object:
    return {name: fact.value for name, fact in extract_facts(asked, question=text).items()}


def replied(asked: Tree, text: str, field: str = FIELD) -> object:
    return facts_from_request(asked, {field: text})[0][field].value


@pytest.mark.parametrize(
    "text",
    [
        "No coffee flows. What do I do?",
        "There is no flow",
        "no coffee",
        "The pump hums and no coffee flows",
        "No flows",
        "without coffee no water comes",
        "flows without coffee: no?",
        "flows without coffee, no problem",
        "It hums. No coffee flows, no?",
        "water flows fine without coffee",
        "No",
    ],
)
def test_no_in_a_question_is_no_answer_to_another_one(text: str):
    assert said(choice_tree(), text) == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("flows without coffee: no", "no"),
        ("flows without coffee: yes. What now?", "yes"),
        ("It hums, flows without coffee: no, what now?", "no"),
        ("flows without coffee = yes", "yes"),
        ("flows without coffee no", "no"),
    ],
)
def test_behind_the_name_at_the_end_of_a_clause_it_answers(text: str, value: str):
    assert said(choice_tree(), text) == {FIELD: value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("Yes.", "yes"),
        ("No, it hums", "no"),
        ("yes it does", "yes"),
        ("no it doesn't", "no"),
        ("No there is none", "no"),
        ("The water stands. No.", "no"),
        ("yes, no problem", "yes"),
    ],
)
def test_a_reply_answers_with_the_text_or_a_clause(text: str, value: str):
    assert replied(choice_tree(), text) == value


@pytest.mark.parametrize(
    "text",
    [
        "No coffee flows",
        "no idea",
        "No, I don't know",
        "no, not sure",
        "yes or no",
        "No, wait, yes",
        "yes, no, yes",
        "yes it does not",
        "no it does",
        "It hums, no?",
    ],
)
def test_an_unclear_reply_is_asked_again(text: str):
    assert replied(choice_tree(), text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have no receipt", {"receipt": "no"}),
        ("I have no receipt for the lunch", {"receipt": "no"}),
        ("no receipt book", {}),
        ("I have no, receipt", {}),
        ("the receipt no. 12", {}),
        ("What is my receipt no?", {}),
        ("I have the receipt, no.", {}),
    ],
)
def test_no_denies_the_thing_that_a_field_is_named_after(text: str, expected: object):
    assert said(choice_tree("receipt"), text) == expected


@pytest.mark.parametrize("options", [("yes", "no", "it depends"), ("true", "false")])
def test_it_is_the_same_whatever_else_is_offered(options: tuple[str, ...]):
    asked = choice_tree(FIELD, *options)
    assert said(asked, "No coffee flows. Is it true that I should grind coarser?") == {}
    assert said(asked, f"flows without coffee: {options[0]}") == {FIELD: options[0]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("galvanised: no", {"galvanised": False}),
        ("galvanised: yes", {"galvanised": True}),
        ("not galvanised: no", {}),
        ("No, is it wet?", {}),
    ],
)
def test_a_yes_no_field_is_answered_behind_its_name(text: str, expected: object):
    assert said(yes_no_tree("galvanised", "eq", True), text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [("No, it is wood", False), ("yes it is", True), ("galvanised: no", False), ("No, it is galvanised", None)],
)
def test_a_reply_to_a_yes_no_field_is_read_the_same_way(text: str, value: bool | None):
    expected = text if value is None else value
    assert replied(yes_no_tree("galvanised", "eq", True), text, "galvanised") == expected


def test_nothing_denies():
    assert said(yes_no_tree("flows_without_coffee", "eq", True), "Nothing flows without coffee") == {FIELD: False}


@pytest.mark.parametrize(
    "text",
    [
        "There is nothing wrong with the receipt",
        "Nothing happened to the receipt",
        "The shop has nothing against my receipt",
        "I need nothing besides a receipt",
    ],
)
def test_nothing_denies_only_what_follows_at_once(text: str):
    assert said(yes_no_tree("receipt", "eq", True), text) == {}
    assert said(yes_no_tree("damaged", "eq", True), "nothing was damaged") == {"damaged": False}


def test_an_article_is_no_option():
    asked = parse_tree(tree(question("class", {"A": "a", "B": "a"}, extractFrom="class"), action("a")))
    assert said(asked, "Which concrete for a class of beams?") == {}


@given(st.lists(st.sampled_from(["coffee", "water", "flow", "flows", "the", "pump", "hums", "sound"]), min_size=1))
def test_no_before_words_that_are_not_the_whole_name_says_nothing(words: list[str]):
    text = f"There is no {' '.join(words)} here"
    assert said(choice_tree(), text) == {}
    assert replied(choice_tree(), text) == text
