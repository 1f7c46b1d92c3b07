"""What `GET /api/v1/me` gives."""

from __future__ import annotations

from rest_framework import serializers

from accounts.models import Capability


class OwnerSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Empty where they have not said.")
    email = serializers.EmailField(allow_null=True, help_text="Only to themselves, when they have signed in.")


class KeyInHandSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    keyPrefix = serializers.CharField()
    expiresAt = serializers.DateTimeField(allow_null=True)


class AskableSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField()


class LimitsSerializer(serializers.Serializer):
    perMinute = serializers.IntegerField()
    perDay = serializers.IntegerField()


class LeftSerializer(serializers.Serializer):
    per = serializers.ChoiceField(["minute", "day"])
    limit = serializers.IntegerField()
    remaining = serializers.IntegerField()
    resetSeconds = serializers.IntegerField()


class MeSerializer(serializers.Serializer):
    owner = OwnerSerializer()
    key = KeyInHandSerializer(allow_null=True)
    capabilities = serializers.ListField(child=serializers.ChoiceField(Capability.choices))
    plugins = AskableSerializer(many=True, help_text="Those it may ask, by name; the first hundred.")
    morePlugins = serializers.BooleanField()
    limits = LimitsSerializer(allow_null=True)
    left = LeftSerializer(many=True, allow_null=True, help_text="Null while nothing is counted.")
