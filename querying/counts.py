"""What a plugin consists of, in figures: the same few statements for one plugin and for fifty."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, Sum

from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin
from querying.models import EvaluationRun, GoldenQuestion
from trees.models import DecisionTree
from trees.problems import problems


@dataclass(frozen=True, kw_only=True)
class Counts:
    """`documents` by status; `golden_share` is that of the last run, None when there was none."""

    documents: Mapping[str, int] = field(default_factory=dict)
    pages: int = 0
    trees: int = 0
    tree_errors: int = 0
    golden: int = 0
    golden_share: float | None = None


def counts_of(plugins: Collection[Plugin], *, check_trees: bool = True) -> dict[UUID, Counts]:
    """By the plugins' ids. Six statements. Without `check_trees` no tree is read, and none has errors."""
    ids = [plugin.pk for plugin in plugins]
    documents, pages = _documents(ids)
    trees, golden, shares = _trees(ids, check=check_trees), _golden(ids), _shares(ids)
    return {
        pk: Counts(
            documents=documents[pk],
            pages=pages[pk],
            trees=len(trees[pk]),
            tree_errors=sum(trees[pk]),
            golden=golden.get(pk, 0),
            golden_share=shares.get(pk),
        )
        for pk in ids
    }


def bases_of(ids: Collection[UUID]) -> dict[UUID, set[int]]:
    """The knowledge bases that each plugin reads: its own and those attached to it. Two statements."""
    read: dict[UUID, set[int]] = defaultdict(set)
    own = KnowledgeBase.objects.filter(plugin__in=ids).values_list("plugin_id", "pk")
    attached = KnowledgeBase.attached_to.through._default_manager.filter(plugin__in=ids)
    for plugin, base in [*own, *attached.values_list("plugin_id", "knowledgebase_id")]:
        read[plugin].add(base)
    return read


def _documents(ids: Collection[UUID]) -> tuple[dict[UUID, Counter[str]], Counter[UUID]]:
    read = bases_of(ids)
    present = Document.objects.present().filter(knowledge_base__in=set().union(*read.values())).order_by()
    rows = present.values_list("knowledge_base", "status").annotate(Count("pk"), Sum("page_count"))
    documents: dict[UUID, Counter[str]] = defaultdict(Counter)
    pages: Counter[UUID] = Counter()
    found: list[tuple[Any, ...]] = list(rows)
    for plugin, bases in read.items():
        for base, status, count, page_count in found:
            if base in bases:
                documents[plugin][status] += count
                pages[plugin] += page_count or 0
    return documents, pages


def _trees(ids: Collection[UUID], *, check: bool) -> dict[UUID, list[int]]:
    """How many errors each tree in use has."""
    errors: dict[UUID, list[int]] = defaultdict(list)
    trees = DecisionTree.objects.active().filter(plugin__in=ids)
    if not check:
        for plugin in trees.values_list("plugin", flat=True):
            errors[plugin].append(0)
        return errors
    for plugin, tree_data in trees.values_list("plugin", "tree_data"):
        errors[plugin].append(sum(problem.is_error for problem in problems(tree_data)))
    return errors


def _golden(ids: Collection[UUID]) -> dict[UUID, int]:
    questions = GoldenQuestion.objects.filter(plugin__in=ids).order_by()
    return dict(questions.values_list("plugin").annotate(Count("pk")))


def _shares(ids: Collection[UUID]) -> dict[UUID, float]:
    runs = EvaluationRun.objects.filter(plugin__in=ids).order_by("plugin", "-started").distinct("plugin")
    return {
        plugin: share for plugin, share in runs.values_list("plugin", "result__golden_passed") if share is not None
    }
