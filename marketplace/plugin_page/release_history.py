"""The public history of a plugin's releases: dates, notes and results of golden questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, F, Func, IntegerField, QuerySet, Window
from django.utils.text import capfirst
from django.utils.translation import gettext

from marketplace.listings.trust_label import scorecard_rate
from plugins.models import AnswerPolicy, Plugin, Release

DEFAULT_RELEASES = 5
# The most releases on one page.
MAX_RELEASES = 200
# Columns that no page about releases needs; some are large.
_DEFERRED_FIELDS = ("trees", "system_prompt", "audience", "tone", "limits", "synonyms", "calibration")


def recent_releases(plugin: Plugin, *, limit: int = DEFAULT_RELEASES) -> list[Release]:
    """The newest releases first, each with `total` (the number of all releases) and `tree_count`. Private columns are
    not read. One statement."""
    return list(_public_releases(plugin).annotate(total=Window(Count("pk")))[:limit])


def release_by_version(plugin: Plugin, *, version: str) -> Release | None:
    """The release with this version, or None."""
    # PostgreSQL refuses null characters, also in a search.
    return _public_releases(plugin).filter(version=version).first() if "\x00" not in version else None


def previous_release(release: Release) -> Release | None:
    """The release that was current before this one, or None."""
    earlier = Release.objects.filter(plugin_id=release.plugin_id, created_at__lt=release.created_at)
    return earlier.order_by("-created_at").first()


def public_changes(now: Release, *, since: Release) -> list[str]:
    """One sentence for each changed setting that affects answers. It says that the setting changed, and not its
    value."""
    names = {field.name: gettext(str(field.verbose_name)) for field in AnswerPolicy._meta.fields}
    different = [name for name in names if getattr(now, name) != getattr(since, name)]
    sentences = [
        gettext("%(setting)s: changed.") % {"setting": capfirst(names[name])}
        for name in different
        if name != "calibration"
    ]
    if now.trees != since.trees:
        was, are = len(since.trees), len(now.trees)
        changed = gettext("Decision trees: changed.")
        counted = gettext("Decision trees: %(now)s, before %(before)s.") % {"now": are, "before": was}
        sentences.append(changed if was == are else counted)
    return sentences


def pass_counts(scorecard: Mapping[str, Any]) -> dict[str, str]:
    """`right` and `refused`, each as `97/100`, or empty if nothing was measured. An old scorecard, which has only the
    number of golden questions that passed, gives `all`."""
    rates = {"right": scorecard_rate(scorecard, "answered"), "refused": scorecard_rate(scorecard, "refused")}
    counts = {name: f"{rate.right}/{rate.total}" if rate else "" for name, rate in rates.items()}
    total = scorecard.get("golden_total")
    if total and not any(counts.values()):
        counts["all"] = f"{scorecard.get('golden_passed') or 0}/{total}"
    return counts


def _public_releases(plugin: Plugin) -> QuerySet[Release]:
    count = Func(F("trees"), function="jsonb_array_length", output_field=IntegerField())
    return plugin.releases.defer(*_DEFERRED_FIELDS).annotate(tree_count=count).order_by("-created_at")
