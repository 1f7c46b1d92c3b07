"""Facts that are given as a bound decide what they settle, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, condition, question, tree, yes_no_tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import extract_facts, facts_as_json, facts_from_request
from trees.walk import MissingFact, Walk, decision_path, resolves_missing_fact, walk


def days_tree(operator: str = "gte", limit: float = 30) -> Tree:
    return yes_no_tree("employed", operator, limit, fields={"employed": {"type": "number", "unit": "days"}})


def walked(asked: Tree, text: str) -> Walk:
    return walk(asked, extract_facts(asked, question=text))


def decision(asked: Tree, text: str) -> str:
    """“true”, “false”, or “asked”."""
    found = walked(asked, text)
    return found.action.recommendation if found.action else "asked"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have worked there for at least 30 days", "true"),
        ("I have worked there for at least 20 days", "asked"),
        ("I have worked there for more than 30 days", "true"),
        ("over 30 days", "true"),
        ("30 days or more", "true"),
        ("30 days at least", "true"),
        (">= 30 days", "true"),
        ("≥30 days", "true"),
        ("> = 30 days", "true"),
        ("no less than 30 days", "true"),
        ("less than 30 days", "false"),
        ("under 30 days", "false"),
        ("below 30 days", "false"),
        ("<30 days", "false"),
        ("up to 20 days", "false"),
        ("up to 30 days", "asked"),
        ("at most 29 days", "false"),
        ("10 days or fewer", "false"),
        ("no more than 29 days", "false"),
        ("employed: 30+", "true"),
        ("I was away for weeks. I have worked for more than 30 days", "true"),
        ("I was never away. More than 30 days I have worked there", "true"),
        ("I have worked there for at least\n30 days", "true"),
        ("30 days and over", "true"),
        ("30 days and more, in Spain", "true"),
        ("29 days and under", "false"),
        ("30 days at the least", "true"),
        ("at the least 30 days", "true"),
        ("at the most 29 days", "false"),
        ("in excess of 30 days", "true"),
        ("my days exceed 30 days", "true"),
        ("limited to 29 days", "false"),
        ("capped at 29 days", "false"),
        ("no later than 29 days", "false"),
        ("beneath 30 days", "false"),
        ("it falls short of 30 days", "false"),
        ("starting from 30 days", "true"),
        ("30 days or later", "true"),
        ("-> 30 days", "true"),
        ("--> 29 days", "false"),
        ("==> 29 days", "false"),
        ("employed -> 31 days", "true"),
        ("30 days and over 40 kg", "true"),
        ("employed:30 days in Spain and under contract", "true"),
    ],
)
def test_a_bound_decides_where_every_number_within_it_does(text: str, expected: str) -> None:
    assert decision(days_tree(), text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I have not worked there for more than 30 days",
        "I have not been working at that company for more than 30 days",
        "I have never been there for over 30 days",
        "not at least 30 days",
        "almost more than 30 days",
        "I have not worked there for 30 days or more",
        "between 30 and 40 days",
        "at least 30 or 40 days",
        "over 30 days, over 40 days",
        "other than 30 days",
        "Is the minimum 30 days?",
        "minimum 30 days",
        "30 days or more are not enough",
        "max. 40 days",
        "29 days and over",
        "29 days and more, in Spain",
        "29 days at the least",
        "in excess of 29 days",
        "my days exceed 29 days",
        "limited to 40 days",
        "capped at 40 days",
        "within 10 days",
        "May I park within 5 days?",
        "I am unable to work more than 30 days",
        "It was rarely more than 30 days",
        "It was hardly more than 30 days",
        "I doubt that it is more than 30 days",
        "few work over 30 days",
        "I have not been employed there for\nmore than 30 days",
        "I have not been there, i.e. for more than 30 days",
        "I was never away, e.g. for more than 30 days",
        "I was never away, e.g. 30 days or more",
        "<> 30 days",
        "=> 20 days",
        "employed <b>30 days</b>",
        "Hello,\n> 30 days employed",
        "> 30 days employed\nWhat does this mean?",
        ">> 30 days",
        "over\n20 days",
        "not in excess of 30 days",
        "I do not exceed 30 days",
        "30 days and over in Spain",
        "30 days and over are not enough",
    ],
)
def test_a_bound_that_is_not_clear_is_asked_for(text: str) -> None:
    assert decision(days_tree(), text) == "asked"


@given(st.sampled_from(["gt", "gte", "lt", "lte"]), st.integers(0, 9), st.integers(0, 9), st.integers(0, 40))
def test_no_number_within_a_bound_would_have_led_elsewhere(operator: str, limit: int, said: int, quarters: int) -> None:
    number = quarters / 4
    asked = days_tree(operator, limit)
    words = {
        f"at least {said} days": number >= said,
        f"over {said} days": number > said,
        f"at most {said} days": number <= said,
        f"under {said} days": number < said,
    }
    exact = walk(asked, facts_from_request(asked, {"employed": number})[0])
    for text, holds in words.items():
        if holds and (found := walked(asked, text).action):
            assert exact.action == found


def test_the_path_shows_the_bound_as_it_was_said() -> None:
    found = walked(days_tree(), "I have worked there for at least 30 days.")
    assert decision_path(found)[0] == {
        "step": 1,
        "node": "check",
        "label": "Label of check",
        "result": "true",
        "value": "at least 30 days",
    }


def test_a_bound_is_no_number_anywhere() -> None:
    found = walked(days_tree(), "I have worked there for at least 30 days.")
    assert set(found.facts_used) == {"employed"}
    assert facts_as_json(found.facts_used) == {}


def test_one_bound_may_settle_one_condition_and_leave_the_next_open() -> None:
    fields = {"people": {"type": "number", "question": "How many people come?"}}
    large = condition("large", "people", "gt", 20, true="hall", false="small")
    small = condition("small", "people", "gt", 4, true="room", false="table")
    asked = parse_tree(tree(large, small, action("hall"), action("room"), action("table"), fields=fields))
    found = walked(asked, "Where do we meet? We are up to 20 people.")
    assert [step.result for step in found.path] == ["false", "not evaluated"]
    assert found.missing is not None
    assert found.missing.question == "How many people come?"


def test_a_question_with_options_is_asked_although_a_bound_is_known() -> None:
    node = question("rooms", {"2": "a", "3": "a"}, extractFrom="rooms")
    asked = parse_tree(tree(node, action("a"), fields={"rooms": {"type": "number"}}))
    assert walked(asked, "at least 2 rooms").missing is not None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("at least 30", "true"),
        ("over 40 days", "true"),
        ("30+", "true"),
        ("under 18.", "false"),
        ("It is over 40 days, and in Spain", "true"),
        ("over 20", None),
        ("not over 40", None),
        ("over 40 kg", None),
    ],
)
def test_a_bound_may_answer_what_a_tree_asks(reply: str, expected: str | None) -> None:
    asked = days_tree()
    facts, _ = facts_from_request(asked, {"employed": reply})
    found = walk(asked, facts)
    assert (found.action and found.action.recommendation) == expected
    missing = MissingFact(field="employed", question="?", options=(), node_id="check")
    assert resolves_missing_fact(asked, missing, facts["employed"].value) == (expected is not None)
    again, _ = facts_from_request(asked, facts_as_json(facts))
    assert walk(asked, again).path == found.path


def test_a_bound_of_the_question_counts_more_than_a_number_that_was_said_before() -> None:
    asked = days_tree()
    facts = extract_facts(asked, question="And for over 20 days?", context=["I am there for 40 days"])
    assert walk(asked, facts).missing is not None


def test_a_bound_in_words_with_how_often_answers_what_a_tree_asks() -> None:
    asked = yes_no_tree("times", "gt", 3, fields={"times": {"type": "number"}})
    for reply, expected in {"more than five times": "true", "at most three times": "false"}.items():
        found = walk(asked, facts_from_request(asked, {"times": reply})[0])
        assert found.action is not None
        assert found.action.recommendation == expected
