"""The instructions for search engines: robots.txt and the sitemap."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from marketplace.models import Listing
from marketplace.site.guides import GUIDE_ENTRIES

# Of plugins, the newest; a sitemap holds 50,000 addresses at most.
_MAX_PLUGINS = 40_000
_DISALLOWED_PATHS = (
    "/admin/",
    "/accounts/",
    "/api-keys",
    "/api/",
    "/ask/",
    "/source/",
    "/invitations/",
    "/c/",
    "/chats",
    "/knowledge",
    "/projects",
    "/v1/",
    "/mcp",
    "/a2a/",
)
_MAX_AGE = 3600
_SITEMAP_CACHE_SECONDS = 600


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def robots_view(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _DISALLOWED_PATHS), "Allow: /api/docs", ""]
    lines.append(f"Sitemap: {settings.PUBLIC_URL}{reverse('sitemap')}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def sitemap_view(request: HttpRequest) -> HttpResponse:
    """The public pages: the guides, and the plugins that are published. Some minutes old at most."""
    content = caches["process"].get_or_set("sitemap", _render_sitemap, _SITEMAP_CACHE_SECONDS)
    return HttpResponse(content, content_type="application/xml; charset=utf-8")


def _render_sitemap() -> str:
    entries = format_html_join(
        "\n",
        "<url><loc>{}</loc>{}</url>",
        (
            (f"{settings.PUBLIC_URL}{path}", format_html("<lastmod>{}</lastmod>", day.isoformat()) if day else "")
            for path, day in _sitemap_entries()
        ),
    )
    form = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{}">\n{}\n</urlset>\n'
    return format_html(form, "http://www.sitemaps.org/schemas/sitemap/0.9", entries)


def _sitemap_entries() -> Iterator[tuple[str, date | None]]:
    """Path, and when it last changed where that is known."""
    for name in ("home", "marketplace", "api_docs", "become_author"):
        yield reverse(name), None
    for entry in GUIDE_ENTRIES:
        yield reverse("guide", args=[entry.name]), None
    plugins = Listing.objects.public().select_related(None).order_by("-released_at")
    # Looked up once: ten thousand times would take a second.
    above = reverse("plugin", kwargs={"slug": "-"}).removesuffix("-")
    for slug, released in plugins.values_list("plugin__slug", "released_at")[:_MAX_PLUGINS].iterator():
        yield f"{above}{slug}", released.date()
