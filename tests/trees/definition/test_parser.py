from __future__ import annotations

import pytest

from tests.trees.growing import action, condition, cover_tree_data, question, tree
from trees.definition.fields import collect_fields
from trees.definition.nodes import Condition, FieldDeclaration, TreeAction, TreeQuestion
from trees.definition.parser import InvalidTree, parse_tree


def codes(data: object) -> set[str]:
    with pytest.raises(InvalidTree) as caught:
        parse_tree(data)
    return {problem.code for problem in caught.value.problems}


def test_a_condition_node_is_read():
    parsed = parse_tree(tree(condition("c", "span", "gt", 6, true="yes", false=None), action("yes")))
    node = parsed.nodes["c"]
    assert node.condition == Condition(field="span", operator="gt", value=6)
    assert (node.true_child, node.false_child) == ("yes", None)


@pytest.mark.parametrize("operator", ["gte", "lte"])
def test_at_least_and_at_most_are_operators(operator):
    parsed = parse_tree(tree(condition("c", "age", operator, 18), action("yes"), action("no")))
    assert parsed.nodes["c"].condition == Condition(field="age", operator=operator, value=18)
    assert collect_fields(parsed)["age"].type == "number"


def test_a_list_of_values_is_read_as_a_tuple():
    parsed = parse_tree(tree(condition("c", "member", "in", ["beam", "slab"]), action("yes"), action("no")))
    assert parsed.nodes["c"].condition.value == ("beam", "slab")


def test_a_question_node_is_read_with_its_synonyms():
    parsed = parse_tree(
        tree(question("q", {"Wet": "a"}, extractFrom="exposure", synonyms={"Wet": ["damp"]}), action("a"))
    )
    node = parsed.nodes["q"]
    assert node.question == TreeQuestion(
        text="Which q?", options=("Wet",), extract_from="exposure", synonyms={"Wet": ("damp",)}
    )
    assert node.children_by_answer == {"Wet": "a"}


def test_an_action_node_is_read():
    parsed = parse_tree(tree(action("a", "Use Table 19", sourceHint="Table 19", severity="critical")))
    assert parsed.nodes["a"].action == TreeAction(
        recommendation="Use Table 19", source_hint="Table 19", severity="critical"
    )


def test_declared_fields_are_read():
    parsed = parse_tree(tree(action("a"), fields={"span": {"type": "number", "unit": "m", "question": "How long?"}}))
    assert parsed.fields == {"span": FieldDeclaration(type="number", unit="m", question="How long?")}


def test_unknown_keys_are_left_out():
    data = {**tree({**action("a"), "position": {"x": 1, "y": 2}}), "zoom": 3, "id": "t", "name": "Cover"}
    parsed = parse_tree(data)
    assert parsed.name == "Cover"
    assert parsed == parse_tree({**tree(action("a")), "name": "Cover"})


def test_a_tree_whose_parts_do_not_fit_together_can_still_be_read():
    assert parse_tree(tree(question("q", {"yes": "nowhere"}))).root_id == "q"


def test_every_problem_of_the_form_is_carried_by_the_error():
    broken = tree({**action("a"), "label": ""}, {**action("b"), "type": "loop"}, {**action("c"), "id": "d"})
    broken["nodes"] = {"a": broken["nodes"]["a"], "b": broken["nodes"]["b"], "c": broken["nodes"]["d"]}
    assert codes(broken) == {"missing_label", "unknown_type", "id_mismatch"}


@pytest.mark.parametrize("data", [None, [], "tree", 3, True])
def test_a_tree_is_an_object(data):
    assert codes(data) == {"not_a_tree"}


@pytest.mark.parametrize(
    "declaration",
    [
        "number",
        {"type": "length"},
        {"type": ["number"]},
        {"type": "number", "unit": "furlong"},
        {"type": "choice", "unit": "mm"},
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(declaration):
    assert codes(tree(action("a"), fields={"x": declaration})) == {"bad_field"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nul \0", "half \ud800"])
def test_what_the_database_cannot_store_is_refused_even_in_an_unknown_key(value):
    assert codes({**tree(action("a")), "note": [value]}) == {"unreadable_text"}


def test_a_value_nested_too_deeply_is_refused():
    nested: list = []
    for _ in range(5000):
        nested = [nested]
    assert codes({**tree(action("a")), "note": nested}) == {"too_large"}


def test_a_tree_of_too_many_nodes_is_refused():
    assert "too_large" in codes(tree(*(action(f"a{number}") for number in range(2001))))


def test_a_text_that_is_too_long_is_refused():
    assert codes(tree(action("a", "x" * 2001))) == {"too_long"}


def test_an_invalid_tree_is_an_error_of_the_caller():
    with pytest.raises(InvalidTree) as caught:
        parse_tree({})
    assert caught.value.status == 400
    assert caught.value.as_dict()["code"] == "invalid_tree"
    assert caught.value.message.startswith("The decision tree cannot be read. The tree does not say")


def test_the_example_tree_is_read():
    assert set(parse_tree(cover_tree_data()).nodes) == set(cover_tree_data()["nodes"])
