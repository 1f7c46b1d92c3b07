"""The first page: what Lexic is, shown by an answer that it gave."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from marketplace.plugin_page.code_snippets import build_snippets
from marketplace.plugin_page.first_question import first_question
from marketplace.site.featured_plugin import FeaturedPlugin, featured_plugin
from marketplace.site.site_figures import cached_figures

# The one that `manage.py demo` makes: what the programs ask while nothing is published.
_DEMO_SLUG = "structural-engineering-concrete-cover"
_SNIPPET_IDS = ("http", "python", "mcp")


@require_safe
def home_view(request: HttpRequest) -> HttpResponse:
    """Works with nothing published, too: then it says how answers come about."""
    shown = featured_plugin()
    # They ask what the page shows, so that whoever copies one gets that answer.
    slug = shown.listing.plugin.slug if shown else _DEMO_SLUG
    question = _sample_question(shown) if shown else ""
    by_id = {snippet.id: snippet for snippet in build_snippets(slug, question=question)}
    snippets = [by_id[name] for name in _SNIPPET_IDS]
    context = {"featured": shown, "figures": cached_figures(), "snippets": snippets}
    return render(request, "marketplace/home.html", context)


def _sample_question(shown: FeaturedPlugin) -> str:
    """What the page shows an answer to, else one that the plugin should answer."""
    if shown.answer:
        return shown.answer.question
    return first_question(shown.listing.plugin, viewer=None)
