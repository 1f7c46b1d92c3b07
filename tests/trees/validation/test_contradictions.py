"""Conditions on a number that the conditions above them have settled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import Json, action, condition, question, tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import Fact
from trees.validation.tree_problems import find_problems
from trees.walk import walk

YES, NO = action("yes"), action("no")
MILLIMETRES = {"x": {"type": "number", "unit": "mm"}}


def messages(data: Json) -> list[str]:
    return [problem.message for problem in find_problems(data)]


def settled(name: str, outcome: str) -> str:
    return f"“Label of {name}” is settled before it is reached: it can only be {outcome}."


def below(first: tuple[str, Any], second: tuple[str, Any], *, side: str = "true", **more: Any) -> Json:
    """A condition on x, and another one on the side where the first is true, or false."""
    sides = {"true": "no", "false": "no", side: "second"}
    return tree(condition("first", "x", *first, **sides), condition("second", "x", *second), YES, NO, **more)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (("gte", 18), ("lt", 18), "false"),
        (("gte", 18), ("gte", 18), "true"),
        (("gte", 18), ("gt", 17), "true"),
        (("gte", 18), ("eq", 17), "false"),
        (("gte", 18), ("in", [16, 17]), "false"),
        (("lte", 5), ("gt", 5), "false"),
        (("lte", 5), ("lt", 6), "true"),
        (("gt", 5), ("lte", 5), "false"),
        (("gt", 20), ("gt", 12), "true"),
        (("lt", 3), ("gt", 5), "false"),
        (("eq", 5), ("gte", 5), "true"),
        (("in", [5, 6]), ("lte", 6), "true"),
        (("in", [5, 6]), ("lt", 5), "false"),
    ],
)
def test_a_number_is_held_against_what_is_known_of_it(first, second, outcome):
    assert messages(below(first, second)) == [settled("second", outcome)]


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (("gte", 18), ("lt", 18), "true"),
        (("lt", 18), ("gte", 18), "true"),
        (("lte", 5), ("gt", 4), "true"),
        (("gt", 5), ("eq", 6), "false"),
    ],
)
def test_where_a_condition_is_false_its_opposite_is_known(first, second, outcome):
    assert messages(below(first, second, side="false")) == [settled("second", outcome)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("gte", 18), ("gt", 18)),
        (("gte", 18), ("lte", 18)),
        (("gte", 18), ("eq", 18)),
        (("gt", 12), ("gt", 20)),
        (("lte", 5), ("lt", 5)),
        (("in", [5, 7]), ("eq", 6)),
        (("contains", "5"), ("gt", 5)),
    ],
)
def test_what_may_come_out_either_way_is_open(first, second):
    declared = {"x": {"type": "number"}}
    assert messages(below(first, second, fields=declared)) == []


def test_units_are_compared():
    assert messages(below(("gte", "4.5 cm"), ("lt", "45 mm"), fields=MILLIMETRES)) == [settled("second", "false")]
    assert messages(below(("gte", "4.5 cm"), ("lt", "46 mm"), fields=MILLIMETRES)) == []


def test_at_least_and_at_most_the_same_number_leave_that_number():
    last = ("eq", "gte", "lte", "gt", "lt", "eq")
    for operator, value, outcome in zip(last, (5, 5, 5, 5, 5, 6), ("true",) * 3 + ("false",) * 3, strict=True):
        data = tree(
            condition("low", "x", "gte", 5, true="high"),
            condition("high", "x", "lte", 5, true="third"),
            condition("third", "x", operator, value),
            YES,
            NO,
        )
        assert messages(data) == [settled("third", outcome)]


def test_a_limit_that_is_ruled_out_is_no_longer_included():
    data = tree(
        condition("low", "x", "gte", 5, true="not_five"),
        condition("not_five", "x", "eq", 5, false="above"),
        condition("above", "x", "gt", 5),
        YES,
        NO,
    )
    assert messages(data) == [settled("above", "true")]


def test_a_condition_reached_by_two_ways_knows_what_both_leave():
    ways = question("ways", {"short": "few", "long": "many"})
    few, many = condition("few", "x", "gte", 10, true="both"), condition("many", "x", "gte", 20, true="both")
    assert messages(tree(ways, few, many, condition("both", "x", "lt", 10), YES, NO)) == [settled("both", "false")]
    assert messages(tree(ways, few, many, condition("both", "x", "lt", 15), YES, NO)) == []


def test_one_contradiction_is_reported_once():
    data = tree(
        condition("adult", "x", "gte", 18, true="minor"),
        condition("minor", "x", "lt", 18, true="child"),
        condition("child", "x", "lt", 6),
        YES,
        NO,
    )
    assert messages(data) == [settled("minor", "false")]


def test_numbers_of_another_fact_say_nothing():
    assert messages(tree(condition("a", "x", "gte", 18, true="b"), condition("b", "y", "lt", 18), YES, NO)) == []


limits = st.integers(0, 6).map(lambda half: half / 2)
checks = st.tuples(st.sampled_from(["eq", "gt", "gte", "lt", "lte"]), limits) | st.tuples(
    st.just("in"), st.lists(limits, min_size=1, max_size=3)
)
facts = st.integers(-1, 13).map(lambda quarter: quarter / 4)


@given(st.data(), st.lists(checks, min_size=2, max_size=6), st.lists(facts, min_size=1, max_size=15))
def test_no_number_takes_a_branch_that_is_said_to_be_closed(data, drawn, numbers):
    ends = len(drawn)
    nodes: list[Json] = []
    for place, (operator, value) in enumerate(drawn):
        onward = st.integers(place + 1, ends).map("n{}".format)
        nodes.append(condition(f"n{place}", "x", operator, value, true=data.draw(onward), false=data.draw(onward)))
    grown = tree(*nodes, action(f"n{ends}"), fields={"x": {"type": "number"}})
    warned = {one.node_id: one.message for one in find_problems(grown) if one.code == "already_decided"}
    for number in numbers:
        for step in walk(parse_tree(grown), {"x": Fact(value=number, source="request")}).path:
            if step.node_id in warned:
                assert warned[step.node_id].endswith(f"it can only be {step.result}.")
