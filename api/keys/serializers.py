"""Input and output of `/api/api-keys`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.api_keys import MAX_OVERLAP
from accounts.key_secrets import validate_key_name
from accounts.models import ApiKey, Capability
from api.fields import OriginsField, StrictBooleanField, StrictCharField, StrictIntegerField, StrictSerializer
from lexic.column_length import column_length
from querying.query_log.key_usage import DailyUsage, KeyUsage

_MAX_LIMIT = 2_000_000_000  # what the column holds
_MAX_PLUGINS = 100


class KeyNameField(StrictCharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=column_length(ApiKey, "name"), validators=[validate_key_name], **options)


class RequestLimitField(StrictIntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=_MAX_LIMIT, required=False, **options)


@extend_schema_serializer(component_name="NewApiKey")
class NewKeySerializer(StrictSerializer):
    name = KeyNameField()
    capabilities = serializers.MultipleChoiceField(choices=Capability.choices, required=False, allow_empty=False)
    plugins = serializers.ListField(child=StrictCharField(max_length=100), required=False, max_length=_MAX_PLUGINS)
    perMinute = RequestLimitField(source="per_minute")
    perDay = RequestLimitField(source="per_day")
    expiresAt = serializers.DateTimeField(source="expires_at", required=False, allow_null=True)
    allowedOrigins = OriginsField(source="allowed_origins")


@extend_schema_serializer(component_name="ApiKeyChange")
class KeyChangeSerializer(StrictSerializer):
    name = KeyNameField(required=False)
    perMinute = RequestLimitField(source="per_minute")
    perDay = RequestLimitField(source="per_day")
    expiresAt = serializers.DateTimeField(source="expires_at", required=False, allow_null=True)
    allowedOrigins = OriginsField(source="allowed_origins")
    reveal = StrictBooleanField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("reveal") and len(attrs) > 1:
            raise serializers.ValidationError({"reveal": "Reveal it by itself, and change it by itself."})
        if not attrs:
            raise serializers.ValidationError("Nothing is to be changed.")
        return attrs


class RotateSerializer(StrictSerializer):
    overlapSeconds = StrictIntegerField(min_value=0, max_value=int(MAX_OVERLAP.total_seconds()), default=86_400)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return {"overlap": timedelta(seconds=attrs["overlapSeconds"])}


@extend_schema_serializer(component_name="ApiKey")
class KeySerializer(serializers.Serializer):
    """A key as its owner sees it. Wants `limits__plugin` and `rotated_into` with it."""

    id = serializers.UUIDField(read_only=True)
    name = serializers.CharField(
        max_length=column_length(ApiKey, "name"), help_text="A name for yourself, such as “planning agent”."
    )
    keyPrefix = serializers.CharField(source="prefix")
    state = serializers.ChoiceField(["works", "expired", "revoked"])
    capabilities = serializers.ListField(child=serializers.ChoiceField(Capability.choices))
    allPlugins = serializers.SerializerMethodField(help_text="False: only those in `plugins`, which may be none.")
    plugins = serializers.SerializerMethodField()
    perMinute = serializers.IntegerField(source="per_minute")
    perDay = serializers.IntegerField(source="per_day")
    allowedOrigins = serializers.ListField(child=serializers.CharField(), source="allowed_origins")
    createdAt = serializers.DateTimeField(source="created_at")
    expiresAt = serializers.DateTimeField(source="expires_at", allow_null=True)
    lastUsedAt = serializers.DateTimeField(source="last_used_at", allow_null=True)
    revokedAt = serializers.DateTimeField(source="revoked_at", allow_null=True)
    rotatedFrom = serializers.UUIDField(source="rotated_from_id", allow_null=True)
    rotatedInto = serializers.UUIDField(source="rotated_into.pk", default=None, allow_null=True)
    revealable = serializers.BooleanField(source="is_revealable")

    def get_allPlugins(self, key: ApiKey) -> bool:
        return not key.limits.all()

    def get_plugins(self, key: ApiKey) -> list[str]:
        return sorted(limit.plugin.slug for limit in key.limits.all() if limit.plugin)


@extend_schema_serializer(component_name="ApiKeyWithSecret")
class KeyWithSecretSerializer(KeySerializer):
    """The answer to making, rotating and revealing."""

    key = serializers.CharField(help_text="The secret.")


@extend_schema_serializer(component_name="DayOfUse")
class DailyUsageSerializer(serializers.Serializer):
    date = serializers.DateField(source="day")
    questions = serializers.IntegerField()
    outcomes = serializers.SerializerMethodField()

    def get_outcomes(self, day: DailyUsage) -> dict[str, int]:
        return dict(day.outcomes)


@extend_schema_serializer(component_name="Use")
class KeyUsageSerializer(serializers.Serializer):
    """The last 30 days, oldest first."""

    questions = serializers.IntegerField()
    outcomes = serializers.SerializerMethodField()
    days = DailyUsageSerializer(many=True)

    def get_outcomes(self, use: KeyUsage) -> dict[str, int]:
        return use.outcomes
