"""Copies a release's scorecard into the columns of its listing, and says what in it needs attention."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from evaluation.golden.golden_runs import required_passes
from evaluation.models import EvaluationRun
from marketplace.listings.stale_score_messages import asked_again_sentence, old_sentence, superseded_sentence
from marketplace.listings.trust_label import scorecard_rate, wilson_interval
from marketplace.models import Label
from plugins.models import Plugin, Release

MAX_SCORECARD_AGE = timedelta(days=180)


def scorecard_columns(release: Release) -> dict[str, Any]:
    """The columns of a listing that come from the scorecard alone. None is what was not measured."""
    card = release.scorecard
    answered, refused = scorecard_rate(card, "answered"), scorecard_rate(card, "refused")
    total, passed = card.get("golden_total") or 0, card.get("golden_passed") or 0
    return {
        "answered_right": answered.right if answered else None,
        "to_answer": answered.total if answered else None,
        "refused_right": refused.right if refused else None,
        "to_refuse": refused.total if refused else None,
        "measured_on": date.fromisoformat(card["date"]) if total else None,
        "share_right": passed / total if total else None,
        "right_at_least": wilson_interval(passed, total)[0] if total else None,
    }


def attention_sentence(plugin: Plugin, release: Release, *, superseded: int, today: date) -> str:
    """Why the figures may no longer hold, a sentence; empty where they do, and where nothing was measured.

    `superseded`: how many sources were, after it was measured. One statement at most.
    """
    card = release.scorecard
    if not card.get("golden_total"):
        return ""
    if superseded:
        return superseded_sentence(superseded)
    if today - date.fromisoformat(card["date"]) > MAX_SCORECARD_AGE:
        return old_sentence(MAX_SCORECARD_AGE.days)
    return _failed_rerun_sentence(plugin, release)


def listing_label(columns: dict[str, Any], *, attention: str) -> Label:
    if columns["measured_on"] is None:
        return Label.NONE
    return Label.ATTENTION if attention else Label.MEASURED


def _failed_rerun_sentence(plugin: Plugin, release: Release) -> str:
    """What the latest whole run of the golden questions since the release says, where too few of them passed."""
    runs = EvaluationRun.objects.filter(plugin=plugin, started__gt=release.created_at).exclude(content="")
    run = runs.only("questions").first()
    if run is None or not run.questions:
        return ""
    passed = sum(bool(one["passed"]) for one in run.questions)
    if passed >= required_passes(len(run.questions), share=plugin.golden_share):
        return ""
    return asked_again_sentence(passed, total=len(run.questions))
