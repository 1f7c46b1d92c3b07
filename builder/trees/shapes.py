"""What the editor is told about a tree, as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledge.search import Passage
from trees.cases import Case, Result, branches_of, coverage, outcome, run
from trees.fields import Field, fields_of
from trees.nodes import ConditionNode, QuestionNode, Tree
from trees.problems import problems
from trees.reading_order import in_reading_order
from trees.schema import read
from trees.walk import Step, Walk


def checked(tree_data: object, cases: Sequence[Case]) -> dict[str, Any]:
    """Problems, facts, how the cases went and what they cover. Whatever the value, this succeeds."""
    ordered = in_reading_order(tree_data)
    tree = read(ordered).tree
    results = run(tree, cases)
    return {
        "problems": [problem.as_dict() for problem in problems(ordered)],
        "facts": [_fact(field) for field in fields_of(tree).values() if field.name],
        "cases": [_case(result) for result in results],
        "coverage": coverage(tree, results).as_dict(),
    }


def _fact(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.type,
        "unit": field.unit.symbol if field.unit else "",
        "options": list(field.choices or field.options),
        "question": field.asked_as,
    }


def _case(result: Result) -> dict[str, Any]:
    return {
        "passed": result.passed,
        "said": result.said,
        "nodes": list(result.nodes),
        "branches": [list(branch) for branch in result.branches],
    }


def walked(tree: Tree, walk: Walk) -> dict[str, Any]:
    """The way a walk took, and what it ended in: an action, a question to ask, or nothing."""
    missing, action = walk.missing, walk.action
    return {
        "path": [_step(tree, walk, step) for step in walk.path],
        "branches": [list(branch) for branch in branches_of(tree, walk)],
        "outcome": outcome(walk),
        "action": action and {"recommendation": action.recommendation, "sourceHint": action.source_hint},
        "missing": missing
        and {
            "field": missing.field,
            "question": missing.question,
            "options": list(missing.options),
            "node": missing.node_id,
        },
        "facts": {name: fact.value for name, fact in walk.facts_used.items()},
    }


def _step(tree: Tree, walk: Walk, step: Step) -> dict[str, Any]:
    node = tree.nodes[step.node_id]
    name = ""
    if isinstance(node, ConditionNode):
        name = node.condition.field
    elif isinstance(node, QuestionNode):
        name = node.field
    fact = walk.facts_used.get(name)
    return {
        "node": step.node_id,
        "label": step.label,
        "kind": step.kind,
        "field": name,
        "value": step.value,
        "result": step.result,
        "source": step.source,
        "span": fact.span if fact else "",
    }


def found(passage: Passage | None, *, url: str) -> dict[str, Any] | None:
    if passage is None:
        return None
    page = f", p. {passage.page_number}" if passage.page_number is not None else ""
    return {"title": f"{passage.document_title}{page}", "url": url}
