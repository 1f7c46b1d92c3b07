"""The JSON of published plugins, with public fields only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from api.fields import QueryParameters, StrictIntegerField, StrictSerializer, validated
from api.pagination import DefaultPagination
from api.plugins.serializers import PluginSerializer
from api.releases.serializers import ScorecardSerializer
from lexic.http.parameters import MAX_SEARCH_LENGTH
from marketplace.catalogue.listing_query import (
    MAX_DOMAINS,
    MAX_TAGS,
    ListingSort,
    TrustFilter,
    UseFilter,
)
from marketplace.listings.trust_label import Rate
from marketplace.models import Label, Listing, Review, ReviewVerdict
from plugins.models import CitationMode

MAX_DAYS = 365


class RateSerializer(serializers.Serializer):
    """So many right of so many golden questions; the true share (0 to 1) lies between `low` and `high` with 95 %."""

    right = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=1)
    low = serializers.FloatField(min_value=0, max_value=1)
    high = serializers.FloatField(min_value=0, max_value=1)


class SourcesSerializer(serializers.Serializer):
    """What it reads. `newest`: the latest date that one of them is of, or in force from."""

    documents = serializers.IntegerField(source="sources")
    pages = serializers.IntegerField()
    newest = serializers.DateField(allow_null=True)
    superseded = serializers.IntegerField()


class VerdictsSerializer(serializers.Serializer):
    """How many people who used it say what: relied on it, used it with care, or was wrong for them."""

    relied = serializers.IntegerField()
    care = serializers.IntegerField()
    wrong = serializers.IntegerField()


class ListingSerializer(serializers.Serializer):
    """A published plugin. Figures are of its latest release; null is what nobody has measured yet."""

    slug = serializers.CharField(source="plugin.slug")
    name = serializers.CharField(source="plugin.name")
    tagline = serializers.CharField(source="plugin.tagline")
    description = serializers.CharField(source="plugin.description")
    domain = serializers.CharField(source="plugin.domain")
    tags = serializers.ListField(child=serializers.CharField(), source="plugin.tags")
    author = serializers.CharField(help_text="The name they go by.")
    version = serializers.CharField(source="release.version", help_text="That of the latest release.")
    releasedAt = serializers.DateTimeField(source="released_at")
    url = serializers.SerializerMethodField(help_text="Its page.")
    label = serializers.ChoiceField(Label.values)  # type: ignore[assignment]
    attention = serializers.SerializerMethodField(help_text="Why the figures may no longer hold.")
    answered = serializers.SerializerMethodField()
    refused = serializers.SerializerMethodField()
    measuredOn = serializers.DateField(source="measured_on", allow_null=True)
    sources = SourcesSerializer(source="*")
    asked30Days = serializers.IntegerField(source="asked")
    installs = serializers.IntegerField()
    reviews = VerdictsSerializer(source="*")
    isShared = serializers.BooleanField(source="plugin.is_shared", help_text="A copy may be installed.")
    hasChat = serializers.BooleanField(source="plugin.public_chat")

    def get_url(self, listing: Listing) -> str:
        return f"{settings.PUBLIC_URL}{reverse('plugin', args=[listing.plugin.slug])}"

    def get_attention(self, listing: Listing) -> str | None:
        return listing.attention or None

    @extend_schema_field(RateSerializer(allow_null=True))
    def get_answered(self, listing: Listing) -> dict[str, Any] | None:
        return _rate_json(listing.answered_right, listing.to_answer)

    @extend_schema_field(RateSerializer(allow_null=True))
    def get_refused(self, listing: Listing) -> dict[str, Any] | None:
        return _rate_json(listing.refused_right, listing.to_refuse)


class FacetsSerializer(serializers.Serializer):
    """How many there would be with each choice, all other facets as they are."""

    domains = serializers.DictField(child=serializers.IntegerField())
    tags = serializers.DictField(child=serializers.IntegerField())
    trust = serializers.DictField(child=serializers.IntegerField())
    uses = serializers.DictField(child=serializers.IntegerField())


class MarketplaceSerializer(serializers.Serializer):
    results = ListingSerializer(many=True)
    count = serializers.IntegerField(min_value=0, help_text="On all pages together.")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    facets = FacetsSerializer()


class ReleaseNotesSerializer(serializers.Serializer):
    version = serializers.CharField()
    notes = serializers.CharField()
    createdAt = serializers.DateTimeField(source="created_at")
    scorecard = ScorecardSerializer()


class SourceSerializer(serializers.Serializer):
    """A document that the latest release reads. Its text is not public."""

    title = serializers.CharField(source="title_then")
    type = serializers.CharField(source="source_type")
    pages = serializers.IntegerField(source="page_count", allow_null=True)
    date = serializers.DateField(source="doc_date", allow_null=True)
    effectiveFrom = serializers.DateField(source="effective_from", allow_null=True)
    supersededOn = serializers.DateField(source="superseded_on", allow_null=True)


@extend_schema_serializer(component_name="WholeListing")
class ListingDetailSerializer(ListingSerializer):
    """A published plugin, all that is public of it: at most 200 sources, and 50 releases, the latest first."""

    audience = serializers.CharField(source="release.audience")
    disclaimer = serializers.CharField(source="release.disclaimer")
    citationMode = serializers.ChoiceField(CitationMode.values, source="release.citation_mode")
    documents = serializers.SerializerMethodField()
    releases = serializers.SerializerMethodField()

    @extend_schema_field(SourceSerializer(many=True))
    def get_documents(self, listing: Listing) -> Any:
        return SourceSerializer(self.context["documents"], many=True).data

    @extend_schema_field(ReleaseNotesSerializer(many=True))
    def get_releases(self, listing: Listing) -> Any:
        return ReleaseNotesSerializer(self.context["releases"], many=True).data


class ListingDaySerializer(serializers.Serializer):
    """The questions of one day (UTC) and how they ended. Milliseconds of those that were answered."""

    day = serializers.DateField()
    asked = serializers.IntegerField()
    answered = serializers.IntegerField()
    refused = serializers.IntegerField()
    clarified = serializers.IntegerField()
    failed = serializers.IntegerField()
    medianMs = serializers.IntegerField(source="median_ms", allow_null=True)
    p95Ms = serializers.IntegerField(source="p95_ms", allow_null=True)


class OutcomesSerializer(serializers.Serializer):
    asked = serializers.IntegerField()
    answered = serializers.IntegerField()
    refused = serializers.IntegerField()
    clarified = serializers.IntegerField()
    failed = serializers.IntegerField()


class StatsSerializer(serializers.Serializer):
    """Days without a question are left out. `droppedShare`: of the sentences written in the last 30 days, those that no
    source bore out, so that nobody saw them; null where nothing was asked."""

    slug = serializers.CharField()
    version = serializers.CharField()
    days = ListingDaySerializer(many=True)
    outcomes = OutcomesSerializer(help_text="Of these days together.")
    scorecard = ScorecardSerializer()
    droppedShare = serializers.FloatField(allow_null=True)
    installs = serializers.IntegerField()
    reviews = VerdictsSerializer()


class ReviewSerializer(serializers.Serializer):
    """How somebody fared with the plugin. `questions`: how many they had asked when they wrote it, since `askedSince`.
    `release` is the latest one that they asked. `reply` is the author's, null where there is none."""

    id = serializers.UUIDField()
    verdict = serializers.ChoiceField(ReviewVerdict.values)
    text = serializers.CharField()
    author = serializers.CharField(source="author.public_name", help_text="The name they go by.")
    questions = serializers.IntegerField()
    askedSince = serializers.DateField(source="asked_since", allow_null=True)
    hasInstalled = serializers.BooleanField(source="has_installed")
    release = serializers.CharField(source="release.version", allow_null=True, default=None)
    isOlderRelease = serializers.SerializerMethodField(help_text="Whether agents ask another release by now.")
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")
    reply = serializers.SerializerMethodField()

    def get_isOlderRelease(self, review: Review) -> bool:
        return review.release is not None and review.release.version != self.context["latest"]

    def get_reply(self, review: Review) -> str | None:
        return review.reply or None


class InstallSerializer(StrictSerializer):
    copies = StrictIntegerField(
        min_value=0,
        max_value=10_000,
        required=False,
        help_text="How many copies of this release you know you have: makes one more. Left out: one is made unless you "
        "have one, so that asking again does no harm.",
    )


class InstalledSerializer(serializers.Serializer):
    """`isNew` is false where you had a copy of this release, which is what comes back."""

    plugin = PluginSerializer(source="install.copy")
    isNew = serializers.BooleanField(source="is_new")
    waiting = serializers.IntegerField(
        source="unfinished", help_text="So many documents are embedded again by a worker."
    )
    madeFrom = serializers.CharField(source="install.original_name", help_text="What the original is called.")
    author = serializers.CharField(source="install.original_author")
    release = serializers.CharField(source="install.version")


class MarketplaceSearchParameters(QueryParameters):
    """What is looked for, and how it is narrowed."""

    q = serializers.CharField(
        max_length=MAX_SEARCH_LENGTH,
        required=False,
        allow_blank=True,
        help_text='Words, or what it is about. "In quotation marks" must occur as it is, and -this must not.',
    )
    domain = serializers.ListField(
        child=serializers.CharField(max_length=80),
        max_length=MAX_DOMAINS,
        required=False,
        help_text="One of these; may be repeated.",
    )
    tag = serializers.ListField(
        child=serializers.CharField(max_length=40),
        max_length=MAX_TAGS,
        required=False,
        help_text="All of these; may be repeated.",
    )
    trust = serializers.ChoiceField(
        [one.value for one in TrustFilter],
        required=False,
        help_text="`right`: 95 % of its golden questions or more.",
    )
    use = serializers.ListField(
        child=serializers.ChoiceField([one.value for one in UseFilter]),
        max_length=len(UseFilter),
        required=False,
        help_text="How it may be used: all of these; may be repeated.",
    )
    sort = serializers.ChoiceField(
        [one.value for one in ListingSort],
        required=False,
        help_text="Without it: the best match where something is looked for, else what is most often right.",
    )
    limit = serializers.IntegerField(
        min_value=1,
        max_value=DefaultPagination.max_page_size,
        default=DefaultPagination.page_size,
        help_text="Rows on a page.",
    )
    cursor = serializers.CharField(
        max_length=100, required=False, help_text="Where the page begins: out of `next` or `previous`."
    )

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """As in `QueryParameters`, but parameters may be repeated. Raises `ValidationError`."""
        return validated(cls(data=request.query_params))


class StatsParameters(QueryParameters):
    days = serializers.IntegerField(
        min_value=1, max_value=MAX_DAYS, default=30, help_text="How many days, today among them."
    )


def _rate_json(right: int | None, total: int | None) -> dict[str, Any] | None:
    if not total or right is None:
        return None
    rate = Rate(right=right, total=total)
    return {"right": right, "total": total, "low": round(rate.low, 4), "high": round(rate.high, 4)}
