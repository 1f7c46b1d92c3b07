"""How the nodes of a tree hang together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from trees.definition.nodes import ActionNode
from trees.definition.parser import ParsedTree


@dataclass(frozen=True, kw_only=True)
class TreeGraph:
    """`nodes`: children by node id, with children that do not exist. `order`: parents first, None when
    there is a circle. `back_edges`: the branches that close a circle. `exits`: where a walk may end well, or
    where what follows is not known; so that one fault is reported once."""

    nodes: Mapping[str, tuple[str, ...]]
    exits: frozenset[str]
    back_edges: tuple[tuple[str, str], ...]
    order: tuple[str, ...] | None

    @classmethod
    def of(cls, reading: ParsedTree) -> TreeGraph:
        found = {node.id: node.children for node in reading.tree.nodes.values()} | dict(reading.loose)
        # The database keeps the keys of an object in an order of its own; what is found must not depend on it.
        inward = sorted(found, key=lambda node_id: (node_id != reading.tree.root_id, node_id))
        nodes = {node_id: tuple(sorted(found[node_id])) for node_id in inward}
        actions = {node.id for node in reading.tree.nodes.values() if isinstance(node, ActionNode)}
        unsure = {
            node_id
            for node_id, children in nodes.items()
            if not children or any(child not in nodes for child in children)
        }
        back_edges, order = _depth_first_order(nodes)
        return cls(
            nodes=nodes,
            exits=frozenset(actions | unsure | set(reading.loose)),
            back_edges=back_edges,
            order=None if back_edges else order,
        )

    def depths(self, root: str) -> dict[str, int]:
        """The number of steps from the root to each node that can be reached."""
        depths, queue = {root: 0}, deque([root])
        while queue:
            here = queue.popleft()
            for child in self.nodes[here]:
                if child in self.nodes and child not in depths:
                    depths[child] = depths[here] + 1
                    queue.append(child)
        return depths

    def inescapable_nodes(self) -> list[str]:
        """The nodes of circles that have no way out; not those that merely lead into one."""
        parents = self._parents()
        free, queue = set(self.exits), deque(self.exits)
        while queue:
            for parent in parents[queue.popleft()]:
                if parent not in free:
                    free.add(parent)
                    queue.append(parent)
        closing = {end for _, end in self.back_edges}
        return [node_id for node_id in self.nodes if node_id not in free and node_id in closing]

    def _parents(self) -> dict[str, list[str]]:
        parents: dict[str, list[str]] = {node_id: [] for node_id in self.nodes}
        for node_id, children in self.nodes.items():
            for child in children:
                if child in parents:
                    parents[child].append(node_id)
        return parents


def _depth_first_order(nodes: Mapping[str, Iterable[str]]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Depth first, without recursion: the branches that lead back, and the nodes with parents first."""
    back_edges: list[tuple[str, str]] = []
    finished: list[str] = []
    state: dict[str, str] = {}
    for root in nodes:
        if root in state:
            continue
        state[root] = "open"
        stack: list[tuple[str, Iterator[str]]] = [(root, iter(nodes[root]))]
        while stack:
            here, children = stack[-1]
            child = next((one for one in children if one in nodes), None)
            if child is None:
                stack.pop()
                state[here] = "done"
                finished.append(here)
            elif child not in state:
                state[child] = "open"
                stack.append((child, iter(nodes[child])))
            elif state[child] == "open":
                back_edges.append((here, child))
    return tuple(dict.fromkeys(back_edges)), tuple(reversed(finished))
