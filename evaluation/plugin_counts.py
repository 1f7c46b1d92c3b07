"""Counts of what a plugin consists of, in the same few statements for one plugin and for fifty.

Readiness, the dashboard and publishing all use these counts, so that they cannot differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, Sum

from evaluation.models import GoldenQuestion
from knowledge.models import Document, DocumentStatus, KnowledgeBase, KnowledgeGrant
from plugins.models import Plugin
from trees.models import DecisionTree
from trees.validation.tree_problems import find_problems


@dataclass(frozen=True, kw_only=True)
class PluginCounts:
    """`documents` by status, how many of them are `unverified`, and how many answer (a document that is read again goes
    on answering meanwhile); `tree_problems` are those that block, a sentence each; of the `golden` questions
    `golden_passed` and `golden_failed` when they were last run, and the others were not run as they stand."""

    documents: Mapping[str, int] = field(default_factory=dict)
    unverified: int = 0
    answering: int = 0
    pages: int = 0
    trees: int = 0
    tree_problems: tuple[str, ...] = ()
    golden: int = 0
    golden_passed: int = 0
    golden_failed: int = 0

    @property
    def golden_share(self) -> float | None:
        """The share that passed of those that were run; None where none was."""
        run = self.golden_passed + self.golden_failed
        return self.golden_passed / run if run else None

    @property
    def unfinished(self) -> int:
        """How many documents are still being read, or wait for it."""
        done = (DocumentStatus.READY, DocumentStatus.FAILED)
        return sum(count for status, count in self.documents.items() if status not in done)


def counts_by_plugin(plugins: Collection[Plugin], *, check_trees: bool = True) -> dict[UUID, PluginCounts]:
    """The counts by plugin id, in five statements. Without `check_trees` no tree is read, and none has errors."""
    ids = [plugin.pk for plugin in plugins]
    documents, totals = _document_counts(ids)
    trees = _tree_problems(ids, check=check_trees)
    golden = _golden_counts(ids)
    return {
        pk: PluginCounts(
            documents=documents[pk],
            **{name: total[pk] for name, total in totals.items()},
            trees=len(trees[pk]),
            tree_problems=tuple(sentence for of_tree in trees[pk] for sentence in of_tree),
            **golden.get(pk, {}),
        )
        for pk in ids
    }


def _golden_counts(ids: Collection[UUID]) -> dict[UUID, dict[str, int]]:
    """For each plugin that has golden questions their numbers, by the names of `PluginCounts`. One statement."""
    questions = GoldenQuestion.objects.filter(plugin__in=ids).order_by().values_list("plugin")
    of_result = [Count("pk", filter=Q(last_passed=is_passed)) for is_passed in (True, False)]
    rows = questions.annotate(golden=Count("pk"), golden_passed=of_result[0], golden_failed=of_result[1])
    names = ("golden", "golden_passed", "golden_failed")
    return {pk: dict(zip(names, counts, strict=True)) for pk, *counts in rows}


def base_ids_by_plugin(ids: Collection[UUID]) -> dict[UUID, set[int]]:
    """The knowledge bases that each plugin's draft reads: its own and those attached to it. Two statements."""
    read: dict[UUID, set[int]] = defaultdict(set)
    own = KnowledgeBase.objects.filter(plugin__in=ids).values_list("plugin_id", "pk")
    attached = KnowledgeGrant.objects.standing().filter(plugin__in=ids, is_attached=True)
    for plugin, base in [*own, *attached.values_list("plugin_id", "knowledge_base_id")]:
        read[plugin].add(base)
    return read


def _document_counts(ids: Collection[UUID]) -> tuple[dict[UUID, Counter[str]], dict[str, Counter[UUID]]]:
    """For each plugin its documents by status, and the other numbers of `PluginCounts` by name."""
    read = base_ids_by_plugin(ids)
    present = Document.objects.present().filter(knowledge_base__in=set().union(*read.values())).order_by()
    rows = present.values_list("knowledge_base", "status").annotate(
        count=Count("pk"),
        answering=Count("pk", filter=~Q(ready_sha256="")),
        unverified=Count("pk", filter=Q(is_unverified=True)),
        pages=Sum("page_count"),
    )
    documents: dict[UUID, Counter[str]] = defaultdict(Counter)
    totals: dict[str, Counter[UUID]] = {name: Counter() for name in ("answering", "unverified", "pages")}
    found: list[tuple[Any, ...]] = list(rows)
    for plugin, bases in read.items():
        for base, status, count, *numbers in found:
            if base in bases:
                documents[plugin][status] += count
                for total, number in zip(totals.values(), numbers, strict=True):
                    total[plugin] += number or 0
    return documents, totals


def _tree_problems(ids: Collection[UUID], *, check: bool) -> dict[UUID, list[list[str]]]:
    """What blocks in each tree in use."""
    errors: dict[UUID, list[list[str]]] = defaultdict(list)
    trees = DecisionTree.objects.active().filter(plugin__in=ids)
    if not check:
        for plugin in trees.values_list("plugin", flat=True):
            errors[plugin].append([])
        return errors
    for plugin, name, tree_data in trees.values_list("plugin", "name", "tree_data"):
        found = [problem.message for problem in find_problems(tree_data) if problem.is_error]
        errors[plugin].append([f"The tree “{name}” has a problem: {message}" for message in found])
    return errors
