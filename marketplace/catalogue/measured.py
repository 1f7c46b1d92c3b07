"""What a release's scorecard says, as a listing keeps it, and what of it needs attention."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from marketplace.catalogue.trust import rate_of, wilson
from marketplace.golden_gate import needed
from marketplace.models import Label
from plugins.models import Plugin, Release
from querying.models import EvaluationRun

FRESH_FOR = timedelta(days=180)
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def columns_of(release: Release) -> dict[str, Any]:
    """The columns of a listing that come from the scorecard alone. None is what was not measured."""
    card = release.scorecard
    answered, refused = rate_of(card, "answered"), rate_of(card, "refused")
    total, passed = card.get("golden_total") or 0, card.get("golden_passed") or 0
    return {
        "answered_right": answered.right if answered else None,
        "to_answer": answered.total if answered else None,
        "refused_right": refused.right if refused else None,
        "to_refuse": refused.total if refused else None,
        "measured_on": date.fromisoformat(card["date"]) if total else None,
        "share_right": passed / total if total else None,
        "right_at_least": wilson(passed, total)[0] if total else None,
    }


def attention_to(plugin: Plugin, release: Release, *, superseded: int, today: date) -> str:
    """Why the figures may no longer hold, a sentence; empty where they do, and where nothing was measured.

    `superseded`: how many sources were, after it was measured. One statement at most.
    """
    card = release.scorecard
    if not card.get("golden_total"):
        return ""
    if superseded:
        many = _COUNTS[superseded] if superseded < len(_COUNTS) else f"{superseded:,}"
        were = "source was" if superseded == 1 else "sources were"
        return f"{many.capitalize()} {were} superseded after it was measured."
    if today - date.fromisoformat(card["date"]) > FRESH_FOR:
        return f"It was measured more than {FRESH_FOR.days} days ago."
    return _fell_short(plugin, release)


def label_of(columns: dict[str, Any], *, attention: str) -> Label:
    if columns["measured_on"] is None:
        return Label.NONE
    return Label.ATTENTION if attention else Label.MEASURED


def _fell_short(plugin: Plugin, release: Release) -> str:
    """What the latest whole run of the golden questions since the release says, where too few of them passed."""
    runs = EvaluationRun.objects.filter(plugin=plugin, started__gt=release.created_at).exclude(content="")
    run = runs.only("questions").first()
    if run is None or not run.questions:
        return ""
    passed = sum(bool(one["passed"]) for one in run.questions)
    if passed >= needed(len(run.questions), share=plugin.golden_share):
        return ""
    return f"Asked again since, {passed} of {len(run.questions)} golden questions went right."
