"""A plugin as JSON: what may be written, and what is only shown."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    OriginsField,
    QueryParameters,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
)
from evaluation.golden.golden_file import has_null_character
from lexic.column_length import column_length
from lexic.errors import Conflict
from lexic.http.parameters import MAX_SEARCH_LENGTH
from marketplace.sharing.shareability import check_shareable
from plugins.models import ChunkStrategy, CitationMode, GoldenGate, Planner, Plugin, Visibility
from plugins.slugs import MAX_SLUG_LENGTH, SlugTaken
from plugins.synonyms import MAX_GROUPS, MAX_PHRASE_LENGTH, MAX_PHRASES_PER_GROUP

MAX_TEXT_LENGTH = 50_000
MAX_TAGS = 50
ROLES = ("owner", "editor", "viewer")


class SlugIsFixed(Conflict):
    """Agents call it by its slug since its first release, so that stays."""

    code = "slug_is_fixed"


class ConfigField(serializers.DictField):
    """An object of whatever a program of the author wants to find again."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        config: dict[str, Any] = super().to_internal_value(data)
        if len(json.dumps(config)) > Plugin.MAX_CONFIG_LENGTH:
            raise serializers.ValidationError(f"At most {Plugin.MAX_CONFIG_LENGTH} characters of JSON.")
        if has_null_character(config):
            raise serializers.ValidationError("It has a null character, which cannot be stored.")
        return config


class CountsSerializer(serializers.Serializer):
    """How much there is of each part. `goldenShare`: of the golden questions that were run as they stand, those that
    passed; null where none was."""

    documents = serializers.IntegerField(min_value=0)
    documentsReady = serializers.IntegerField(min_value=0)
    documentsFailed = serializers.IntegerField(min_value=0)
    pages = serializers.IntegerField(min_value=0)
    trees = serializers.IntegerField(min_value=0)
    goldenQuestions = serializers.IntegerField(min_value=0)
    goldenShare = serializers.FloatField(allow_null=True)


class PluginRowSerializer(serializers.Serializer):
    """A plugin in a list."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField()
    tagline = serializers.CharField()
    domain = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    citationMode = serializers.ChoiceField(CitationMode.values, source="citation_mode")
    isPublished = serializers.BooleanField(source="is_published")
    visibility = serializers.ChoiceField(Visibility.values, help_text="Who can see it while it is published.")
    isShared = serializers.BooleanField(source="is_shared")
    version = serializers.CharField(help_text="That of the latest release.")
    role = serializers.ChoiceField(ROLES, help_text="Yours.")
    owner = serializers.CharField(source="owner.get_full_name")
    creatorId = serializers.UUIDField(source="owner_id")
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")
    counts = CountsSerializer()


@extend_schema_serializer(exclude_fields=["counts"])  # only in the list, of which a row may come back
class PluginSerializer(StrictSerializer):
    """A plugin, all of it but its knowledge, trees and golden questions. What is not sent stays as it is."""

    id = serializers.UUIDField(read_only=True)
    name = StrictCharField(max_length=column_length(Plugin, "name"))
    slug = StrictCharField(max_length=MAX_SLUG_LENGTH, required=False, help_text="Made from the name when left out.")
    tagline = StrictCharField(max_length=column_length(Plugin, "tagline"), allow_blank=True, required=False)
    description = StrictCharField(max_length=MAX_TEXT_LENGTH, allow_blank=True, required=False)
    domain = StrictCharField(max_length=column_length(Plugin, "domain"))
    tags = serializers.ListField(
        child=StrictCharField(max_length=column_length(Plugin, "tags")), max_length=MAX_TAGS, required=False
    )
    systemPrompt = StrictCharField(
        source="system_prompt",
        max_length=MAX_TEXT_LENGTH,
        required=False,
        help_text="A new plugin without one gets a first draft of it, and of audience, tone, limits and disclaimer.",
    )
    audience = StrictCharField(max_length=column_length(Plugin, "audience"), allow_blank=True, required=False)
    tone = StrictCharField(max_length=column_length(Plugin, "tone"), allow_blank=True, required=False)
    limits = StrictCharField(max_length=MAX_TEXT_LENGTH, allow_blank=True, required=False)
    disclaimer = StrictCharField(max_length=MAX_TEXT_LENGTH, allow_blank=True, required=False)
    citationMode = StrictChoiceField(CitationMode.values, source="citation_mode", required=False)
    topK = StrictIntegerField(source="top_k", min_value=1, max_value=50, required=False)
    threshold = StrictFloatField(min_value=0, max_value=1, required=False)
    evidenceThreshold = StrictFloatField(
        source="evidence_threshold", min_value=0, max_value=1, allow_null=True, required=False
    )
    synonyms = serializers.ListField(
        child=serializers.ListField(
            child=StrictCharField(max_length=MAX_PHRASE_LENGTH), min_length=2, max_length=MAX_PHRASES_PER_GROUP
        ),
        max_length=MAX_GROUPS,
        required=False,
        help_text='Phrases that mean the same: [["w/c", "water-cement ratio"]].',
    )
    planner = StrictChoiceField(
        Planner.values,
        required=False,
        help_text="Who turns a question into a plan: dates and labels that it names narrow what is read.",
    )
    publicOnly = StrictBooleanField(
        source="public_only",
        required=False,
        help_text="Whether people who do not work on it get answers only from documents marked public.",
    )
    goldenGate = StrictChoiceField(GoldenGate.values, source="golden_gate", required=False)
    goldenShare = StrictFloatField(source="golden_share", min_value=0, max_value=1, required=False)
    chunkStrategy = StrictChoiceField(ChunkStrategy.values, source="chunk_strategy", required=False)
    chunkSize = StrictIntegerField(source="chunk_size", min_value=200, max_value=8000, required=False)
    visibility = StrictChoiceField(
        Visibility.values,
        required=False,
        help_text="Who can see it while it is published: the people who work on it, anyone with a key, anyone who has"
        " the address of its page, or anyone.",
    )
    pageAddress = serializers.SerializerMethodField(help_text="Of the page that others can open; empty without one.")
    isShared = StrictBooleanField(
        source="is_shared", required=False, help_text="Whether others may have a copy of its releases."
    )
    sharesGolden = StrictBooleanField(
        source="shares_golden", required=False, help_text="Whether a copy holds its golden questions too."
    )
    publicChat = StrictBooleanField(
        source="public_chat", required=False, help_text="Whether anybody may chat with it on its page. It needs one."
    )
    embedOrigins = OriginsField(source="embed_origins")
    config = ConfigField(
        required=False,
        help_text="Values for programs of your own, at most 16 kB of JSON. Lexic keeps them and reads nothing in them.",
    )
    isPublished = serializers.BooleanField(source="is_published", read_only=True)
    version = serializers.CharField(read_only=True)
    role = serializers.ChoiceField(ROLES, read_only=True)
    owner = serializers.CharField(source="owner.get_full_name", read_only=True)
    creatorId = serializers.UUIDField(source="owner_id", read_only=True)
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)
    updatedAt = serializers.DateTimeField(source="updated_at", read_only=True)
    counts = CountsSerializer(read_only=True, required=False, help_text="Only in the list.")

    def to_internal_value(self, data: Any) -> Any:
        """Refuses another `isPublished`, which is decided elsewhere: to ignore it would look like a success."""
        fields = super().to_internal_value(data)
        is_published = self.instance.is_published if isinstance(self.instance, Plugin) else False
        if data.get("isPublished", is_published) != is_published:
            raise serializers.ValidationError({"isPublished": "Post to …/publish or …/unpublish for that."})
        return fields

    @staticmethod
    def get_pageAddress(plugin: Plugin) -> str:
        return f"{settings.PUBLIC_URL}{reverse('plugin', args=[plugin.address])}" if plugin.has_page else ""

    def save_to(self, plugin: Plugin) -> None:
        """Writes the valid fields to the plugin.

        Raises `SlugTaken`, `SlugIsFixed`, `ChatWithoutPage`, `ValidationError`, and what `check_shareable` raises.
        """
        fields = self.validated_data
        opens_copies = fields.get("is_shared") and not plugin.is_shared and not plugin._state.adding
        if not plugin._state.adding and fields.get("slug", plugin.slug) != plugin.slug and plugin.releases.exists():
            raise SlugIsFixed
        for name, value in fields.items():
            setattr(plugin, name, value)
        if opens_copies:  # by what the chat is going to show
            check_shareable(plugin)
        plugin.check_chat_has_page()
        self._check(plugin)
        try:
            with transaction.atomic():
                plugin.save()
        except IntegrityError as error:  # only the slug has to be unique
            raise SlugTaken from error

    def _check(self, plugin: Plugin) -> None:
        """Validates it as the model does. An empty slug is made from the name when the plugin is saved."""
        plugin.check_slug()
        try:
            plugin.full_clean(exclude=[] if plugin.slug else ["slug"], validate_unique=False)
        except ValidationError as error:
            names = {field.source: name for name, field in self.fields.items()}
            by_name = {names.get(column, column): reasons for column, reasons in error.message_dict.items()}
            raise serializers.ValidationError(by_name) from None


class PluginParameters(QueryParameters):
    """Which plugins are listed."""

    domain = serializers.CharField(max_length=column_length(Plugin, "domain"), required=False)
    tag = serializers.CharField(max_length=column_length(Plugin, "tags"), required=False)
    published = serializers.BooleanField(required=False, allow_null=True, default=None)
    role = serializers.ChoiceField(ROLES, required=False)
    q = serializers.CharField(
        max_length=MAX_SEARCH_LENGTH, required=False, help_text="Words of its name, slug, domain or tagline."
    )


class BundleSerializer(StrictSerializer):
    file = serializers.FileField(help_text="As …/export gave it.")
    slug = StrictCharField(
        max_length=MAX_SLUG_LENGTH, required=False, help_text="What agents will call it. Left out: a free one."
    )


class ImportedSerializer(serializers.Serializer):
    """`slugWasTaken`: agents call it otherwise than where it came from."""

    plugin = PluginSerializer()
    documents = serializers.IntegerField(help_text="So many are read again by a worker.")
    slugWasTaken = serializers.BooleanField(source="slug_was_taken")
