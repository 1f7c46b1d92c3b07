"""`/docs` and `/docs/<name>`: the guides; and `/docs/search`."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.site import guides
from marketplace.site.guide_search import MAX_QUERY_CHARACTERS, search_guides

FIRST_GUIDE = guides.GUIDE_ENTRIES[0].name


@require_safe
def guide_view(request: HttpRequest, name: str = FIRST_GUIDE) -> HttpResponse:
    """A guide; without a name, the first."""
    try:
        shown = guides.load_guide(name)
    except KeyError as error:
        raise Http404("There is no such guide.") from error
    context = {
        "guide": shown,
        "shelves": guides.GUIDE_GROUPS,
        "following": guides.next_guide(name),
        "path": reverse("guide", args=[name]),
        "section": "docs",
    }
    return render(request, "marketplace/guide.html", context)


@require_safe
def guide_search_view(request: HttpRequest) -> HttpResponse:
    """`?q=`: sections of the guides that have these words."""
    query = " ".join(request.GET.get("q", "").split())[:MAX_QUERY_CHARACTERS]
    context = {"query": query, "found": search_guides(query), "shelves": guides.GUIDE_GROUPS, "section": "docs"}
    return render(request, "marketplace/guide_search.html", context)
