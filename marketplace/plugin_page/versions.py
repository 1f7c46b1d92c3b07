"""The releases of a plugin as everybody may see them: when, what its author says of them, and how they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, F, Func, IntegerField, QuerySet, Window

from marketplace.catalogue.trust import Rate, rate_of
from plugins.models import AnswerPolicy, Plugin, Release

SHOWN = 5
# As many as one page shows at all.
MOST = 200
# Of these a page about a release needs nothing, and some are large.
_UNSEEN = ("trees", "system_prompt", "audience", "tone", "limits", "synonyms", "calibration")


def releases_of(plugin: Plugin, *, most: int = SHOWN) -> list[Release]:
    """The newest first, each with `total`, how many there are, and `tree_count`. Nothing private is read. One
    statement."""
    return list(_public(plugin).annotate(total=Window(Count("pk")))[:most])


def release_of(plugin: Plugin, *, version: str) -> Release | None:
    # The database takes no null character, not even to say that there is no such version.
    return _public(plugin).filter(version=version).first() if "\x00" not in version else None


def before(release: Release) -> Release | None:
    """The one that agents asked before it."""
    earlier = Release.objects.filter(plugin_id=release.plugin_id, created_at__lt=release.created_at)
    return earlier.order_by("-created_at").first()


def changed(now: Release, *, since: Release) -> list[str]:
    """What differs in what decides answers, each a sentence: that something is different, never what it says."""
    names = {field.name: str(field.verbose_name) for field in AnswerPolicy._meta.fields}
    different = [names[name] for name in names if getattr(now, name) != getattr(since, name)]
    said = [f"{name.capitalize()}: changed." for name in different if name != "calibration"]
    if now.trees != since.trees:
        was, are = len(since.trees), len(now.trees)
        said.append("Decision trees: changed." if was == are else f"Decision trees: {are}, before it {was}.")
    return said


def passed(scorecard: Mapping[str, Any]) -> dict[str, str]:
    """`right` and `refused`, each as `97/100`; empty where nothing was measured. A scorecard of old, which knows only
    how many went as they should, says `all`."""
    right, refused = rate_of(scorecard, "answered"), rate_of(scorecard, "refused")
    said = {"right": _counted(right), "refused": _counted(refused)}
    total = scorecard.get("golden_total")
    if total and not (right or refused):
        said["all"] = f"{scorecard.get('golden_passed') or 0}/{total}"
    return said


def _counted(rate: Rate | None) -> str:
    return f"{rate.right}/{rate.total}" if rate else ""


def _public(plugin: Plugin) -> QuerySet[Release]:
    count = Func(F("trees"), function="jsonb_array_length", output_field=IntegerField())
    return plugin.releases.defer(*_UNSEEN).annotate(tree_count=count).order_by("-created_at")
