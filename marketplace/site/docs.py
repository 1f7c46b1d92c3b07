"""`/docs` and `/docs/<name>`: the guides."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.site import guides

FIRST = guides.ENTRIES[0].name


@require_safe
def docs(request: HttpRequest, name: str = FIRST) -> HttpResponse:
    """A guide; without a name, the first."""
    try:
        shown = guides.guide(name)
    except KeyError as error:
        raise Http404("There is no such guide.") from error
    context = {
        "guide": shown,
        "shelves": guides.SHELVES,
        "following": guides.following(name),
        "path": reverse("guide", args=[name]),
        "section": "docs",
    }
    return render(request, "marketplace/guide.html", context)
