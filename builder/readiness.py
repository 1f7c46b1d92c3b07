"""What stands between a draft and a release, part by part, in words that lead to the remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from knowledge.models import DocumentStatus
from marketplace.golden_gate import Verdict, needed
from plugins.models import GoldenGate, Plugin
from querying.counts import Counts
from querying.models import Query

# What waits longer than this is looked for on the page itself.
INBOX_REACH = timedelta(days=30)


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


def readiness(plugin: Plugin, *, golden: Verdict, counts: Counts) -> list[Part]:
    """Persona, knowledge, trees, golden questions and the inbox, in this order. One statement."""
    *others, last = parts_of(plugin, counts)
    return [*others, _gated(last, golden), _inbox(plugin)]


def parts_of(plugin: Plugin, counts: Counts) -> list[Part]:
    """The same from figures that are there already, for lists of plugins."""
    return [_persona(plugin), _knowledge(plugin, counts), _trees(plugin, counts), _golden(plugin, counts)]


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


def _knowledge(plugin: Plugin, counts: Counts) -> Part:
    total, ready = sum(counts.documents.values()), counts.documents.get(DocumentStatus.READY, 0)
    failed = counts.documents.get(DocumentStatus.FAILED, 0)
    detail = f"{ready} of {total} ready" + (f", {failed} failed" if failed else "")
    if not total:
        return _part(plugin, "knowledge", "Knowledge", Standing.BLOCKS, "no documents", 0)
    standing = Standing.FINE if ready == total else Standing.ATTENTION if ready else Standing.BLOCKS
    return _part(plugin, "knowledge", "Knowledge", standing, detail, total)


def _trees(plugin: Plugin, counts: Counts) -> Part:
    if not counts.trees:
        return _part(plugin, "trees", "Trees", Standing.OPEN, "none, and none needed", 0)
    if blocking := len(counts.tree_problems):
        word = "problem blocks" if blocking == 1 else "problems block"
        return _part(plugin, "trees", "Trees", Standing.BLOCKS, f"{blocking} {word}", counts.trees)
    return _part(plugin, "trees", "Trees", Standing.FINE, f"{counts.trees} checked", counts.trees)


def _golden(plugin: Plugin, counts: Counts) -> Part:
    count, share = counts.golden, counts.golden_share
    if not count:
        return _part(plugin, "golden", "Golden questions", Standing.OPEN, "none yet", 0)
    if share is None:
        return _part(plugin, "golden", "Golden questions", Standing.ATTENTION, f"{count}, not run yet", count)
    passed, enough = round(share * count), needed(count, share=plugin.golden_share)
    standing = Standing.FINE if passed >= enough else Standing.ATTENTION
    gate = "" if plugin.golden_gate == GoldenGate.OFF else f", gate at {enough}"
    return _part(plugin, "golden", "Golden questions", standing, f"{passed} of {count} pass{gate}", count)


def _gated(part: Part, golden: Verdict) -> Part:
    """The same, as the gate sees the draft of this moment: what was run before it changed says nothing about it."""
    if golden.policy != GoldenGate.BLOCK or not golden.questions:
        return part
    if golden.run is None:
        standing = Standing.ATTENTION if golden.is_run_by_publishing else Standing.BLOCKS
        return replace(part, standing=standing, detail=f"{golden.questions}, not run as it stands")
    detail = f"{golden.passed} of {golden.questions} pass, gate at {golden.needed}"
    return replace(part, standing=Standing.FINE if golden.is_met else Standing.BLOCKS, detail=detail)


def _inbox(plugin: Plugin) -> Part:
    """Nothing in it stands in the way of a release."""
    count = Query.objects.filter(plugin=plugin).waiting(since=timezone.now() - INBOX_REACH).count()
    detail = f"{count} question{'' if count == 1 else 's'} waiting" if count else "clear"
    return _part(plugin, "inbox", "Inbox", Standing.OPEN if count else Standing.FINE, detail, count)
