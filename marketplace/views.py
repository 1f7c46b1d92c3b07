from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from plugins.models import Plugin

SHOWN = 24


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """What Lexic is, and the plugins that can be asked."""
    published = Plugin.objects.filter(is_published=True).only("name", "slug", "tagline", "domain", "version")
    return render(request, "marketplace/home.html", {"plugins": published.order_by("-updated_at")[:SHOWN]})
