"""`/docs` and `/docs/<name>`: the guides."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from marketplace.site import guides

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
