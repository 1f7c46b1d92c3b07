"""The public pages: what there is, and one plugin."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from plugins.models import Plugin

SHOWN = 24


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Lexic is, and the plugins that can be asked."""
    published = Plugin.objects.filter(is_published=True).order_by("-updated_at", "pk")
    shown = published.only("name", "slug", "tagline", "domain", "version")
    page = Paginator(shown, SHOWN).get_page(request.GET.get("page"))
    return render(request, "marketplace/home.html", {"page": page})


@require_safe
def plugin(request: HttpRequest, slug: str) -> HttpResponse:
    """What a published plugin knows, and how to ask it."""
    found = get_object_or_404(Plugin.objects.filter(is_published=True), slug=slug)
    is_editor = (
        request.user.is_authenticated and Plugin.objects.editable_by(request.user).filter(pk=found.pk).exists()
    )
    context = {
        "plugin": found,
        "release": found.latest_release(),
        "is_editor": is_editor,
        "address": request.build_absolute_uri("/api/v1/query"),
    }
    return render(request, "marketplace/plugin.html", context)
