from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.pages.conftest import TREE
from trees.definition.key_order import order_tree_keys
from trees.definition.starter_trees import EXAMPLE_TREE

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
parts = st.sampled_from(["rootNodeId", "nodes", "a", "b", "question", "options", "childrenByAnswer", "trueChildId"])
like_a_tree = st.recursive(anything, lambda inner: st.dictionaries(parts, inner, max_size=5), max_leaves=20)


@given(anything | like_a_tree)
def test_only_the_order_changes(value: Any) -> None:
    assert order_tree_keys(value) == value


def test_nodes_follow_the_way_through_the_tree() -> None:
    shuffled = json.loads(json.dumps(TREE, sort_keys=True))
    ordered = order_tree_keys(shuffled)
    assert list(ordered) == ["rootNodeId", "nodes"]
    assert list(ordered["nodes"]) == ["place", "steel", "none"]
    assert list(ordered["nodes"]["place"]) == ["id", "type", "label", "question", "childrenByAnswer"]
    assert list(ordered["nodes"]["place"]["childrenByAnswer"]) == ["on site", "in the office"]


def test_the_starter_reads_as_it_was_written() -> None:
    kept = json.loads(json.dumps(EXAMPLE_TREE, sort_keys=True))
    assert json.dumps(order_tree_keys(kept)["nodes"]["size"]) == json.dumps(EXAMPLE_TREE["nodes"]["size"])
    assert list(order_tree_keys(kept)["nodes"]) == [
        "exposure",
        "cover_mild",
        "size",
        "cover_thick",
        "cover_severe",
    ]
