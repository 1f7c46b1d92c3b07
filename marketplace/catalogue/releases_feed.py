"""New releases as an Atom feed, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import HttpRequest
from django.template.defaultfilters import linebreaksbr
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from marketplace.listings.listing_text import normalize_domain
from plugins.models import Plugin, Release

MAX_ENTRIES = 50
_ENTRY_URN = "urn:uuid:{}"
_MAX_NOTES_LENGTH = 2_000


class ReleasesFeed(Feed):
    """What is published now. An entry's id is the release's own, so it stays the same wherever the site moves."""

    feed_type = Atom1Feed
    title = "New releases on Lexic"
    subtitle = "Plugins that experts have published, each with what has changed."

    def link(self) -> str:
        return f"{settings.PUBLIC_URL}{reverse('marketplace')}"

    def feed_url(self) -> str:
        return f"{settings.PUBLIC_URL}{reverse('releases_feed')}"

    feed_guid = feed_url

    def items(self) -> list[Release]:
        published = Release.objects.filter(plugin__in=Plugin.objects.listed()).select_related("plugin", "plugin__owner")
        shown = published.only(
            "version",
            "notes",
            "created_at",
            "plugin__name",
            "plugin__slug",
            "plugin__tagline",
            "plugin__domain",
            "plugin__owner__display_name",
        )
        return list(shown.order_by("-created_at", "pk")[:MAX_ENTRIES])

    def item_title(self, item: Release) -> str:
        return _xml_safe(f"{item.plugin.name} {item.version}")

    def item_description(self, item: Release) -> str:
        said = item.notes[:_MAX_NOTES_LENGTH] or item.plugin.tagline or "A new release."
        return linebreaksbr(_xml_safe(said), autoescape=True)  # readers take it for HTML

    def item_link(self, item: Release) -> str:
        return f"{settings.PUBLIC_URL}{reverse('plugin', args=[item.plugin.slug])}#releases"

    def item_guid(self, item: Release) -> str:
        return _ENTRY_URN.format(item.pk)

    def item_pubdate(self, item: Release) -> datetime:
        return item.created_at

    def item_updateddate(self, item: Release) -> datetime:
        return item.created_at

    def item_author_name(self, item: Release) -> str | None:
        return _xml_safe(item.plugin.owner.public_name)

    def item_categories(self, item: Release) -> list[str]:
        return [_xml_safe(normalize_domain(item.plugin.domain))]

    def __call__(self, request: HttpRequest, *args: object, **kwargs: object) -> Any:
        response = super().__call__(request, *args, **kwargs)
        response["Cache-Control"] = "public, max-age=300"
        return response


def _xml_safe(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(character for character in text if character in "\t\n" or character.isprintable())
