"""The nodes of a tree, in the order in which they are read."""

from __future__ import annotations

from tests.trees.growing import action, question, tree
from trees.definition.parser import parse_tree


def ids(data):
    return [node.id for node in parse_tree(data).nodes_from_root]


def test_nodes_come_from_the_root_on_whatever_the_database_does_to_their_order():
    first = question("a_root", {"yes": "z_ask", "no": "b_end"}, text="Is it wet?")
    nodes = [action("b_end", "One coat."), action("c_end", "Two coats."), action("d_end", "Three coats.")]
    asked = question("z_ask", {"steel": "d_end", "wood": "c_end"}, text="What is painted?")
    assert ids(tree(first, *nodes, asked)) == ["a_root", "z_ask", "b_end", "d_end", "c_end"]


def test_answers_come_as_they_are_offered():
    offered = question("root", {"a": "a_end", "b": "b_end"}, text="Which?", options=["b", "a"])
    assert ids(tree(offered, action("a_end", "A."), action("b_end", "B."))) == ["root", "b_end", "a_end"]


def test_what_no_way_reaches_is_left_out_and_a_circle_ends():
    circle = question("root", {"a": "root", "b": "end"}, text="Which?")
    assert ids(tree(circle, action("end", "Stop."), action("alone", "Never."))) == ["root", "end"]


def test_a_child_that_does_not_exist_is_passed_over():
    assert ids(tree(question("root", {"a": "nowhere", "b": "end"}, text="Which?"), action("end", "Stop."))) == [
        "root",
        "end",
    ]
