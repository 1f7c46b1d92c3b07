"""Nodes whose outcome was already settled on every way that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from trees.definition.fields import FactField
from trees.definition.graph import TreeGraph
from trees.definition.nodes import Condition, ConditionNode, Problem, QuestionNode, Tree
from trees.definition.parser import ParsedTree
from trees.facts.conditions import evaluate_condition
from trees.facts.field_values import parse_value

# What is known on the way to a node: of a condition whether it holds, of a field which answer was given.
_KnowledgeKey: TypeAlias = tuple[str, ...]
_Knowledge: TypeAlias = Mapping[_KnowledgeKey, str | bool]


def find_contradictions(tree: Tree, fields: Mapping[str, FactField]) -> list[Problem]:
    """Warnings about nodes that can only come out one way. The tree must have no circles."""
    graph = TreeGraph.of(ParsedTree(tree=tree, problems=[], loose={}))
    known: dict[str, _Knowledge] = {tree.root_id: {}}
    found = []
    for node_id in graph.order or ():
        if node_id not in known:
            continue
        if outcome := _find_forced_outcome(tree, node_id, known[node_id], fields):
            found.append(_already_decided_problem(node_id, tree.nodes[node_id].label, outcome))
        for child, learnt in _knowledge_by_child(tree, node_id):
            here = {**known[node_id], **learnt}
            # Only what holds on every way to a node is known there.
            known[child] = dict(here.items() & known[child].items()) if child in known else here
    return found


def _knowledge_by_child(tree: Tree, node_id: str) -> Iterator[tuple[str, _Knowledge]]:
    node = tree.nodes[node_id]
    if isinstance(node, ConditionNode):
        for child, outcome in ((node.true_child, True), (node.false_child, False)):
            if child is not None:
                yield child, {_condition_key(node.condition): outcome}
    elif isinstance(node, QuestionNode):
        for answer, child in node.children_by_answer.items():
            yield child, {("answer", node.field): answer}


def _condition_key(condition: Condition) -> _KnowledgeKey:
    return ("condition", condition.field, condition.operator, *(repr(value) for value in condition.values))


def _find_forced_outcome(tree: Tree, node_id: str, known: _Knowledge, fields: Mapping[str, FactField]) -> str | None:
    """The only way the node can come out, or None while it is open."""
    node = tree.nodes[node_id]
    if isinstance(node, QuestionNode):
        answer = known.get(("answer", node.field))
        return f"“{answer:.60}”" if answer is not None else None
    if isinstance(node, ConditionNode):
        outcome = known.get(_condition_key(node.condition))
        if outcome is None:
            outcome = _outcome_by_answer(node.condition, known, fields[node.condition.field])
        return None if outcome is None else str(outcome).lower()
    return None


def _outcome_by_answer(condition: Condition, known: _Knowledge, field: FactField) -> bool | None:
    answer = known.get(("answer", field.name))
    value = None if answer is None else parse_value(answer, field)
    return None if value is None else evaluate_condition(condition, value=value, field=field)


def _already_decided_problem(node_id: str, label: str, outcome: str) -> Problem:
    return Problem(
        code="already_decided",
        node_id=node_id,
        severity="warning",
        message=f"“{label:.60}” is settled before it is reached: it can only be {outcome}.",
        hint="Remove it, or correct the branch above it.",
    )
