"""Input and output of `POST /api/sandbox/{plugin}`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictBooleanField, StrictCharField
from api.query.serializers import AnswerSerializer, QuestionSerializer, event_schema
from querying.answering.drop_reasons import DropReason
from querying.releases import DRAFT


class SandboxSerializer(QuestionSerializer):
    """A question as at /api/v1/query; the plugin stands in the address."""

    plugin = None  # type: ignore[assignment]
    version = StrictCharField(max_length=32, default=DRAFT, help_text="draft, latest, or a version such as 1.2.0.")
    stream = StrictBooleanField(default=True)


class PromptMessageSerializer(serializers.Serializer):
    role = serializers.CharField()
    content = serializers.CharField()


class DroppedSentenceSerializer(serializers.Serializer):
    sentence = serializers.CharField()
    reason = serializers.ChoiceField([reason.value for reason in DropReason])
    explanation = serializers.CharField()


class DetailsSerializer(serializers.Serializer):
    """`timings`: milliseconds by step. `prompt`: what the language model was given; null when none was asked, and when
    it is withheld, because it holds what the caller may not read. `dropped`: what the model wrote and no passage
    supports, for those who may read the prompt."""

    type = serializers.ChoiceField(["details"])
    queryId = serializers.UUIDField()
    release = serializers.CharField()
    model = serializers.CharField()
    latencyMs = serializers.IntegerField(allow_null=True)
    timings = serializers.DictField(child=serializers.IntegerField())
    prompt = PromptMessageSerializer(many=True, allow_null=True)
    promptWithheld = serializers.BooleanField()
    dropped = DroppedSentenceSerializer(many=True)


@extend_schema_serializer(component_name="Tried")
class SandboxAnswerSerializer(AnswerSerializer):
    details = DetailsSerializer()


SANDBOX_EVENT = event_schema("SandboxEvent", details=DetailsSerializer)
