from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, condition, cover_tree_data, question, tree
from trees.definition.nodes import Problem
from trees.definition.parser import InvalidTree, parse_tree
from trees.validation.tree_problems import find_problems

YES, NO = action("yes"), action("no")


def found(data: object) -> list[tuple[str, str | None]]:
    return [(problem.code, problem.node_id) for problem in find_problems(data)]


def errors_of(data: object) -> list[Problem]:
    return [problem for problem in find_problems(data) if problem.is_error]


def changed(data: dict, **changes: object) -> dict:
    """The tree with the keys of its first node changed."""
    data = copy.deepcopy(data)
    data["nodes"][data["rootNodeId"]] |= changes
    return data


SINGLE = tree(action("a"))
CHECK = tree(condition("c", "span", "gt", 6), YES, NO)
ASK = tree(question("q", {"beam": "yes", "slab": "no"}), YES, NO)


@pytest.mark.parametrize("data", [SINGLE, CHECK, ASK, cover_tree_data()])
def test_a_good_tree_has_no_problems(data):
    assert find_problems(data) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([], [("not_a_tree", None)]),
        ({"nodes": SINGLE["nodes"]}, [("missing_root", None)]),
        ({**SINGLE, "rootNodeId": "z"}, [("missing_root", None)]),
        ({**SINGLE, "rootNodeId": 3}, [("missing_root", None)]),
        ({"rootNodeId": "a"}, [("no_nodes", None)]),
        ({"rootNodeId": "a", "nodes": {}}, [("no_nodes", None)]),
        ({"rootNodeId": "a", "nodes": {"a": 3}}, [("not_a_node", "a")]),
        (changed(SINGLE, type="loop"), [("unknown_type", "a")]),
        (changed(SINGLE, type=["action"]), [("unknown_type", "a")]),
        (changed(SINGLE, id="b"), [("id_mismatch", "a")]),
        (tree({**action("a"), "id": "a"} | {"label": None}), [("missing_label", "a")]),
        (changed(SINGLE, label="  "), [("missing_label", "a")]),
        (changed(SINGLE, label=3), [("missing_label", "a")]),
        (changed(SINGLE, action=None), [("missing_recommendation", "a"), ("missing_source_hint", "a")]),
        (changed(SINGLE, action={"recommendation": "", "sourceHint": "x"}), [("missing_recommendation", "a")]),
        (tree(action("a", severity="fatal")), [("unknown_severity", "a")]),
        (tree(action("a", sourceHint="")), [("missing_source_hint", "a")]),
        (tree(action("a", sourceHint=3)), [("wrong_type", "a"), ("missing_source_hint", "a")]),
        (changed(CHECK, condition=None), [("missing_condition", "c")]),
        (changed(CHECK, condition={"operator": "eq", "value": "x"}), [("missing_field", "c")]),
        (tree(condition("c", "span", "ge", 6), YES, NO), [("unknown_operator", "c")]),
        (tree(condition("c", "span", ["gt"], 6), YES, NO), [("unknown_operator", "c")]),
        (changed(CHECK, trueChildId=None), [("missing_child", "c"), ("unreachable", "yes")]),
        (changed(CHECK, falseChildId=""), [("missing_child", "c"), ("unreachable", "no")]),
        (changed(CHECK, trueChildId=4), [("wrong_type", "c"), ("missing_child", "c"), ("unreachable", "yes")]),
        (changed(CHECK, trueChildId="z"), [("dangling_child", "c"), ("unreachable", "yes")]),
        (changed(ASK, question=None), [("missing_question", "q")]),
        (changed(ASK, question={"text": " "}), [("missing_question", "q")]),
        (tree(question("q", {}, options=["beam"])), [("missing_child", "q")]),
        (tree(question("q", {"beam": "z"})), [("dangling_child", "q")]),
        (tree({**question("q", {}), "childrenByAnswer": ["a"]}), [("wrong_type", "q"), ("missing_child", "q")]),
        (tree(question("q", {"beam": 3}, options=[])), [("wrong_type", "q"), ("missing_child", "q")]),
        (tree(question("q", {"beam": "yes"}, options=["beam", "slab"]), YES), [("unmatched_answer", "q")]),
        (tree(question("q", {"beam": "yes", "slab": "yes"}, options=["beam"]), YES), [("unmatched_answer", "q")]),
        (tree(question("q", {"Beam": "yes", " beam": "yes"}, options=["beam"]), YES), [("same_answer", "q")]),
        (tree(question("q", {"beam": "yes"}, synonyms={"beam": "girder"}), YES), [("wrong_type", "q")]),
        (tree(action("a"), action("b")), [("unreachable", "b")]),
        (tree(question("q", {"again": "q", "on": "yes"}), YES), [("cycle", "q")]),
        (
            tree(question("q", {"again": "r"}), question("r", {"again": "q"})),
            [("cycle", "r"), ("dead_end", "q")],
        ),
        (tree(action("a"), fields={"x": {"type": "length"}}), [("bad_field", None)]),
    ],
)  # fmt: skip
def test_each_problem_is_named_at_its_node(data, expected):
    assert found(data) == expected


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        ("in", "beam"),
        ("in", []),
        ("in", [["beam"]]),
        ("in", None),
        ("eq", None),
        ("eq", ["beam"]),
        ("eq", {}),
        ("eq", ""),
        ("gt", [1]),
        ("gt", "long"),
        ("gte", "long"),
        ("lt", True),
        ("lte", [1]),
        ("gt", 10**400),
        ("contains", 3),
    ],
)
def test_a_value_that_does_not_suit_its_operator_is_a_problem(operator, value):
    assert found(tree(condition("c", "x", operator, value), YES, NO)) == [("wrong_value", "c")]


@pytest.mark.parametrize(
    ("declared", "operator", "value"),
    [
        ({"type": "number", "unit": "mm"}, "gt", "4 kg"),
        ({"type": "number", "unit": "mm"}, "eq", "long"),
        ({"type": "boolean"}, "eq", "severe"),
        ({"type": "choice", "options": ["a", "b"]}, "gt", 3),
        ({"type": "text"}, "lt", 3),
        ({"type": "boolean"}, "gte", 3),
        ({"type": "text"}, "lte", 3),
        ({"type": "number", "unit": "mm"}, "lte", "4 kg"),
    ],
)
def test_a_value_that_does_not_suit_its_field_is_a_problem(declared, operator, value):
    data = tree(condition("c", "x", operator, value), YES, NO, fields={"x": declared})
    assert found(data) == [("wrong_value", "c")]


def test_a_value_outside_the_options_is_a_warning():
    data = tree(
        condition("c", "exposure", "eq", "extreme"),
        YES,
        NO,
        fields={"exposure": {"type": "choice", "options": ["mild", "severe"]}},
    )
    assert found(data) == [("not_an_option", "c")]
    assert errors_of(data) == []


def test_all_problems_are_reported_at_once():
    data = tree(
        condition("c", "span", "ge", 6, true="q", false="z"),
        {**question("q", {"beam": "a"}, options=["beam", "slab"]), "label": ""},
        {**action("a"), "type": "?"},
        action("lost"),
    )
    assert sorted(found(data)) == [
        ("dangling_child", "c"),
        ("missing_label", "q"),
        ("unknown_operator", "c"),
        ("unknown_type", "a"),
        ("unmatched_answer", "q"),
        ("unreachable", "lost"),
    ]


def test_what_a_node_that_cannot_be_read_leads_to_is_still_reachable():
    data = tree({**question("q", {"beam": "yes"}), "type": "query"}, YES)
    assert found(data) == [("unknown_type", "q")]


def test_errors_come_before_warnings():
    data = tree(question("q", {"beam": "a", "slab": "z"}), action("a", sourceHint=""))
    assert [problem.severity for problem in find_problems(data)] == ["error", "warning"]


def test_every_error_says_what_is_wrong_in_a_sentence():
    for problem in find_problems(tree(condition("c", "x", "in", "y", true=None, false="z"), action("lost"))):
        assert problem.message.endswith((".", "!"))
        assert problem.as_dict()["node"] == problem.node_id


def test_a_tree_that_is_too_deep_is_a_problem():
    chain = [question(f"q{number}", {"on": f"q{number + 1}"}) for number in range(200)]
    assert ("too_deep", None) in found(tree(*chain, action("q200")))


def test_a_long_chain_does_not_exhaust_the_stack():
    chain = [question(f"q{number}", {"on": f"q{number + 1}"}) for number in range(1999)]
    assert found(tree(*chain, action("q1999"))) == [("too_deep", None)]


class TestContradictions:
    def test_a_condition_asked_again_below_its_false_branch_is_a_warning(self):
        first = condition("first", "exposure", "eq", "severe", true="yes", false="second")
        again = condition("second", "exposure", "eq", "severe", true="yes", false="no")
        assert found(tree(first, again, YES, NO)) == [("already_decided", "second")]

    def test_a_condition_that_an_answer_settled_is_a_warning(self):
        ask = question("q", {"mild": "no", "severe": "c"}, extractFrom="exposure")
        check = condition("c", "exposure", "eq", "Severe")
        assert found(tree(ask, check, YES, NO)) == [("already_decided", "c")]

    def test_a_condition_reached_by_two_ways_is_open(self):
        ask = question("q", {"mild": "c", "severe": "c"}, extractFrom="exposure")
        check = condition("c", "exposure", "eq", "severe")
        assert find_problems(tree(ask, check, YES, NO)) == []

    def test_a_question_asked_twice_is_a_warning(self):
        ask = question("q", {"mild": "no", "severe": "r"}, extractFrom="exposure")
        again = question("r", {"mild": "no", "severe": "yes"}, extractFrom="exposure")
        assert found(tree(ask, again, YES, NO)) == [("already_decided", "r")]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ids = st.sampled_from(["a", "b", "c", "d", ""])
node_like = st.fixed_dictionaries(
    {},
    optional={
        "id": ids | json_values,
        "type": st.sampled_from(["condition", "question", "action"]) | json_values,
        "label": st.text(max_size=5) | json_values,
        "condition": st.fixed_dictionaries(
            {},
            optional={
                "field": st.sampled_from(["x", "y"]) | json_values,
                "operator": st.sampled_from(["eq", "gt", "gte", "lt", "lte", "in", "contains"]) | json_values,
                "value": json_values,
            },
        )
        | json_values,
        "trueChildId": ids | json_values,
        "falseChildId": ids | json_values,
        "question": st.fixed_dictionaries(
            {"text": st.text()},
            optional={
                "options": json_values,
                "extractFrom": st.sampled_from(["x", "y"]) | json_values,
                "synonyms": json_values,
            },
        )
        | json_values,
        "childrenByAnswer": st.dictionaries(st.text(max_size=4), ids, max_size=3) | json_values,
        "action": st.fixed_dictionaries({"recommendation": st.text()}) | json_values,
    },
)
tree_like = st.fixed_dictionaries(
    {"rootNodeId": ids | json_values, "nodes": st.dictionaries(ids, node_like, max_size=4)},
    optional={"fields": st.dictionaries(st.sampled_from(["x", "y"]), json_values, max_size=2) | json_values},
)


@given(json_values | tree_like)
def test_no_json_whatever_makes_the_check_fail(data):
    assert find_problems(data) == find_problems(data)


@given(json_values | tree_like)
def test_what_has_no_errors_can_be_read_and_what_cannot_be_read_has_errors(data):
    refused = []
    try:
        parse_tree(data)
    except InvalidTree as error:
        refused = error.problems
    assert set(refused) <= set(errors_of(data))


@pytest.mark.parametrize(
    "declared",
    [{"coating": {"type": "boolean"}}, {"coating": {"type": "number", "unit": "mm"}}],
)
def test_an_option_that_is_no_value_of_its_field_is_a_warning(declared):
    asked = question("ask", {"Yes, coated": "a", "No, bare": "b"}, extractFrom="coating")
    problems = find_problems(tree(asked, action("a"), action("b"), fields=declared))
    assert [(one.code, one.severity) for one in problems] == [("not_a_value", "warning")] * 2
    assert problems[0].message.startswith("“Yes, coated” is not a value of coating, which is a ")


def test_an_option_that_a_condition_makes_a_number_is_a_warning():
    asked = question("ask", {"short": "check", "long": "b"}, extractFrom="span")
    data = tree(asked, condition("check", "span", "gt", 6, true="a", false="b"), action("a"), action("b"))
    assert [problem.code for problem in find_problems(data)] == ["not_a_value", "not_a_value"]


def test_a_synonym_of_yes_is_a_value():
    asked = question("ask", {"Yes, coated": "a", "no": "b"}, extractFrom="coating")
    declared = {"coating": {"type": "boolean", "synonyms": {"yes": ["Yes, coated"]}}}
    assert find_problems(tree(asked, action("a"), action("b"), fields=declared)) == []
