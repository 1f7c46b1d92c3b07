"""A release by itself: what its author says of it, how it did, and what is different in it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.plugin_page import release_history
from marketplace.plugin_page.page_view import head_context, listing_or_none, plugin_or_404
from marketplace.plugin_page.source_table import source_titles
from plugins.models import Release


@require_safe
def release_view(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Of a published plugin; raises Http404 for what it never released."""
    plugin = plugin_or_404(slug)
    found = release_history.release_by_version(plugin, version=version[:32])
    if found is None:
        raise Http404("This plugin has no such release.")
    earlier = release_history.previous_release(found)
    context = {
        **head_context(plugin, found, listing_or_none(plugin)),
        "path": reverse("plugin_release", args=[plugin.slug, found.version]),
        "is_latest": plugin.version == found.version,
        "earlier": earlier,
        "passed": release_history.pass_counts(found.scorecard),
        **(_differences_context(found, earlier) if earlier else {}),
    }
    return render(request, "marketplace/plugin/release.html", context)


def _differences_context(now: Release, since: Release) -> dict[str, list[str]]:
    are, were = source_titles(now), source_titles(since)
    return {
        "changed": release_history.public_changes(now, since=since),
        "added": sorted(are - were),
        "gone": sorted(were - are),
    }
