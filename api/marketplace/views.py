"""`/api/marketplace`: published plugins for anybody, the same as on the pages."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, timedelta
from typing import Any
from urllib.parse import urlencode

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.marketplace.serializers import (
    ListingDetailSerializer,
    ListingSerializer,
    MarketplaceSearchParameters,
    MarketplaceSerializer,
    StatsParameters,
    StatsSerializer,
)
from api.pagination import InvalidCursor
from api.schema.examples import MARKETPLACE_EXAMPLES
from api.views import PublicView
from lexic.errors import NotFound
from marketplace.catalogue.listing_query import parse_listing_query
from marketplace.catalogue.listing_search import FacetCounts, search_listings
from marketplace.listings.release_documents import titled_documents
from marketplace.models import DayOfPlugin, Listing
from plugins import slugs
from plugins.models import Release

MAX_SOURCES, MAX_RELEASES = 200, 50
_OUTCOMES = ("asked", "answered", "refused", "clarified", "failed")
_CURSOR_PREFIX = "o="


class NoSuchListing(NotFound):
    """There is no such plugin on the marketplace."""

    code = "unknown_plugin"
    hint = "GET /api/marketplace lists all that are published."


class MarketplaceView(PublicView):
    @extend_schema(
        parameters=[MarketplaceSearchParameters], responses=MarketplaceSerializer, examples=MARKETPLACE_EXAMPLES
    )
    def get(self, request: Request) -> Response:
        """Published plugins, searched by words and by meaning, narrowed by facets, in pages. No key is needed."""
        said = MarketplaceSearchParameters.read(request)
        limit, offset = said["limit"], _cursor_offset(said.get("cursor"))
        found = search_listings(parse_listing_query(dict(request.query_params.lists())), offset=offset, limit=limit)
        following = offset + limit if offset + limit < found.total else None
        previous = max(0, offset - limit) if offset else None
        return Response(
            {
                "results": ListingSerializer(found.listings, many=True).data,
                "count": found.total,
                "next": _page_link(request, following),
                "previous": _page_link(request, previous),
                "facets": _facets_json(found.facets),
            }
        )


class ListingView(PublicView):
    @extend_schema(responses=ListingDetailSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """All that is public of a published plugin: what is said of it, its sources by title, and its releases."""
        listing = get_listing(plugin)
        release = Release.objects.only("knowledge", "public_only").get(pk=listing.release_id)
        release.plugin = listing.plugin
        releases = Release.objects.filter(plugin=listing.pk).only("version", "notes", "created_at", "scorecard")
        more = {
            "documents": titled_documents(release).order_by("title_then", "pk")[:MAX_SOURCES],
            "releases": releases[:MAX_RELEASES],
        }
        whole = ListingDetailSerializer(listing, context=more)
        return Response(whole.data)


class StatsView(PublicView):
    @extend_schema(parameters=[StatsParameters], responses=StatsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How often it was asked by day, how the questions ended, and what was measured of its latest release."""
        days = StatsParameters.read(request)["days"]
        listing = get_listing(plugin)
        first = timezone.now().astimezone(UTC).date() - timedelta(days=days - 1)
        rows = list(DayOfPlugin.objects.filter(plugin=listing.pk, day__gte=first).order_by("day"))
        data = {
            "slug": listing.plugin.slug,
            "version": listing.release.version,
            "days": rows,
            "outcomes": {name: sum(getattr(row, name) for row in rows) for name in _OUTCOMES},
            "scorecard": listing.release.scorecard,
            "droppedShare": listing.dropped_share,
            "installs": listing.installs,
            "reviews": listing,
        }
        return Response(StatsSerializer(data).data)


def get_listing(reference: str) -> Listing:
    """By the plugin's slug or id. Raises `NoSuchListing` for what is not published and what does not exist alike."""
    if pk := slugs.parse_id(reference):
        found = Listing.objects.public().filter(pk=pk).first()
    else:
        found = Listing.objects.of_slug(reference)
    if found is None:
        raise NoSuchListing
    return found


def _facets_json(facets: FacetCounts) -> dict[str, Any]:
    return {"domains": facets.domains, "tags": facets.tags, "trust": facets.trust, "uses": facets.uses}


def _cursor_offset(cursor: str | None) -> int:
    """Raises `BadCursor` for one that was not given out here."""
    if cursor is None:
        return 0
    try:
        number = urlsafe_b64decode(cursor.encode()).decode("ascii").removeprefix(_CURSOR_PREFIX)
    except ValueError:
        raise InvalidCursor from None
    if not (number.isdigit() and len(number) <= 7):
        raise InvalidCursor
    return int(number)


def _page_link(request: Request, offset: int | None) -> str | None:
    if offset is None:
        return None
    cursor = urlsafe_b64encode(f"{_CURSOR_PREFIX}{offset}".encode()).decode()
    said = [(name, value) for name, values in request.query_params.lists() for value in values if name != "cursor"]
    address = request.build_absolute_uri(request.path)
    return f"{address}?{urlencode([*said, ('cursor', cursor)])}"
