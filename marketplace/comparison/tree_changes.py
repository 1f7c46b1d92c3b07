"""The decision trees that differ, node by node, in sentences instead of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from marketplace.comparison.side_by_side import Row, compare_texts
from plugins.models import Release
from trees.definition.nodes import ActionNode, Condition, ConditionNode, Node, Operator, QuestionNode, Tree
from trees.definition.parser import parse_with_problems

_OPERATORS: dict[Operator, str] = {
    "eq": "is",
    "gt": "is greater than",
    "gte": "is at least",
    "lt": "is less than",
    "lte": "is at most",
    "contains": "contains",
    "in": "is one of",
}


@dataclass(frozen=True, kw_only=True)
class NodeChange:
    title: str
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class TreeChange:
    """`added` and `removed` are labels of nodes; `facts` compares what is said of facts. `renamed_from` and
    `description` are empty where they are the same."""

    name: str
    renamed_from: str = ""
    description: list[Row] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    changed: list[NodeChange] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class TreesComparison:
    """`added` and `removed` are names of trees. `order` has the names in their order now where only that is other."""

    added: list[str]
    removed: list[str]
    changed: list[TreeChange]
    order: list[str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.order)


def compare_trees(now: Release, then: Release) -> TreesComparison:
    """Trees belong together by their id, and those of a copy and its original by their name."""
    old_by_id = {tree["id"]: tree for tree in then.trees}
    old_by_name = {tree["name"]: tree for tree in then.trees}
    pairs = [(tree, old_by_id.get(tree["id"]) or old_by_name.get(tree["name"])) for tree in now.trees]
    matched = [old["id"] for _, old in pairs if old]
    order = [tree["name"] for tree in now.trees]
    is_reordered = sorted(matched) == sorted(old_by_id) and len(pairs) == len(matched) and matched != list(old_by_id)
    return TreesComparison(
        added=[tree["name"] for tree, old in pairs if old is None],
        removed=[tree["name"] for tree in then.trees if tree["id"] not in matched],
        changed=[change for tree, old in pairs if old and (change := _compare_tree(tree, old))],
        order=order if is_reordered else [],
    )


def _compare_tree(now: Mapping[str, Any], then: Mapping[str, Any]) -> TreeChange | None:
    compared = ("name", "description", "tree_data")
    if all(now[name] == then[name] for name in compared):
        return None
    new, old = _parse(now), _parse(then)
    return TreeChange(
        name=now["name"],
        renamed_from=then["name"] if then["name"] != now["name"] else "",
        description=compare_texts(then["description"], now["description"]),
        added=[node.label or pk for pk, node in new.nodes.items() if pk not in old.nodes],
        removed=[node.label or pk for pk, node in old.nodes.items() if pk not in new.nodes],
        changed=list(_changed_nodes(new, old)),
        facts=compare_texts(_facts_as_text(old), _facts_as_text(new)),
    )


def _facts_as_text(tree: Tree) -> str:
    lines = []
    for name, fact in sorted(tree.fields.items()):
        said = [fact.type, fact.unit or "", ", ".join(fact.options), fact.question]
        also = [f"{word} (also: {', '.join(others)})" for word, others in sorted(fact.synonyms.items())]
        lines.append(f"{name}: {'; '.join(filter(None, [*said, *also]))}")
    return "\n".join(lines)


def _parse(tree: Mapping[str, Any]) -> Tree:
    return parse_with_problems(tree["tree_data"]).tree


def _changed_nodes(now: Tree, then: Tree) -> Iterator[NodeChange]:
    if now.root_id != then.root_id:
        rows = compare_texts(_node_label(then, then.root_id), _node_label(now, now.root_id))
        yield NodeChange(title="Where it begins", rows=rows)
    for pk, node in now.nodes.items():
        old = then.nodes.get(pk)
        if old is not None and (rows := compare_texts(_as_text(then, old), _as_text(now, node))):
            yield NodeChange(title=node.label or pk, rows=rows)


def _as_text(tree: Tree, node: Node) -> str:
    return "\n".join(_sentences(tree, node))


def _sentences(tree: Tree, node: Node) -> Iterator[str]:
    yield f"Label: {node.label}"
    if isinstance(node, ConditionNode):
        yield f"Condition: {_condition(node.condition)}"
        yield f"If so: {_node_label(tree, node.true_child)}"
        yield f"If not: {_node_label(tree, node.false_child)}"
    elif isinstance(node, QuestionNode):
        yield f"Asks: {node.question.text}"
        yield f"Fact: {node.field}"
        for option in node.options:
            also = ", ".join(node.question.synonyms.get(option, ()))
            target = _node_label(tree, node.children_by_answer.get(option))
            yield f"“{option}” leads to: {target}" + (f" (also: {also})" if also else "")
    elif isinstance(node, ActionNode):
        yield f"Recommends: {node.action.recommendation}"
        yield f"Source: {node.action.source_hint or 'none named'}"
        if node.action.severity:
            yield f"Importance: {node.action.severity}"


def _condition(condition: Condition) -> str:
    values = " or ".join(str(value) for value in condition.values)
    return f"{condition.field} {_OPERATORS[condition.operator]} {values}"


def _node_label(tree: Tree, node_id: str | None) -> str:
    if node_id is None:
        return "nothing"
    node = tree.nodes.get(node_id)
    return node.label or node_id if node else node_id
