"""The releases of a plugin as everybody may see them: when, what its author says of them, and how they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, F, Func, IntegerField, QuerySet, Window

from marketplace.listings.trust_label import Rate, scorecard_rate
from plugins.models import AnswerPolicy, Plugin, Release

DEFAULT_RELEASES = 5
# As many as one page shows at all.
MAX_RELEASES = 200
# Of these a page about a release needs nothing, and some are large.
_DEFERRED_FIELDS = ("trees", "system_prompt", "audience", "tone", "limits", "synonyms", "calibration")


def recent_releases(plugin: Plugin, *, most: int = DEFAULT_RELEASES) -> list[Release]:
    """The newest first, each with `total`, how many there are, and `tree_count`. Nothing private is read. One
    statement."""
    return list(_public_releases(plugin).annotate(total=Window(Count("pk")))[:most])


def release_by_version(plugin: Plugin, *, version: str) -> Release | None:
    # The database takes no null character, not even to say that there is no such version.
    return _public_releases(plugin).filter(version=version).first() if "\x00" not in version else None


def previous_release(release: Release) -> Release | None:
    """The one that agents asked before it."""
    earlier = Release.objects.filter(plugin_id=release.plugin_id, created_at__lt=release.created_at)
    return earlier.order_by("-created_at").first()


def public_changes(now: Release, *, since: Release) -> list[str]:
    """What differs in what decides answers, each a sentence: that something is different, never what it says."""
    names = {field.name: str(field.verbose_name) for field in AnswerPolicy._meta.fields}
    different = [names[name] for name in names if getattr(now, name) != getattr(since, name)]
    said = [f"{name.capitalize()}: changed." for name in different if name != "calibration"]
    if now.trees != since.trees:
        was, are = len(since.trees), len(now.trees)
        said.append("Decision trees: changed." if was == are else f"Decision trees: {are}, before it {was}.")
    return said


def pass_counts(scorecard: Mapping[str, Any]) -> dict[str, str]:
    """`right` and `refused`, each as `97/100`; empty where nothing was measured. A scorecard of old, which knows only
    how many went as they should, says `all`."""
    right, refused = scorecard_rate(scorecard, "answered"), scorecard_rate(scorecard, "refused")
    said = {"right": _rate_text(right), "refused": _rate_text(refused)}
    total = scorecard.get("golden_total")
    if total and not (right or refused):
        said["all"] = f"{scorecard.get('golden_passed') or 0}/{total}"
    return said


def _rate_text(rate: Rate | None) -> str:
    return f"{rate.right}/{rate.total}" if rate else ""


def _public_releases(plugin: Plugin) -> QuerySet[Release]:
    count = Func(F("trees"), function="jsonb_array_length", output_field=IntegerField())
    return plugin.releases.defer(*_DEFERRED_FIELDS).annotate(tree_count=count).order_by("-created_at")
