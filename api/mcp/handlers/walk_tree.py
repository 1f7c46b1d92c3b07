"""Walks the tree of `walk_tree`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import ApiKey
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.mcp.tools.walk_tree import WalkArguments
from lexic.database import in_thread
from lexic.errors import NotFound
from plugins.models import Release
from querying import releases
from querying.question.consultation import clarification_for
from querying.sanitize import sanitize
from trees.definition.fields import FactField as TreeField
from trees.definition.fields import collect_fields
from trees.definition.nodes import Tree
from trees.definition.parser import InvalidTree, parse_tree
from trees.facts.extraction import facts_from_request
from trees.walk import Walk, decision_path, walk

logger = logging.getLogger(__name__)


class UnknownTree(NotFound):
    """This expert has no such decision tree."""

    code = "unknown_tree"


@dataclass(frozen=True, kw_only=True)
class NamedTree:
    name: str
    description: str
    tree: Tree


async def run(call: McpToolCall) -> ToolResult:
    body = await in_thread(walk_release_tree, call.arguments, key=call.key)
    return make_result(body, text=_walk_text(body))


def walk_release_tree(arguments: WalkArguments, *, key: ApiKey) -> dict[str, Any]:
    """The walk as JSON. Raises `UnknownPlugin`, `UnknownRelease`, `UnknownTree`, `InvalidFact`."""
    release = releases.resolve(arguments.plugin, principal=key)
    trees = _release_trees(release)
    context = {"trees": [_tree_json(tree) for tree in trees], "release": str(release)}
    chosen = _choose_tree(trees, arguments.tree)
    if chosen is None:
        no_walk: dict[str, Any] = {"tree": None, "path": [], "action": None, "question": None, "unknownFacts": []}
        return {"outcome": "tree_missing", **no_walk, **context}
    facts, unknown = facts_from_request(chosen.tree, arguments.facts)
    return {"tree": chosen.name, "unknownFacts": unknown, **_walk_json(walk(chosen.tree, facts)), **context}


def _release_trees(release: Release) -> list[NamedTree]:
    """The trees of the release. One that cannot be read (it was checked when saved) is logged and left out."""
    trees = []
    for stored in release.trees:
        try:
            tree = parse_tree(stored["tree_data"])
        except InvalidTree:
            logger.exception("tree %s of %s cannot be read", stored["id"], release)
            continue
        trees.append(NamedTree(name=stored["name"], description=stored["description"], tree=tree))
    return trees


def _choose_tree(trees: list[NamedTree], name: str | None) -> NamedTree | None:
    """The tree of this name, or the only one; None when one has to be named first."""
    if name is None:
        return trees[0] if len(trees) == 1 else None
    for tree in trees:
        if tree.name.casefold() == name.strip().casefold():
            return tree
    names = ", ".join(f"“{tree.name}”" for tree in trees)
    raise UnknownTree(hint=f"There is {names}." if names else "It has none: use ask_expert.")


def _walk_json(walked: Walk) -> dict[str, Any]:
    action = walked.action
    question = clarification_for(walked.missing) if walked.missing else None
    return {
        "outcome": "decided" if action else "fact_missing" if question else "no_decision",
        "path": decision_path(walked),
        "action": action and {"recommendation": sanitize(action.recommendation), "severity": action.severity},
        "question": question
        and {"question": question.question, "options": list(question.options), "field": question.field},
    }


def _tree_json(tree: NamedTree) -> dict[str, Any]:
    facts = [_fact_json(field) for field in collect_fields(tree.tree).values()]
    return {"name": tree.name, "description": sanitize(tree.description), "facts": facts}


def _fact_json(field: TreeField) -> dict[str, Any]:
    columns = {
        "name": field.name,
        "type": field.type,
        "unit": field.unit.symbol if field.unit else None,
        "options": list(field.choices),
        "question": sanitize(field.question_text) or None,
    }
    return {name: value for name, value in columns.items() if value is not None}


def _walk_text(body: Mapping[str, Any]) -> str:
    if body["outcome"] == "tree_missing":
        return _tree_list_text(body["trees"])
    steps = [f"{step['label']}: {step.get('value') or step.get('result', '')}" for step in body["path"]]
    if action := body["action"]:
        return "\n".join([action["recommendation"], "", "Because:", *steps])
    if question := body["question"]:
        options = [f"- {option}" for option in question["options"]]
        again = f"Call again with the answer as the fact “{question['field']}”."
        return "\n".join([question["question"], *options, "", again])
    return "\n".join(["The tree leads nowhere with these facts.", *steps])


def _tree_list_text(trees: list[dict[str, Any]]) -> str:
    if not trees:
        return "This expert has no decision tree. Use ask_expert."
    lines = [f"- {tree['name']} (facts: {', '.join(fact['name'] for fact in tree['facts'])})" for tree in trees]
    return "\n".join(["Name one of these trees:", *lines])
