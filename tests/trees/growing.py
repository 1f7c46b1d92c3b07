"""Trees for the tests, written the way authors write them."""

from __future__ import annotations

from typing import Any

from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree

Json = dict[str, Any]


def action(node_id: str, recommendation: str = "45mm", **more: Any) -> Json:
    details = {"recommendation": recommendation, "sourceHint": "Table 16", **more}
    return {"id": node_id, "type": "action", "label": f"Label of {node_id}", "action": details}


def question(node_id: str, answers: dict[str, str], **more: Any) -> Json:
    asked = {"text": f"Which {node_id}?", "options": list(answers), **more}
    return {
        "id": node_id,
        "type": "question",
        "label": f"Label of {node_id}",
        "question": asked,
        "childrenByAnswer": answers,
    }


def condition(
    node_id: str, field: str, operator: str, value: Any, *, true: str | None = "yes", false: str | None = "no"
) -> Json:
    return {
        "id": node_id,
        "type": "condition",
        "label": f"Label of {node_id}",
        "condition": {"field": field, "operator": operator, "value": value},
        "trueChildId": true,
        "falseChildId": false,
    }


def tree(*nodes: Json, **more: Any) -> Json:
    """A tree that starts at its first node."""
    return {"rootNodeId": nodes[0]["id"], "nodes": {node["id"]: node for node in nodes}, **more}


def yes_no_tree(field: str, operator: str, value: Any, **more: Any) -> Tree:
    """One condition that leads to the recommendation `true` or `false`."""
    return parse_tree(
        tree(condition("check", field, operator, value), action("yes", "true"), action("no", "false"), **more)
    )


def cover_tree_data() -> Json:
    """The minimum cover of a concrete member."""
    exposure = question(
        "exposure_check",
        {"mild": "mild_cover", "moderate": "moderate_cover", "severe": "member_type"},
        text="What is the exposure condition?",
        extractFrom="exposure",
        synonyms={"severe": ["exposed to weather", "coastal", "wet"], "mild": ["indoors"]},
    )
    member = question(
        "member_type",
        {"beam": "cover_lookup", "slab": "slab_cover"},
        text="What kind of member is it?",
        extractFrom="member_type",
    )
    return tree(
        {**exposure, "label": "Exposure condition?"},
        {**member, "label": "Member type?"},
        {**action("cover_lookup", "45mm"), "label": "Look up cover"},
        action("slab_cover", "40mm"),
        action("mild_cover", "20mm"),
        action("moderate_cover", "30mm"),
    )


def cover_tree() -> Tree:
    return parse_tree(cover_tree_data())
