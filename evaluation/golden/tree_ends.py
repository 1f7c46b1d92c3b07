"""The ends of a plugin's decision trees that a golden question may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.models import Plugin


@dataclass(frozen=True, kw_only=True)
class TreeEnd:
    """An action node: its id, its words, and the name of its tree."""

    node_id: str
    label: str
    tree: str


def tree_ends(plugin: Plugin) -> list[TreeEnd]:
    """The ends of the plugin's active trees, tree by tree in the order of their nodes. One statement."""
    return [
        TreeEnd(node_id=str(pk), label=str(node.get("label") or pk), tree=tree.name)
        for tree in plugin.trees.active().order_by("pk")
        for pk, node in _nodes(tree.tree_data).items()
        if isinstance(node, dict) and node.get("type") == "action"
    ]


def _nodes(tree_data: object) -> dict[object, object]:
    nodes = tree_data.get("nodes") if isinstance(tree_data, dict) else None
    return nodes if isinstance(nodes, dict) else {}
