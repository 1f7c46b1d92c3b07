"""Output of `GET /api/v1/me`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.models import Capability


class OwnerSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Empty where they have not said.")
    email = serializers.EmailField(allow_null=True, help_text="Only to themselves, when they have signed in.")


@extend_schema_serializer(component_name="KeyInHand")
class CurrentKeySerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    keyPrefix = serializers.CharField()
    expiresAt = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Askable")
class AskablePluginSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField()


class LimitsSerializer(serializers.Serializer):
    perMinute = serializers.IntegerField()
    perDay = serializers.IntegerField()


@extend_schema_serializer(component_name="Left")
class RemainingLimitSerializer(serializers.Serializer):
    per = serializers.ChoiceField(["minute", "day"])
    limit = serializers.IntegerField()
    remaining = serializers.IntegerField()
    resetSeconds = serializers.IntegerField()


class MeSerializer(serializers.Serializer):
    owner = OwnerSerializer()
    key = CurrentKeySerializer(allow_null=True)
    capabilities = serializers.ListField(child=serializers.ChoiceField(Capability.choices))
    plugins = AskablePluginSerializer(many=True, help_text="Those it may ask, by name; the first hundred.")
    morePlugins = serializers.BooleanField()
    limits = LimitsSerializer(allow_null=True)
    left = RemainingLimitSerializer(many=True, allow_null=True, help_text="Null while nothing is counted.")
