"""Input and output of `POST /api/public/{plugin}/chat`."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictCharField, StrictSerializer
from querying.forms import MAX_QUESTION_CHARACTERS, MAX_TURN_CHARACTERS

_MAX_MESSAGES = 200


class PublicMessageSerializer(serializers.Serializer):
    role = StrictCharField(max_length=20, help_text="user or assistant; messages of others are left out.")
    content = StrictCharField(max_length=MAX_TURN_CHARACTERS, allow_blank=True, trim_whitespace=False)


@extend_schema_serializer(component_name="Original")
class PublicFollowupSerializer(StrictSerializer):
    """What a question back came with, unchanged."""

    originalQuestion = StrictCharField(max_length=2 * MAX_QUESTION_CHARACTERS)


@extend_schema_field(OpenApiTypes.STR)
class TimezoneField(serializers.JSONField):
    """Anything: what is no time zone is UTC."""


class PublicChatSerializer(StrictSerializer):
    """`message`, or `messages` with the question last. With both, `message` is the question and `messages` came before
    it."""

    message = StrictCharField(max_length=MAX_QUESTION_CHARACTERS, required=False, allow_blank=True, allow_null=True)
    messages = PublicMessageSerializer(  # type: ignore[call-arg]
        many=True, required=False, allow_null=True, max_length=_MAX_MESSAGES
    )
    timezone = TimezoneField(
        required=False,
        allow_null=True,
        help_text="Where the asker's days begin, such as Europe/Oslo. UTC where it is left out, or none.",
    )
    followup = PublicFollowupSerializer(
        required=False, allow_null=True, help_text="With the answer to a question back as the message."
    )


class FollowupSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["followup"])
    followupQuestion = serializers.CharField()
    originalQuestion = serializers.CharField(help_text="Send it back with the answer.")
