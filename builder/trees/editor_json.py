"""The JSON of a tree for the editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from querying.question.tree_selection import SURE, THRESHOLD, profile_tree, score_trees, unrelated_words
from trees.definition.fields import FactField, collect_fields
from trees.definition.key_order import order_tree_keys
from trees.definition.nodes import ConditionNode, QuestionNode, Tree
from trees.definition.parser import parse_with_problems
from trees.facts.extraction import extract_facts, facts_as_json
from trees.tree_test_cases import Case, CaseResult, describe_outcome, measure_coverage, run_cases, walked_branches
from trees.validation.tree_problems import find_problems
from trees.walk import PathStep, Walk


def checked_tree_json(tree_data: object, cases: Sequence[Case]) -> dict[str, Any]:
    """Problems, facts, how the cases went and what they cover. Whatever the value, this succeeds."""
    ordered = order_tree_keys(tree_data)
    tree = parse_with_problems(ordered).tree
    results = run_cases(tree, cases)
    return {
        "problems": [problem.as_dict() for problem in find_problems(ordered)],
        "facts": [_fact_json(field) for field in collect_fields(tree).values() if field.name],
        "cases": [_case_json(result) for result in results],
        "coverage": measure_coverage(tree, results).as_dict(),
    }


def _fact_json(field: FactField) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.type,
        "unit": field.unit.symbol if field.unit else "",
        "options": list(field.choices or field.options),
        "question": field.question_text,
    }


def _case_json(result: CaseResult) -> dict[str, Any]:
    return {
        "passed": result.passed,
        "said": result.said,
        "nodes": list(result.nodes),
        "branches": [list(branch) for branch in result.branches],
    }


def walk_json(tree: Tree, walk: Walk) -> dict[str, Any]:
    """The way a walk took, and what it ended in: an action, a question to ask, or nothing."""
    missing, action = walk.missing, walk.action
    return {
        "path": [_step_json(tree, walk, step) for step in walk.path],
        "branches": [list(branch) for branch in walked_branches(tree, walk)],
        "outcome": describe_outcome(walk),
        "action": action and {"recommendation": action.recommendation, "sourceHint": action.source_hint},
        "missing": missing
        and {
            "field": missing.field,
            "question": missing.question,
            "options": list(missing.options),
            "node": missing.node_id,
        },
        "facts": facts_as_json(walk.facts_used),
    }


def selection_json(name: str, tree: Tree, *, description: str, sentence: str, walk: Walk) -> dict[str, Any] | None:
    """Whether a question put so is taken by the tree, and by how much; None without a sentence. `others` are words that
    the tree does not name: while it knows nothing and is not sure, the documents answer and it does not ask back
    (`consult_trees`)."""
    if not sentence.strip():
        return None
    profile = profile_tree(name, tree, description=description)
    (score,) = score_trees([profile], question=sentence)
    is_taken, is_sure = score > THRESHOLD, score > SURE
    knows_nothing = not walk.facts_used and not extract_facts(tree, question=sentence)
    asks_first = is_taken and not is_sure and walk.missing and knows_nothing
    others = unrelated_words(profile, question=sentence) if asks_first else []
    return {
        "taken": is_taken and not others,
        "others": others,
        "score": round(score, 2),
        "threshold": THRESHOLD,
    }


def _step_json(tree: Tree, walk: Walk, step: PathStep) -> dict[str, Any]:
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
