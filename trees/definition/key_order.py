"""The JSON of a tree in the order in which a person reads it. The database keeps its keys in an order of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_TREE_KEYS = ("id", "name", "description", "rootNodeId", "fields", "nodes")
_NODE_KEYS = (
    "id",
    "type",
    "label",
    "question",
    "condition",
    "action",
    "childrenByAnswer",
    "trueChildId",
    "falseChildId",
)
_PART_KEYS = {
    "question": ("text", "options", "extractFrom", "synonyms"),
    "condition": ("field", "operator", "value"),
    "action": ("recommendation", "sourceHint", "severity"),
}


def order_tree_keys(tree_data: Any) -> Any:
    """The same value with its nodes from the root on, each before those it leads to, and its answers as they are
    offered. Whatever is not a tree comes back as it is."""
    if not isinstance(tree_data, Mapping):
        return tree_data
    ordered = _order_keys(tree_data, _TREE_KEYS)
    nodes = tree_data.get("nodes")
    if isinstance(nodes, Mapping):
        names = dict.fromkeys([*_ids_from_root(nodes, tree_data.get("rootNodeId")), *nodes])
        ordered["nodes"] = {name: _order_node(nodes[name]) for name in names}
    return ordered


def _order_node(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    ordered = _order_keys(node, _NODE_KEYS)
    for name, first in _PART_KEYS.items():
        if isinstance(node.get(name), Mapping):
            ordered[name] = _order_keys(node[name], first)
    question, children = node.get("question"), node.get("childrenByAnswer")
    if isinstance(question, Mapping) and isinstance(children, Mapping):
        options = question.get("options")
        ordered["childrenByAnswer"] = _order_keys(children, options if isinstance(options, list) else ())
    return ordered


def _ids_from_root(nodes: Mapping[str, Any], root: Any) -> Iterator[str]:
    waiting, seen = [root], set()
    for name in waiting:  # grows while it is read
        if isinstance(name, str) and name in nodes and name not in seen:
            seen.add(name)
            waiting += _child_ids(nodes[name])
            yield name


def _child_ids(node: Any) -> list[Any]:
    if not isinstance(node, Mapping):
        return []
    answers = _order_node(node).get("childrenByAnswer")
    return [
        *(answers.values() if isinstance(answers, Mapping) else []),
        node.get("trueChildId"),
        node.get("falseChildId"),
    ]


def _order_keys(value: Mapping[str, Any], first: Iterable[Any]) -> dict[str, Any]:
    names = [name for name in first if isinstance(name, str) and name in value]
    return {name: value[name] for name in dict.fromkeys([*names, *value])}
