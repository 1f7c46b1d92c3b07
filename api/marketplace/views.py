"""`/api/marketplace`: published plugins for anybody, as on the pages; shared ones as a file and as one's own copy."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict
from datetime import UTC, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin.models import ADDITION
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rate_limits import DAY, MINUTE, count_or_wait
from accounts.visitors import visitor_id
from api.change_history import mark_changed
from api.etags import is_not_modified
from api.fields import validated
from api.marketplace import serializers
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import InvalidCursor, page_response
from api.plugins.views import check_may_add_plugins
from api.schema.examples import MARKETPLACE_EXAMPLES
from api.views import AuthorView, PublicView
from lexic.errors import NotFound
from lexic.http.downloads import DownloadResponse
from marketplace.catalogue.listing_query import parse_listing_query
from marketplace.catalogue.listing_search import search_listings
from marketplace.listings.release_documents import titled_documents
from marketplace.models import DayOfPlugin, Listing, Review
from marketplace.sharing.installs import install_copy
from marketplace.sharing.release_files import release_file
from marketplace.sharing.shareability import shared_release
from plugins import slugs
from plugins.models import Plugin, Release

MAX_SOURCES, MAX_RELEASES = 200, 50
# Files for one address. A file that does not exist, or that the caller has already, is not counted.
_DOWNLOAD_LIMITS = {MINUTE: 60, DAY: 1000}
_OUTCOMES = ("asked", "answered", "refused", "clarified", "failed")
_CURSOR_PREFIX = "o="


class UnknownListing(NotFound):
    """There is no such plugin on the marketplace."""

    code = "unknown_plugin"
    hint = "GET /api/marketplace lists all that are published."


class MarketplaceView(PublicView):
    @extend_schema(
        parameters=[serializers.MarketplaceSearchParameters],
        responses=serializers.MarketplaceSerializer,
        examples=MARKETPLACE_EXAMPLES,
    )
    def get(self, request: Request) -> Response:
        """Published plugins, searched by words and by meaning, narrowed by facets, in pages. No key is needed."""
        parameters = serializers.MarketplaceSearchParameters.read(request)
        limit, offset = parameters["limit"], _cursor_offset(parameters.get("cursor"))
        found = search_listings(parse_listing_query(dict(request.query_params.lists())), offset=offset, limit=limit)
        following = offset + limit if offset + limit < found.total else None
        previous = max(0, offset - limit) if offset else None
        return Response(
            {
                "results": serializers.ListingSerializer(found.listings, many=True).data,
                "count": found.total,
                "next": _page_link(request, following),
                "previous": _page_link(request, previous),
                "facets": asdict(found.facets),
            }
        )


class ListingView(PublicView):
    @extend_schema(responses=serializers.ListingDetailSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """All that is public of a published plugin: what is said of it, its sources by title, and its releases."""
        listing = _get_listing(plugin)
        release = Release.objects.only("knowledge", "public_only").get(pk=listing.release_id)
        release.plugin = listing.plugin
        releases = Release.objects.filter(plugin=listing.pk).only("version", "notes", "created_at", "scorecard")
        context = {
            "documents": titled_documents(release).order_by("title_then", "pk")[:MAX_SOURCES],
            "releases": releases[:MAX_RELEASES],
        }
        return Response(serializers.ListingDetailSerializer(listing, context=context).data)


class StatsView(PublicView):
    @extend_schema(parameters=[serializers.StatsParameters], responses=serializers.StatsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How often it was asked by day, how the questions ended, and what was measured of its latest release."""
        days = serializers.StatsParameters.read(request)["days"]
        listing = _get_listing(plugin)
        first = timezone.now().astimezone(UTC).date() - timedelta(days=days - 1)
        rows = list(DayOfPlugin.objects.filter(plugin=listing.pk, day__gte=first).order_by("day"))
        body = {
            "slug": listing.plugin.slug,
            "version": listing.release.version,
            "days": rows,
            "outcomes": {name: sum(getattr(row, name) for row in rows) for name in _OUTCOMES},
            "scorecard": listing.release.scorecard,
            "droppedShare": listing.dropped_share,
            "installs": listing.installs,
            "reviews": listing,
        }
        return Response(serializers.StatsSerializer(body).data)


class ReviewsView(PublicView):
    ordering = ("-updated_at", "pk")

    @extend_schema(responses=serializers.ReviewSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """What people say of a published plugin, the newest first. The counts of verdicts stand with the plugin."""
        found = get_object_or_404(Plugin.objects.with_page().at_address(plugin))

        reviews = Review.objects.filter(plugin=found).public()
        return page_response(self, reviews, serializers.ReviewSerializer, context={"latest": found.version})


class SharedDownloadView(PublicView):
    """A file is larger than a page, so it has a limit of its own besides that of all public views."""

    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, plugin: str) -> HttpResponseBase:
        """The latest release of a shared plugin as one file: persona, policy, trees, golden questions, and its
        documents with their pages, passages and vectors, so that they need not be read again. Import it with
        `POST /api/plugins/import`, or with `manage.py import_plugin`."""
        release = shared_release(plugin)
        file = release_file(release)
        etag = f'"{file.name[:32]}"'
        response: Any
        if is_not_modified(request, etag):
            response = Response(status=304)
        else:
            wait = count_or_wait(f"downloads:{visitor_id(request._request)}", _DOWNLOAD_LIMITS)
            if wait is not None:
                self.throttled(request, wait)
            name = f"{release.plugin.slug}-{release.version}.lexic.zip"
            response = DownloadResponse(file.open(), name=name, content_type="application/zip")
        response["ETag"] = etag
        # The author can stop sharing it at any moment, so a cache has to ask again.
        response["Cache-Control"] = "no-cache"
        return response


class InstallView(AuthorView):
    def check_replay(self, request: Request) -> None:
        check_may_add_plugins(self.principal)

    @extend_schema(
        request=serializers.InstallSerializer,
        responses={200: serializers.InstalledSerializer, 201: serializers.InstalledSerializer},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Make a draft of your own of the latest release of a shared plugin. Nothing is embedded again where this
        site's embedder is the same."""
        check_may_add_plugins(self.principal)
        copies = validated(serializers.InstallSerializer(data=request.data)).get("copies")
        installed = install_copy(plugin, by=self.user, there=copies)
        installed.install.copy.role = "owner"
        if installed.is_new:
            mark_changed(request, installed.install.copy, flag=ADDITION)
        return Response(serializers.InstalledSerializer(installed).data, status=201 if installed.is_new else 200)


def _get_listing(reference: str) -> Listing:
    """By the plugin's slug or id. Raises `UnknownListing`, whether it is not published or does not exist."""
    if pk := slugs.parse_id(reference):
        listing = Listing.objects.public().filter(pk=pk).first()
    else:
        listing = Listing.objects.of_slug(reference)
    if listing is None:
        raise UnknownListing
    return listing


def _cursor_offset(cursor: str | None) -> int:
    """Raises `InvalidCursor` for one that no answer contained."""
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
    sent = [(name, value) for name, values in request.query_params.lists() for value in values if name != "cursor"]
    return f"{request.build_absolute_uri(request.path)}?{urlencode([*sent, ('cursor', cursor)])}"
