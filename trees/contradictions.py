"""Nodes whose outcome was already settled on every way that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from trees.answers import understand
from trees.conditions import holds
from trees.fields import Field
from trees.graph import Graph
from trees.nodes import Condition, ConditionNode, Problem, QuestionNode, Tree
from trees.schema import Reading

# What is known on the way to a node: of a condition whether it holds, of a field which answer was given.
_Key: TypeAlias = tuple[str, ...]
_Known: TypeAlias = Mapping[_Key, str | bool]


def contradictions(tree: Tree, fields: Mapping[str, Field]) -> list[Problem]:
    """Warnings about nodes that can only come out one way. The tree must have no circles."""
    graph = Graph.of(Reading(tree=tree, problems=[], loose={}))
    known: dict[str, _Known] = {tree.root_id: {}}
    found = []
    for node_id in graph.order or ():
        if node_id not in known:
            continue
        if outcome := _settled(tree, node_id, known[node_id], fields):
            found.append(_already_decided(node_id, tree.nodes[node_id].label, outcome))
        for child, learnt in _lessons(tree, node_id):
            here = {**known[node_id], **learnt}
            # Only what holds on every way to a node is known there.
            known[child] = dict(here.items() & known[child].items()) if child in known else here
    return found


def _lessons(tree: Tree, node_id: str) -> Iterator[tuple[str, _Known]]:
    node = tree.nodes[node_id]
    if isinstance(node, ConditionNode):
        for child, outcome in ((node.true_child, True), (node.false_child, False)):
            if child is not None:
                yield child, {_key(node.condition): outcome}
    elif isinstance(node, QuestionNode):
        for answer, child in node.children_by_answer.items():
            yield child, {("answer", node.field): answer}


def _key(condition: Condition) -> _Key:
    return ("condition", condition.field, condition.operator, *(repr(value) for value in condition.values))


def _settled(tree: Tree, node_id: str, known: _Known, fields: Mapping[str, Field]) -> str | None:
    """The only way the node can come out, or None while it is open."""
    node = tree.nodes[node_id]
    if isinstance(node, QuestionNode):
        answer = known.get(("answer", node.field))
        return f"“{answer:.60}”" if answer is not None else None
    if isinstance(node, ConditionNode):
        outcome = known.get(_key(node.condition))
        if outcome is None:
            outcome = _by_answer(node.condition, known, fields[node.condition.field])
        return None if outcome is None else str(outcome).lower()
    return None


def _by_answer(condition: Condition, known: _Known, field: Field) -> bool | None:
    answer = known.get(("answer", field.name))
    value = None if answer is None else understand(answer, field)
    return None if value is None else holds(condition, value=value, field=field)


def _already_decided(node_id: str, label: str, outcome: str) -> Problem:
    return Problem(
        code="already_decided",
        node_id=node_id,
        severity="warning",
        message=f"“{label:.60}” is settled before it is reached: it can only be {outcome}.",
        hint="Remove it, or correct the branch above it.",
    )
