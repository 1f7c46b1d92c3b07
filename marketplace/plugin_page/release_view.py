"""The page of one release: its notes, its golden results, and what changed in it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.comparison.document_changes import compare_documents
from marketplace.plugin_page import release_history
from marketplace.plugin_page.page_view import head_context, plugin_or_404
from marketplace.plugin_page.source_table import source_titles


@require_safe
def release_view(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Of a published plugin; raises Http404 for what it never released."""
    plugin = plugin_or_404(slug)
    release = release_history.release_by_version(plugin, version=version[:32])
    if release is None:
        raise Http404("This plugin has no such release.")
    context = {
        **head_context(plugin, release),
        "path": reverse("plugin_release", args=[plugin.address, release.version]),
        "is_latest": plugin.version == release.version,
        "passed": release_history.pass_counts(release.scorecard),
    }
    if earlier := release_history.previous_release(release):
        titles, earlier_titles = source_titles(release), source_titles(earlier)
        context |= {
            "earlier": earlier,
            "changed": release_history.public_changes(release, since=earlier),
            "added": sorted(titles - earlier_titles),
            "removed": sorted(earlier_titles - titles),
            "replaced": sorted(
                {one.title for one in compare_documents(release, earlier).replaced} & titles & earlier_titles
            ),
        }
    return render(request, "marketplace/plugin/release.html", context)
