"""Input and output of `/v1/responses`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.chat_completions.serializers import LinkSerializer, UnsupportedParameter
from api.fields import StrictBooleanField, StrictCharField
from api.query.serializers import QuestionExtrasSerializer
from plugins.slugs import MAX_REFERENCE_LENGTH

# The limits of the protocol.
_MAX_ID = 120
_MAX_METADATA, _MAX_METADATA_NAME, _MAX_METADATA_VALUE = 16, 64, 512


# “Response” is what generated clients call every answer over HTTP.
@extend_schema_serializer(component_name="ResponseObject")
class ResponseRequestSerializer(QuestionExtrasSerializer):
    """Anything else is ignored, and named in `lexic.ignored`."""

    model = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        help_text="A plugin's slug or id; `slug@1.2.0` for one release, `slug@latest` for the latest.",
    )
    input = serializers.JSONField(
        required=False, allow_null=True, help_text="The question as a string, or a list of messages and other items."
    )
    previous_response_id = StrictCharField(
        max_length=_MAX_ID, required=False, allow_null=True, help_text="A stored response that this one continues."
    )
    store = StrictBooleanField(default=True, allow_null=True, help_text="Whether it can be read and continued later.")
    stream = StrictBooleanField(default=False, allow_null=True)
    metadata = serializers.JSONField(required=False, allow_null=True, help_text="Comes back with the response.")
    text = serializers.JSONField(
        required=False, allow_null=True, help_text="With a `format` of the type json_schema the answer is JSON."
    )
    tools = serializers.JSONField(required=False, allow_null=True)
    tool_choice = serializers.JSONField(
        required=False, allow_null=True, help_text="A function that is named here is called with verified values."
    )
    conversation = serializers.JSONField(required=False, allow_null=True)
    prompt = serializers.JSONField(required=False, allow_null=True)

    def validate_metadata(self, value: Any) -> Any:
        if value is not None and not _is_metadata(value):
            raise serializers.ValidationError(
                f"This is an object of at most {_MAX_METADATA} texts, with names of {_MAX_METADATA_NAME} and values of"
                f" {_MAX_METADATA_VALUE} characters."
            )
        return value

    def validate_text(self, value: Any) -> Any:
        if value is not None and not isinstance(value, Mapping):
            raise serializers.ValidationError("This is an object with a `format`.")
        return value

    def validate_conversation(self, value: Any) -> Any:
        if value is not None:
            hint = "Continue a response with previous_response_id."
            raise UnsupportedParameter("There are no conversations here.", param="conversation", hint=hint)
        return value

    def validate_prompt(self, value: Any) -> Any:
        if value is not None:
            hint = "Put the question into `input`."
            raise UnsupportedParameter("There are no stored prompts here.", param="prompt", hint=hint)
        return value


def _is_metadata(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and len(value) <= _MAX_METADATA
        and all(len(name) <= _MAX_METADATA_NAME for name in value)
        and all(isinstance(text, str) and len(text) <= _MAX_METADATA_VALUE for text in value.values())
    )


@extend_schema_serializer(component_name="ResponseAnnotation")
class ResponseAnnotationSerializer(LinkSerializer):
    type = serializers.ChoiceField(["url_citation"])


class ResponseOutputTextSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["output_text"])
    text = serializers.CharField(allow_blank=True)
    annotations = ResponseAnnotationSerializer(many=True)
    logprobs = serializers.ListField(child=serializers.DictField())


class ResponseItemSerializer(serializers.Serializer):
    """A message has `role` and `content`, a call of a function the others."""

    type = serializers.ChoiceField(["message", "function_call"])
    id = serializers.CharField()
    status = serializers.ChoiceField(["in_progress", "completed"])
    role = serializers.ChoiceField(["assistant"], required=False)
    content = ResponseOutputTextSerializer(many=True, required=False)
    call_id = serializers.CharField(required=False)
    name = serializers.CharField(required=False)
    arguments = serializers.CharField(required=False, help_text="JSON that fits the function's parameters.")


class ResponseUsageSerializer(serializers.Serializer):
    input_tokens = serializers.IntegerField()
    input_tokens_details = serializers.DictField(child=serializers.IntegerField())
    output_tokens = serializers.IntegerField()
    output_tokens_details = serializers.DictField(child=serializers.IntegerField())
    total_tokens = serializers.IntegerField()


class ResponseErrorSerializer(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


# “Response” is what generated clients call every answer over HTTP.
@extend_schema_serializer(component_name="ResponseObject")
class ResponseSerializer(serializers.Serializer):
    """`citations` and `lexic` hold what /api/v1/query answers, and `lexic.ignored` what had no effect."""

    id = serializers.CharField()
    object = serializers.ChoiceField(["response"])
    created_at = serializers.IntegerField(help_text="Unix time, in seconds.")
    status = serializers.ChoiceField(["in_progress", "completed", "failed"])
    model = serializers.CharField(help_text="The release that answered, such as cover@1.2.0.")
    # The base class has an attribute of this name too.
    error = ResponseErrorSerializer(allow_null=True)
    output = ResponseItemSerializer(many=True)
    usage = ResponseUsageSerializer(allow_null=True)
    previous_response_id = serializers.CharField(allow_null=True)
    store = serializers.BooleanField()
    metadata = serializers.DictField(child=serializers.CharField())
    text = serializers.DictField()
    citations = serializers.ListField(child=serializers.DictField(), required=False)
    lexic = serializers.DictField(required=False)


class ResponseEventSerializer(serializers.Serializer):
    """One event of a stream. `type` says which further fields it has, as in OpenAI's protocol."""

    type = serializers.CharField(help_text="Such as `response.output_text.delta`.")
    sequence_number = serializers.IntegerField(help_text="From 0, without gaps.")


class ResponseDeletedSerializer(serializers.Serializer):
    id = serializers.CharField()
    object = serializers.ChoiceField(["response"])
    deleted = serializers.BooleanField()
