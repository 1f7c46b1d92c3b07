"""The JSON of a tree in the order in which a person reads it. The database keeps its keys in an order of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_OF_TREE = ("id", "name", "description", "rootNodeId", "fields", "nodes")
_OF_NODE = (
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
_INSIDE = {
    "question": ("text", "options", "extractFrom", "synonyms"),
    "condition": ("field", "operator", "value"),
    "action": ("recommendation", "sourceHint", "severity"),
}


def in_reading_order(tree_data: Any) -> Any:
    """The same value with its nodes from the root on, each before those it leads to, and its answers as they are
    offered. Whatever is not a tree comes back as it is."""
    if not isinstance(tree_data, Mapping):
        return tree_data
    ordered = _ordered(tree_data, _OF_TREE)
    nodes = tree_data.get("nodes")
    if isinstance(nodes, Mapping):
        names = dict.fromkeys([*_from_the_root(nodes, tree_data.get("rootNodeId")), *nodes])
        ordered["nodes"] = {name: _node(nodes[name]) for name in names}
    return ordered


def _node(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    ordered = _ordered(node, _OF_NODE)
    for name, first in _INSIDE.items():
        if isinstance(node.get(name), Mapping):
            ordered[name] = _ordered(node[name], first)
    question, children = node.get("question"), node.get("childrenByAnswer")
    if isinstance(question, Mapping) and isinstance(children, Mapping):
        options = question.get("options")
        ordered["childrenByAnswer"] = _ordered(children, options if isinstance(options, list) else ())
    return ordered


def _from_the_root(nodes: Mapping[str, Any], root: Any) -> Iterator[str]:
    waiting, seen = [root], set()
    for name in waiting:  # grows while it is read
        if isinstance(name, str) and name in nodes and name not in seen:
            seen.add(name)
            waiting += _children(nodes[name])
            yield name


def _children(node: Any) -> list[Any]:
    if not isinstance(node, Mapping):
        return []
    answers = _node(node).get("childrenByAnswer")
    return [
        *(answers.values() if isinstance(answers, Mapping) else []),
        node.get("trueChildId"),
        node.get("falseChildId"),
    ]


def _ordered(value: Mapping[str, Any], first: Iterable[Any]) -> dict[str, Any]:
    names = [name for name in first if isinstance(name, str) and name in value]
    return {name: value[name] for name in dict.fromkeys([*names, *value])}
