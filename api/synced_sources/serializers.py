"""Input and output of the routes of synced sources."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
)
from knowledge.models import Source
from knowledge.source_models import REMOTE_KINDS, SyncInterval
from knowledge.sync.remote.source_settings import MAX_CREDENTIAL_LENGTH, MAX_PATH_LENGTH, MAX_PATHS
from knowledge.sync.remote.website import MAX_DEPTH, MAX_PAGES
from lexic.column_length import column_length

_KINDS = [(kind.value, kind.label) for kind in REMOTE_KINDS]
_INTERVAL_HELP = ", ".join(f"{choice.value}: {choice.label}" for choice in SyncInterval)


class SourceOptionsSerializer(StrictSerializer):
    """`maxDepth`, `maxPages`, `include` and `exclude` are for a website, `maxPages` for a feed too; `branch` and
    `folder` for a repo, `endpoint` and `region` for a bucket."""

    maxDepth = StrictIntegerField(
        source="max_depth", min_value=0, max_value=MAX_DEPTH, required=False, help_text="How many links are followed."
    )
    maxPages = StrictIntegerField(source="max_pages", min_value=1, max_value=MAX_PAGES, required=False)
    include = StrictListField(
        max_item_length=MAX_PATH_LENGTH, max_items=MAX_PATHS, required=False, help_text="Beginnings of paths: /docs/."
    )
    exclude = StrictListField(max_item_length=MAX_PATH_LENGTH, max_items=MAX_PATHS, required=False)
    branch = StrictCharField(max_length=200, required=False, help_text="Default: the repository's own.")
    folder = StrictCharField(max_length=MAX_PATH_LENGTH, required=False)
    endpoint = StrictCharField(max_length=MAX_PATH_LENGTH, required=False, help_text="Default: Amazon's.")
    region = StrictCharField(max_length=40, required=False)


class SourceCredentialsSerializer(StrictSerializer):
    """`password` (a token) and `username` for a repo, the two keys for a bucket. Kept encrypted, and never shown."""

    username = StrictCharField(max_length=MAX_CREDENTIAL_LENGTH, required=False)
    password = StrictCharField(max_length=MAX_CREDENTIAL_LENGTH, required=False)
    accessKeyId = StrictCharField(source="access_key_id", max_length=MAX_CREDENTIAL_LENGTH, required=False)
    secretAccessKey = StrictCharField(source="secret_access_key", max_length=MAX_CREDENTIAL_LENGTH, required=False)


@extend_schema_serializer(component_name="SyncedSourceChange")
class SyncedSourceChangeSerializer(StrictSerializer):
    """What is left out stays as it is; options and credentials are given as a whole: empty ones are forgotten."""

    options = SourceOptionsSerializer(required=False)
    credentials = SourceCredentialsSerializer(required=False)
    intervalHours = StrictIntegerField(source="interval_hours", required=False, help_text=_INTERVAL_HELP)
    isPublic = StrictBooleanField(source="is_public", required=False, help_text="Of all its documents, at once.")
    isPaused = StrictBooleanField(source="is_paused", required=False)


@extend_schema_serializer(component_name="NewSyncedSource")
class NewSyncedSourceSerializer(StrictSerializer):
    kind = StrictChoiceField(_KINDS)
    address = StrictCharField(
        source="location",
        max_length=column_length(Source, "location"),
        help_text="A start page or sitemap, a feed, a Git repository over https, or `s3://bucket/prefix`.",
    )
    options = SourceOptionsSerializer(required=False)
    credentials = SourceCredentialsSerializer(required=False)
    intervalHours = StrictIntegerField(
        source="interval_hours", default=SyncInterval.DAY.value, help_text=_INTERVAL_HELP
    )
    isPublic = StrictBooleanField(source="is_public", default=False, help_text="Anybody may be answered from it.")


@extend_schema_serializer(component_name="SyncRequest")
class SyncRequestSerializer(StrictSerializer):
    confirmRemovals = StrictBooleanField(
        source="allows_removals",
        default=False,
        help_text="What is not there any more is gone, even where that is most of it.",
    )


class SyncProblemSerializer(serializers.Serializer):
    path = serializers.CharField()
    reason = serializers.CharField()


class SyncReportSerializer(serializers.Serializer):
    """Of each list the first 200."""

    added = serializers.ListField(child=serializers.CharField())
    changed = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField(), help_text="Retired: releases that have it keep it.")
    kept = SyncProblemSerializer(many=True, help_text="They could not be read, or seem to be gone.")
    leftOut = SyncProblemSerializer(many=True)
    problems = SyncProblemSerializer(many=True)
    unchanged = serializers.IntegerField()
    held = serializers.CharField(
        help_text="Why documents that seem to be gone were not retired; empty: none were held."
    )
    partly = serializers.CharField(help_text="Why not all of the source was seen; empty: it was.")


class SyncErrorSerializer(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


@extend_schema_serializer(component_name="SyncedSource")
class SyncedSourceSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    kind = serializers.ChoiceField(_KINDS)
    address = serializers.CharField(source="shown_location", help_text="Without its query, which may hold a secret.")
    options = SourceOptionsSerializer()
    hasCredentials = serializers.BooleanField(source="has_credentials")
    intervalHours = serializers.IntegerField(source="interval_hours")
    isPublic = serializers.BooleanField(source="is_public")
    isPaused = serializers.BooleanField(source="is_paused")
    nextSyncAt = serializers.DateTimeField(source="due_at", allow_null=True)
    triedAt = serializers.DateTimeField(source="tried_at", allow_null=True)
    syncedAt = serializers.DateTimeField(source="synced_at", allow_null=True)
    commit = serializers.CharField(help_text="Of a repo, at the last sync that read all of it.")
    error = serializers.SerializerMethodField(help_text="Why the last sync came to nothing; null where it did not.")
    report = serializers.SerializerMethodField(help_text="What the last sync changed; null before the first.")

    @extend_schema_field(SyncErrorSerializer(allow_null=True))
    def get_error(self, source: Source) -> dict[str, str] | None:
        return {"code": source.error_code, "message": source.error} if source.error_code else None

    @extend_schema_field(SyncReportSerializer(allow_null=True))
    def get_report(self, source: Source) -> dict[str, Any] | None:
        if not (changes := source.report.get("changes")):
            return None
        pairs = {
            name: [{"path": path, "reason": reason} for path, reason in changes[name]] for name in ("kept", "leftOut")
        }
        problems = [{"path": one["path"], "reason": one["message"]} for one in changes["problems"]]
        paths = {name: changes[name] for name in ("added", "changed", "removed")}
        said = {name: source.report[name] for name in ("unchanged", "held", "partly")}
        return {**paths, **pairs, "problems": problems, **said}
