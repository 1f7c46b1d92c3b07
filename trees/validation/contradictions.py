"""Nodes whose outcome was already settled on every way that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from trees.definition.fields import FactField
from trees.definition.graph import TreeGraph
from trees.definition.nodes import Condition, ConditionNode, Problem, QuestionNode, Tree
from trees.definition.parser import ParsedTree
from trees.facts.conditions import evaluate_condition
from trees.facts.field_values import parse_value
from trees.facts.number_ranges import ALL_NUMBERS, NumberRange, find_outcome, narrow_range

_KnowledgeKey: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Knowledge:
    """What is known on the way to a node: `settled` of a condition whether it holds, of a field which answer was
    given; `ranges` of a field between which numbers it lies."""

    settled: Mapping[_KnowledgeKey, str | bool] = field(default_factory=dict)
    ranges: Mapping[str, NumberRange] = field(default_factory=dict)

    def shared_with(self, other: _Knowledge) -> _Knowledge:
        """Only what holds on every way to a node is known there."""
        return _Knowledge(
            settled=dict(self.settled.items() & other.settled.items()),
            ranges={
                name: numbers.spanned_with(other.ranges[name])
                for name, numbers in self.ranges.items()
                if name in other.ranges
            },
        )


def find_contradictions(tree: Tree, fields: Mapping[str, FactField]) -> list[Problem]:
    """Warnings about nodes that can only come out one way. The tree must have no circles."""
    graph = TreeGraph.of(ParsedTree(tree=tree, problems=[], loose={}))
    known: dict[str, _Knowledge] = {tree.root_id: _Knowledge()}
    found = []
    for node_id in graph.order or ():
        if node_id not in known:
            continue
        if outcome := _find_forced_outcome(tree, node_id, known[node_id], fields):
            found.append(_already_decided_problem(node_id, tree.nodes[node_id].label, outcome))
        for child, here in _knowledge_by_child(tree, node_id, known[node_id], fields):
            known[child] = here.shared_with(known[child]) if child in known else here
    return found


def _knowledge_by_child(
    tree: Tree, node_id: str, known: _Knowledge, fields: Mapping[str, FactField]
) -> Iterator[tuple[str, _Knowledge]]:
    node = tree.nodes[node_id]
    if isinstance(node, ConditionNode):
        for child, outcome in ((node.true_child, True), (node.false_child, False)):
            if child is not None:
                yield child, _learn_outcome(known, node.condition, outcome, fields[node.field])
    elif isinstance(node, QuestionNode):
        for answer, child in node.children_by_answer.items():
            settled = {**known.settled, ("answer", node.field): answer}
            yield child, _Knowledge(settled=settled, ranges=known.ranges)


def _learn_outcome(known: _Knowledge, condition: Condition, outcome: bool, of: FactField) -> _Knowledge:
    before = known.ranges.get(of.name, ALL_NUMBERS)
    narrowed = narrow_range(condition, field=of, known=before, outcome=outcome)
    return _Knowledge(
        settled={**known.settled, _condition_key(condition): outcome},
        ranges=known.ranges if narrowed is None else {**known.ranges, of.name: narrowed},
    )


def _condition_key(condition: Condition) -> _KnowledgeKey:
    return ("condition", condition.field, condition.operator, *(repr(value) for value in condition.values))


def _find_forced_outcome(tree: Tree, node_id: str, known: _Knowledge, fields: Mapping[str, FactField]) -> str | None:
    """The only way the node can come out, or None while it is open."""
    node = tree.nodes[node_id]
    if isinstance(node, QuestionNode):
        answer = known.settled.get(("answer", node.field))
        return f"“{answer:.60}”" if answer is not None else None
    if isinstance(node, ConditionNode):
        outcome = _forced_outcome_of_condition(node.condition, known, fields[node.field])
        return None if outcome is None else str(outcome).lower()
    return None


def _forced_outcome_of_condition(condition: Condition, known: _Knowledge, of: FactField) -> str | bool | None:
    outcome = known.settled.get(_condition_key(condition))
    if outcome is None and of.name in known.ranges:
        outcome = find_outcome(condition, field=of, known=known.ranges[of.name])
    return _outcome_by_answer(condition, known, of) if outcome is None else outcome


def _outcome_by_answer(condition: Condition, known: _Knowledge, of: FactField) -> bool | None:
    answer = known.settled.get(("answer", of.name))
    value = None if answer is None else parse_value(answer, of)
    return None if value is None else evaluate_condition(condition, value=value, field=of)


def _already_decided_problem(node_id: str, label: str, outcome: str) -> Problem:
    return Problem(
        code="already_decided",
        node_id=node_id,
        severity="warning",
        message=f"“{label:.60}” is settled before it is reached: it can only be {outcome}.",
        hint="Remove it, or correct the branch above it.",
    )
