"""Counts how often each tree of a plugin was walked, and how often it reached an end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F

from plugins.models import Plugin
from querying.models import Query
from trees.models import DecisionTree

# Fewer walks than this say nothing about where people stop.
MIN_WALKS = 20


@dataclass(frozen=True, kw_only=True)
class TreeUsage:
    """`stops_by_label` counts the walks that ended in a question, by the label of its node."""

    walk_count: int = 0
    finished_count: int = 0
    stops_by_label: Mapping[str, int] = field(default_factory=dict)

    @property
    def share(self) -> int | None:
        """Percent of the walks that came to an end; None without any."""
        return round(100 * self.finished_count / self.walk_count) if self.walk_count else None

    @property
    def common_exit(self) -> str:
        """The label where at least a quarter of the walks stopped; empty when there is none."""
        label, count = max(self.stops_by_label.items(), key=lambda one: one[1], default=("", 0))
        return label if self.walk_count >= MIN_WALKS and 4 * count >= self.walk_count else ""


def tree_usage(plugin: Plugin, trees: Iterable[DecisionTree], *, since: datetime) -> dict[UUID, TreeUsage]:
    """By tree. The query log keeps paths, not trees: a path belongs to the tree that starts at its first node, and
    trees that start at nodes of the same id are left out, because nobody can tell them apart. One statement."""
    walked = Query.objects.filter(plugin=plugin, created_at__gte=since, decision_path__0__isnull=False)
    ends = {"first": F("decision_path__0__node"), "last": F("decision_path__-1__node")}
    label = {"label": F("decision_path__-1__label")}
    rows = list(walked.order_by().values(**ends, **label).annotate(count=Count("pk")))
    data = {tree.pk: tree.tree_data if isinstance(tree.tree_data, dict) else {} for tree in trees}
    roots = {pk: tree_data.get("rootNodeId") for pk, tree_data in data.items()}
    shared = Counter(roots.values())
    return {
        pk: _count_usage(tree_data, [row for row in rows if row["first"] == roots[pk]])
        for pk, tree_data in data.items()
        if shared[roots[pk]] == 1
    }


def _count_usage(tree_data: dict[str, Any], rows: list[dict[str, Any]]) -> TreeUsage:
    nodes, stopped = tree_data.get("nodes"), Counter[str]()
    for row in rows:
        node = nodes.get(row["last"]) if isinstance(nodes, dict) and isinstance(row["last"], str) else None
        if not isinstance(node, dict) or node.get("type") != "action":
            stopped[str(row["label"])] += row["count"]
    walked = sum(row["count"] for row in rows)
    return TreeUsage(walk_count=walked, finished_count=walked - stopped.total(), stops_by_label=stopped)
