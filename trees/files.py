"""A tree in a file of its own: its JSON, with its name, its description and its test cases beside the nodes."""

from __future__ import annotations

from typing import Any

from trees.draft import Draft, InvalidDraft, read_draft
from trees.models import DecisionTree
from trees.reading_order import in_reading_order


def to_file(tree: DecisionTree) -> dict[str, Any]:
    """The whole tree as one JSON object; `from_file` reads the same tree from it."""
    own = tree.tree_data if isinstance(tree.tree_data, dict) else {}
    cases = [case.as_dict() for case in tree.cases.all()]
    beside = {"name": tree.name, "description": tree.description}
    return {**in_reading_order({**own, **beside}), **({"cases": cases} if cases else {})}


def from_file(data: object, *, name: str = "") -> Draft:
    """The draft in such an object; `name` is for a file that has none. Raises InvalidDraft and InvalidCase.

    A file without a single node is refused: it is hardly a tree that somebody meant to bring in.
    """
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), dict) or not data["nodes"]:
        raise InvalidDraft('This file holds no tree: a tree is {"rootNodeId": "…", "nodes": {…}}.')
    beside = ("name", "description", "cases")
    return read_draft(
        {
            "name": data.get("name") or name,
            "description": data.get("description") or "",
            "cases": data.get("cases", []),
            "tree": {key: value for key, value in data.items() if key not in beside},
        }
    )
