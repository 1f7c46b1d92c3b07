"""What stands between a draft and a release, part by part, in words that lead to the remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from evaluation.golden.golden_runs import required_passes
from knowledge.models import DocumentStatus
from marketplace.publishing.golden_gate import GateResult
from plugins.models import GoldenGate, Plugin
from querying.models import Query
from querying.plugin_counts import PluginCounts

# What waits longer than this is looked for on the page itself.
INBOX_PERIOD = timedelta(days=30)


class ReadinessStatus(enum.StrEnum):
    """How a part stands; the value is the style and the icon."""

    FINE = "ok"
    ATTENTION = "warn"
    BLOCKS = "no"
    OPEN = "faint"


@dataclass(frozen=True, kw_only=True)
class ReadinessPart:
    """One cell of the strip. `count` is shown on the tab of the same name."""

    slug: str
    title: str
    status: ReadinessStatus
    detail: str
    url: str
    count: int | None = None


def readiness(plugin: Plugin, *, golden: GateResult, counts: PluginCounts) -> list[ReadinessPart]:
    """Persona, knowledge, trees, golden questions and the inbox, in this order. One statement."""
    *others, last = readiness_parts(plugin, counts)
    return [*others, _gated_part(last, golden), _inbox_part(plugin)]


def readiness_parts(plugin: Plugin, counts: PluginCounts) -> list[ReadinessPart]:
    """The same from figures that are there already, for lists of plugins."""
    return [
        _persona_part(plugin),
        _knowledge_part(plugin, counts),
        _trees_part(plugin, counts),
        _golden_part(plugin, counts),
    ]


def reverse_pane(plugin: Plugin, slug: str) -> str:
    """The address of a part of the plugin's page."""
    if slug == "persona":
        return reverse("admin:plugins_plugin_change", args=[plugin.pk])
    return reverse(f"admin:builder_{slug}", args=[plugin.pk])


def _make_part(
    plugin: Plugin, slug: str, title: str, status: ReadinessStatus, detail: str, count: int | None = None
) -> ReadinessPart:
    url = reverse_pane(plugin, slug)
    return ReadinessPart(slug=slug, title=title, status=status, detail=detail, url=url, count=count)


def _persona_part(plugin: Plugin) -> ReadinessPart:
    if not plugin.system_prompt.strip():
        return _make_part(plugin, "persona", "Persona", ReadinessStatus.BLOCKS, "says nothing yet")
    if not (plugin.tagline and plugin.description):
        return _make_part(plugin, "persona", "Persona", ReadinessStatus.ATTENTION, "no words for its public page")
    return _make_part(plugin, "persona", "Persona", ReadinessStatus.FINE, "complete")


def _knowledge_part(plugin: Plugin, counts: PluginCounts) -> ReadinessPart:
    total, ready = sum(counts.documents.values()), counts.documents.get(DocumentStatus.READY, 0)
    failed = counts.documents.get(DocumentStatus.FAILED, 0)
    detail = f"{ready} of {total} ready" + (f", {failed} failed" if failed else "")
    if not total:
        return _make_part(plugin, "knowledge", "Knowledge", ReadinessStatus.BLOCKS, "no documents", 0)
    status = (
        ReadinessStatus.FINE if ready == total else ReadinessStatus.ATTENTION if ready else ReadinessStatus.BLOCKS
    )
    return _make_part(plugin, "knowledge", "Knowledge", status, detail, total)


def _trees_part(plugin: Plugin, counts: PluginCounts) -> ReadinessPart:
    if not counts.trees:
        return _make_part(plugin, "trees", "Trees", ReadinessStatus.OPEN, "none, and none needed", 0)
    if blocking := len(counts.tree_problems):
        word = "problem blocks" if blocking == 1 else "problems block"
        return _make_part(plugin, "trees", "Trees", ReadinessStatus.BLOCKS, f"{blocking} {word}", counts.trees)
    return _make_part(plugin, "trees", "Trees", ReadinessStatus.FINE, f"{counts.trees} checked", counts.trees)


def _golden_part(plugin: Plugin, counts: PluginCounts) -> ReadinessPart:
    count, share = counts.golden, counts.golden_share
    if not count:
        return _make_part(plugin, "golden", "Golden questions", ReadinessStatus.OPEN, "none yet", 0)
    if share is None:
        return _make_part(
            plugin, "golden", "Golden questions", ReadinessStatus.ATTENTION, f"{count}, not run yet", count
        )
    passed, enough = round(share * count), required_passes(count, share=plugin.golden_share)
    status = ReadinessStatus.FINE if passed >= enough else ReadinessStatus.ATTENTION
    gate = "" if plugin.golden_gate == GoldenGate.OFF else f", gate at {enough}"
    return _make_part(plugin, "golden", "Golden questions", status, f"{passed} of {count} pass{gate}", count)


def _gated_part(part: ReadinessPart, golden: GateResult) -> ReadinessPart:
    """The same, as the gate sees the draft of this moment: what was run before it changed says nothing about it."""
    if golden.policy != GoldenGate.BLOCK or not golden.questions:
        return part
    if golden.run is None:
        status = ReadinessStatus.ATTENTION if golden.runs_on_publish else ReadinessStatus.BLOCKS
        return replace(part, status=status, detail=f"{golden.questions}, not run as it stands")
    detail = f"{golden.passed} of {golden.questions} pass, gate at {golden.required}"
    return replace(part, status=ReadinessStatus.FINE if golden.is_met else ReadinessStatus.BLOCKS, detail=detail)


def _inbox_part(plugin: Plugin) -> ReadinessPart:
    """Nothing in it stands in the way of a release."""
    count = Query.objects.filter(plugin=plugin).needing_attention(since=timezone.now() - INBOX_PERIOD).count()
    detail = f"{count} question{'' if count == 1 else 's'} waiting" if count else "clear"
    return _make_part(
        plugin, "inbox", "Inbox", ReadinessStatus.OPEN if count else ReadinessStatus.FINE, detail, count
    )
