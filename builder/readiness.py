"""What stands between a draft and a release, part by part, in words that lead to the remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from django.db.models import Count
from django.urls import reverse

from knowledge.models import Document, DocumentStatus, KnowledgeBase
from plugins.models import Plugin
from trees.problems import problems


class Standing(enum.StrEnum):
    """How a part stands; the value is the style and the icon."""

    FINE = "ok"
    ATTENTION = "warn"
    BLOCKS = "no"
    OPEN = "faint"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One cell of the strip. `count` is shown on the tab of the same name."""

    slug: str
    title: str
    standing: Standing
    detail: str
    url: str
    count: int | None = None


def readiness(plugin: Plugin) -> list[Part]:
    """Persona, knowledge, trees and golden questions, in this order. Five statements at most."""
    return [_persona(plugin), _knowledge(plugin), _trees(plugin), _golden(plugin)]


def url_of(plugin: Plugin, slug: str) -> str:
    """The address of a part of the plugin's page."""
    if slug == "persona":
        return reverse("admin:plugins_plugin_change", args=[plugin.pk])
    return reverse(f"admin:builder_{slug}", args=[plugin.pk])


def _part(plugin: Plugin, slug: str, title: str, standing: Standing, detail: str, count: int | None = None) -> Part:
    url = url_of(plugin, slug)
    return Part(slug=slug, title=title, standing=standing, detail=detail, url=url, count=count)


def _persona(plugin: Plugin) -> Part:
    if not plugin.system_prompt.strip():
        return _part(plugin, "persona", "Persona", Standing.BLOCKS, "says nothing yet")
    if not (plugin.tagline and plugin.description):
        return _part(plugin, "persona", "Persona", Standing.ATTENTION, "no words for its public page")
    return _part(plugin, "persona", "Persona", Standing.FINE, "complete")


def _knowledge(plugin: Plugin) -> Part:
    bases = KnowledgeBase.objects.of_plugin(plugin)
    present = Document.objects.present().filter(knowledge_base__in=bases).order_by()
    of_status = dict(present.values_list("status").annotate(Count("pk")))
    total, ready = sum(of_status.values()), of_status.get(DocumentStatus.READY, 0)
    failed = of_status.get(DocumentStatus.FAILED, 0)
    detail = f"{ready} of {total} ready" + (f", {failed} failed" if failed else "")
    if not total:
        return _part(plugin, "knowledge", "Knowledge", Standing.BLOCKS, "no documents", 0)
    standing = Standing.FINE if ready == total else Standing.ATTENTION if ready else Standing.BLOCKS
    return _part(plugin, "knowledge", "Knowledge", standing, detail, total)


def _trees(plugin: Plugin) -> Part:
    trees = list(plugin.trees.active())
    errors = sum(problem.is_error for tree in trees for problem in problems(tree.tree_data))
    if not trees:
        return _part(plugin, "trees", "Trees", Standing.OPEN, "none, and none needed", 0)
    if errors:
        word = "problem blocks" if errors == 1 else "problems block"
        return _part(plugin, "trees", "Trees", Standing.BLOCKS, f"{errors} {word}", len(trees))
    return _part(plugin, "trees", "Trees", Standing.FINE, f"{len(trees)} checked", len(trees))


def _golden(plugin: Plugin) -> Part:
    count = plugin.golden_questions.count()
    if not count:
        return _part(plugin, "golden", "Golden questions", Standing.OPEN, "none yet", 0)
    last = plugin.evaluation_runs.first()
    share = last.result.get("golden_passed") if last else None
    if share is None:
        return _part(plugin, "golden", "Golden questions", Standing.ATTENTION, f"{count}, not run yet", count)
    passed = round(share * count)
    standing = Standing.FINE if share >= plugin.golden_share else Standing.ATTENTION
    return _part(plugin, "golden", "Golden questions", standing, f"{passed} of {count} pass", count)
