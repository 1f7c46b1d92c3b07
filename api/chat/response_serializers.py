"""What this door answers, for the schema. The values themselves are made in `answers` and `models`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers


class ModelInfoSerializer(serializers.Serializer):
    domain = serializers.CharField(allow_blank=True)
    version = serializers.CharField(help_text="The release that answers, or “draft”.")


class ModelSerializer(serializers.Serializer):
    id = serializers.CharField()
    object = serializers.ChoiceField(["model"])
    created = serializers.IntegerField(help_text="Unix time, in seconds.")
    owned_by = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    lexic = ModelInfoSerializer()


class ModelListSerializer(serializers.Serializer):
    object = serializers.ChoiceField(["list"])
    # `data` is also a name of the base class, which is its problem.
    data = ModelSerializer(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="ChatUsage")
class UsageSerializer(serializers.Serializer):
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()


class LinkSerializer(serializers.Serializer):
    start_index = serializers.IntegerField(help_text="In characters of the content.")
    end_index = serializers.IntegerField()
    url = serializers.CharField()
    title = serializers.CharField()


class AnnotationSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["url_citation"])
    url_citation = LinkSerializer()


@extend_schema_serializer(component_name="Said")
class AssistantMessageSerializer(serializers.Serializer):
    role = serializers.ChoiceField(["assistant"])
    content = serializers.CharField(allow_blank=True)
    refusal = serializers.CharField(allow_null=True, help_text="Always null: a refusal is content.")
    annotations = AnnotationSerializer(many=True)


class DeltaSerializer(serializers.Serializer):
    role = serializers.ChoiceField(["assistant"], required=False)
    content = serializers.CharField(allow_blank=True, required=False)
    refusal = serializers.CharField(allow_null=True, required=False)
    annotations = AnnotationSerializer(many=True, required=False)


class _ChoiceSerializer(serializers.Serializer):
    index = serializers.IntegerField()
    logprobs = serializers.JSONField(allow_null=True)
    finish_reason = serializers.ChoiceField(["stop"], allow_null=True)


@extend_schema_serializer(component_name="ChatChoice")
class ChoiceSerializer(_ChoiceSerializer):
    message = AssistantMessageSerializer()


@extend_schema_serializer(component_name="ChatChunkChoice")
class ChunkChoiceSerializer(_ChoiceSerializer):
    delta = DeltaSerializer()


class _CompletionSerializer(serializers.Serializer):
    id = serializers.CharField()
    created = serializers.IntegerField(help_text="Unix time, in seconds.")
    model = serializers.CharField(help_text="The release that answered, such as cover@1.2.0.")


@extend_schema_serializer(component_name="ChatCompletion")
class CompletionSerializer(_CompletionSerializer):
    """`citations` and `lexic` hold what /api/v1/query answers, and `lexic.ignored` what had no effect."""

    object = serializers.ChoiceField(["chat.completion"])
    choices = ChoiceSerializer(many=True)
    usage = UsageSerializer()
    citations = serializers.ListField(child=serializers.DictField())
    lexic = serializers.DictField()


@extend_schema_serializer(component_name="ChatCompletionChunk")
class ChunkSerializer(_CompletionSerializer):
    """One event of a stream. `citations` and `lexic` come with the chunk that has a `finish_reason`."""

    object = serializers.ChoiceField(["chat.completion.chunk"])
    choices = ChunkChoiceSerializer(many=True)
    usage = UsageSerializer(required=False, allow_null=True)
    citations = serializers.ListField(child=serializers.DictField(), required=False)
    lexic = serializers.DictField(required=False)


class ProblemSerializer(serializers.Serializer):
    message = serializers.CharField()
    type = serializers.CharField()
    param = serializers.CharField(allow_null=True)
    code = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class ErrorSerializer(serializers.Serializer):
    error = ProblemSerializer()
