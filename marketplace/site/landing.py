"""The first page: what Lexic is, shown by an answer that it gave."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from marketplace.plugin_page.snippets import Snippet, snippets_of
from marketplace.site.featured import Featured, featured
from marketplace.site.figures import figures

# The one that `manage.py demo` makes: what the programs ask while nothing is published.
_DEMO = "structural-engineering-concrete-cover"
_IDIOMS = ("http", "python", "mcp")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Works with nothing published, too: then it says how answers come about."""
    shown = featured()
    context = {"featured": shown, "figures": figures(), "snippets": _snippets(shown)}
    return render(request, "marketplace/home.html", context)


def _snippets(shown: Featured | None) -> list[Snippet]:
    """They ask what the page shows, so that whoever copies one gets that answer."""
    slug = shown.listing.plugin.slug if shown else _DEMO
    question = shown.answer.question if shown and shown.answer else ""
    by_id = {snippet.id: snippet for snippet in snippets_of(slug, question=question)}
    return [by_id[name] for name in _IDIOMS]
