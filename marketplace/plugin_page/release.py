"""A release by itself: what its author says of it, how it did, and what is different in it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.plugin_page import versions
from marketplace.plugin_page.page import about, listing_of, plugin_or_404
from marketplace.plugin_page.sources import titles_of
from plugins.models import Release


@require_safe
def release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Of a published plugin; raises Http404 for what it never released."""
    plugin = plugin_or_404(slug)
    found = versions.release_of(plugin, version=version[:32])
    if found is None:
        raise Http404("This plugin has no such release.")
    earlier = versions.before(found)
    context = {
        **about(plugin, found, listing_of(plugin)),
        "path": reverse("plugin_release", args=[plugin.slug, found.version]),
        "is_latest": plugin.version == found.version,
        "earlier": earlier,
        "passed": versions.passed(found.scorecard),
        **(_differences(found, earlier) if earlier else {}),
    }
    return render(request, "marketplace/plugin/release.html", context)


def _differences(now: Release, since: Release) -> dict[str, list[str]]:
    are, were = titles_of(now), titles_of(since)
    return {
        "changed": versions.changed(now, since=since),
        "added": sorted(are - were),
        "gone": sorted(were - are),
    }
