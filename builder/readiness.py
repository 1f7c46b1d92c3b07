"""The obstacles between a draft and a release, part by part, each with a link to where it is solved."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils import timezone

from evaluation.golden.golden_runs import required_passes
from evaluation.plugin_counts import PluginCounts
from knowledge.models import DocumentStatus
from marketplace.publishing.publishing_gate import GateResult
from plugins.models import GoldenGate, Plugin
from querying.models import ATTENTION_PERIOD, Query

_TITLES = {
    "persona": "Persona",
    "knowledge": "Knowledge",
    "trees": "Trees",
    "golden": "Golden questions",
    "inbox": "Inbox",
}


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
        _make_part(plugin, "persona", *_persona_status(plugin)),
        _make_part(plugin, "knowledge", *_knowledge_status(counts), sum(counts.documents.values())),
        _make_part(plugin, "trees", *_trees_status(counts), counts.trees),
        _make_part(plugin, "golden", *_golden_status(plugin, counts), counts.golden),
    ]


def reverse_pane(plugin: Plugin, slug: str) -> str:
    """The address of a part of the plugin's page."""
    if slug == "persona":
        return reverse("admin:plugins_plugin_change", args=[plugin.pk])
    return reverse(f"admin:builder_{slug}", args=[plugin.pk])


def _make_part(
    plugin: Plugin, slug: str, status: ReadinessStatus, detail: str, count: int | None = None
) -> ReadinessPart:
    url = reverse_pane(plugin, slug)
    return ReadinessPart(slug=slug, title=_TITLES[slug], status=status, detail=detail, url=url, count=count)


def _persona_status(plugin: Plugin) -> tuple[ReadinessStatus, str]:
    if not plugin.system_prompt.strip():
        return ReadinessStatus.BLOCKS, "says nothing yet"
    if not plugin.tagline:
        return ReadinessStatus.OPEN, "no tagline (optional)"
    if not plugin.description:
        return ReadinessStatus.OPEN, "no description (optional)"
    return ReadinessStatus.FINE, "complete"


def _knowledge_status(counts: PluginCounts) -> tuple[ReadinessStatus, str]:
    total, ready = sum(counts.documents.values()), counts.documents.get(DocumentStatus.READY, 0)
    if not total:
        return ReadinessStatus.BLOCKS, "no documents"
    failed = counts.documents.get(DocumentStatus.FAILED, 0)
    detail = f"{ready} of {total} ready" + (f", {failed} failed" if failed else "")
    if ready == total:
        return ReadinessStatus.FINE, detail
    return ReadinessStatus.ATTENTION if ready else ReadinessStatus.BLOCKS, detail


def _trees_status(counts: PluginCounts) -> tuple[ReadinessStatus, str]:
    if not counts.trees:
        return ReadinessStatus.OPEN, "not used (optional)"
    if blocking := len(counts.tree_problems):
        return ReadinessStatus.BLOCKS, f"{blocking} problem{' blocks' if blocking == 1 else 's block'}"
    return ReadinessStatus.FINE, f"{counts.trees} in use"


def _golden_status(plugin: Plugin, counts: PluginCounts) -> tuple[ReadinessStatus, str]:
    count, passed = counts.golden, counts.golden_passed
    if not count:
        return ReadinessStatus.OPEN, "none (optional)"
    if not passed and not counts.golden_failed:
        return ReadinessStatus.ATTENTION, f"{count}, not run yet"
    enough = required_passes(count, share=plugin.golden_share)
    gate = "" if plugin.golden_gate == GoldenGate.OFF else f", {enough} needed"
    status = ReadinessStatus.FINE if passed >= enough else ReadinessStatus.ATTENTION
    return status, f"{passed} of {count} pass{gate}"


def _gated_part(part: ReadinessPart, golden: GateResult) -> ReadinessPart:
    """The same, as the gate sees the draft of this moment: what was run before it changed says nothing about it."""
    if golden.policy != GoldenGate.BLOCK or not golden.questions:
        return part
    if golden.run is None:
        status = ReadinessStatus.ATTENTION if golden.runs_on_publish else ReadinessStatus.BLOCKS
        return replace(part, status=status, detail=f"{golden.questions}, not run as it stands")
    detail = f"{golden.passed} of {golden.questions} pass, {golden.required} needed"
    return replace(part, status=ReadinessStatus.FINE if golden.is_met else ReadinessStatus.BLOCKS, detail=detail)


def _inbox_part(plugin: Plugin) -> ReadinessPart:
    """Nothing in the inbox blocks a release."""
    count = Query.objects.filter(plugin=plugin).needing_attention(since=timezone.now() - ATTENTION_PERIOD).count()
    if not count:
        return _make_part(plugin, "inbox", ReadinessStatus.FINE, "clear", 0)
    detail = f"{count} question{'' if count == 1 else 's'} waiting"
    return _make_part(plugin, "inbox", ReadinessStatus.OPEN, detail, count)
