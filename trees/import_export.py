"""A tree in a file of its own: its JSON, with its name, its description and its test cases beside the nodes."""

from __future__ import annotations

from typing import Any

from trees.definition.key_order import order_tree_keys
from trees.drafts import InvalidDraft, TreeDraft, parse_draft
from trees.models import DecisionTree


def export_tree(tree: DecisionTree) -> dict[str, Any]:
    """The whole tree as one JSON object; `parse_tree_file` reads the same tree from it."""
    own = tree.tree_data if isinstance(tree.tree_data, dict) else {}
    cases = [case.as_dict() for case in tree.cases.all()]
    beside = {"name": tree.name, "description": tree.description}
    return {**order_tree_keys({**own, **beside}), **({"cases": cases} if cases else {})}


def parse_tree_file(data: object, *, name: str = "") -> TreeDraft:
    """The draft in such an object; `name` is for a file that has none. Raises InvalidDraft and InvalidCase.

    A file without a single node is refused: it is hardly a tree that somebody meant to bring in.
    """
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), dict) or not data["nodes"]:
        raise InvalidDraft('This file holds no tree: a tree is {"rootNodeId": "…", "nodes": {…}}.')
    beside = ("name", "description", "cases")
    return parse_draft(
        {
            "name": data.get("name") or name,
            "description": data.get("description") or "",
            "cases": data.get("cases", []),
            "tree": {key: value for key, value in data.items() if key not in beside},
        }
    )
