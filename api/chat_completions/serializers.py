"""Input and output of `/v1/models` and `/v1/chat/completions`: OpenAI's bodies, with Lexic's additions."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictBooleanField, StrictCharField, StrictChoiceField, StrictIntegerField
from api.query.serializers import QuestionExtrasSerializer
from lexic.errors import InvalidInput
from plugins.slugs import MAX_REFERENCE_LENGTH

MAX_MESSAGES = 2048
ROLES = ["system", "developer", "user", "assistant", "tool", "function"]


class UnsupportedParameter(InvalidInput):
    """A parameter asks for something that is not possible here."""

    code = "unsupported_parameter"


@extend_schema_serializer(component_name="ChatMessage")
class MessageSerializer(serializers.Serializer):
    role = StrictChoiceField(ROLES)
    content = serializers.JSONField(
        allow_null=True, default=None, help_text="A string, or a list of parts `{type: text, text}`."
    )


class StreamOptionsSerializer(serializers.Serializer):
    include_usage = StrictBooleanField(default=False, allow_null=True)


@extend_schema_serializer(component_name="ChatCompletion")
class ChatSerializer(QuestionExtrasSerializer):
    """Anything else is ignored. Python's client sends `options`, `facts` and `followup` as its `extra_body`."""

    model = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        help_text="A plugin's slug or id; `slug@1.2.0` for one release, `slug@latest` for the latest.",
    )
    messages = MessageSerializer(many=True, max_length=MAX_MESSAGES)  # type: ignore[call-arg]
    stream = StrictBooleanField(default=False, allow_null=True)
    stream_options = StreamOptionsSerializer(required=False, allow_null=True)
    n = StrictIntegerField(required=False, allow_null=True)
    response_format = serializers.JSONField(
        required=False, allow_null=True, help_text="With a `json_schema` the answer is JSON of verified values."
    )
    tools = serializers.JSONField(required=False, allow_null=True)
    tool_choice = serializers.JSONField(
        required=False, allow_null=True, help_text="A function that is named here is called with verified values."
    )
    function_call = serializers.JSONField(required=False, allow_null=True)
    modalities = serializers.JSONField(required=False, allow_null=True)

    def validate_n(self, number: int | None) -> int | None:
        if number not in (None, 1):
            raise UnsupportedParameter("There is one answer to a question.", param="n", hint="Leave n at 1.")
        return number

    def validate_function_call(self, value: Any) -> Any:
        if value not in (None, "none", "auto"):
            hint = "Use tools and tool_choice."
            raise UnsupportedParameter("Functions are called as tools.", param="function_call", hint=hint)
        return value

    def validate_modalities(self, value: Any) -> Any:
        if value not in (None, [], ["text"]):
            raise UnsupportedParameter("Answers are text.", param="modalities", hint="Leave it out.")
        return value


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
    # The base class has an attribute of this name too.
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


class CalledFunctionSerializer(serializers.Serializer):
    name = serializers.CharField()
    arguments = serializers.CharField(help_text="JSON that fits the function's parameters.")


class ToolCallSerializer(serializers.Serializer):
    id = serializers.CharField()
    type = serializers.ChoiceField(["function"])
    index = serializers.IntegerField(required=False, help_text="In a stream.")
    function = CalledFunctionSerializer()


@extend_schema_serializer(component_name="Said")
class AssistantMessageSerializer(serializers.Serializer):
    role = serializers.ChoiceField(["assistant"])
    content = serializers.CharField(allow_blank=True, allow_null=True, help_text="Null where a tool is called.")
    refusal = serializers.CharField(allow_null=True, help_text="Always null: a refusal is content.")
    annotations = AnnotationSerializer(many=True)
    tool_calls = ToolCallSerializer(many=True, required=False)


class DeltaSerializer(serializers.Serializer):
    role = serializers.ChoiceField(["assistant"], required=False)
    content = serializers.CharField(allow_blank=True, required=False)
    refusal = serializers.CharField(allow_null=True, required=False)
    annotations = AnnotationSerializer(many=True, required=False)
    tool_calls = ToolCallSerializer(many=True, required=False)


class _ChoiceSerializer(serializers.Serializer):
    index = serializers.IntegerField()
    logprobs = serializers.JSONField(allow_null=True)
    finish_reason = serializers.ChoiceField(["stop", "tool_calls"], allow_null=True)


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
