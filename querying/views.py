"""The page a citation opens: the frozen text with the cited span marked, for whoever may read the document."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.models import User
from knowledge.models import KnowledgeBase, Page


@require_GET
@login_required
def source(request: HttpRequest, page_id: int) -> HttpResponse:
    assert isinstance(request.user, User)
    readable = KnowledgeBase.objects.visible_to(request.user)
    pages = Page.objects.filter(document__knowledge_base__in=readable).select_related("document")
    page = pages.filter(pk=page_id).first()
    if page is None:
        raise Http404("There is no such page, or you may not read it.")
    start, end = _offset(request, "start"), _offset(request, "end")
    parts = {
        "before": page.text[:start],
        "cited": page.text[start:end],
        "after": page.text[max(start, end) :],
    }
    return render(request, "querying/source.html", {"page": page, **parts})


def _offset(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "0")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
