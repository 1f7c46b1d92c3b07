"""What `POST /v1/chat/completions` accepts: OpenAI's body, and what Lexic adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.chat import messages
from api.query.serializers import QuestionExtrasSerializer
from lexic.errors import InvalidInput

MAX_MESSAGES = 2048
ROLES = ["system", "developer", "user", "assistant", "tool", "function"]
# Of what had no effect, so much is named in the answer.
_MAX_IGNORED_NAMES, _MAX_NAME_LENGTH = 50, 60


class UnsupportedParameter(InvalidInput):
    """This door cannot do what a parameter asks for."""

    code = "unsupported_parameter"


@extend_schema_serializer(component_name="ChatMessage")
class MessageSerializer(serializers.Serializer):
    role = serializers.ChoiceField(ROLES)
    content = serializers.JSONField(
        allow_null=True, default=None, help_text="A string, or a list of parts `{type: text, text}`."
    )


class StreamOptionsSerializer(serializers.Serializer):
    include_usage = serializers.BooleanField(default=False, allow_null=True)


@extend_schema_serializer(component_name="ChatCompletion")
class ChatSerializer(QuestionExtrasSerializer):
    """Anything else is ignored. Python's client sends `options`, `facts` and `followup` as its `extra_body`."""

    model = serializers.CharField(
        max_length=120,
        help_text="A plugin's slug or id; `slug@1.2.0` for one release, `slug@latest` for the latest.",
    )
    messages = MessageSerializer(many=True, max_length=MAX_MESSAGES)  # type: ignore[call-arg]
    stream = serializers.BooleanField(default=False, allow_null=True)
    stream_options = StreamOptionsSerializer(required=False, allow_null=True)
    n = serializers.IntegerField(required=False, allow_null=True)
    response_format = serializers.JSONField(required=False, allow_null=True)
    tool_choice = serializers.JSONField(required=False, allow_null=True)
    function_call = serializers.JSONField(required=False, allow_null=True)
    modalities = serializers.JSONField(required=False, allow_null=True)

    def validate_n(self, number: int | None) -> int | None:
        if number not in (None, 1):
            raise UnsupportedParameter("There is one answer to a question.", param="n", hint="Leave n at 1.")
        return number

    def validate_response_format(self, wanted: Any) -> Any:
        if wanted is not None and not (isinstance(wanted, Mapping) and wanted.get("type", "text") == "text"):
            hint = "Leave it out, and read `citations` and `lexic` beside `choices`."
            raise UnsupportedParameter("Answers are text.", param="response_format", hint=hint)
        return wanted

    def validate_tool_choice(self, wanted: Any) -> Any:
        return _reject_required_tool(wanted, "tool_choice")

    def validate_function_call(self, wanted: Any) -> Any:
        return _reject_required_tool(wanted, "function_call")

    def validate_modalities(self, wanted: Any) -> Any:
        if wanted not in (None, [], ["text"]):
            raise UnsupportedParameter("Answers are text.", param="modalities", hint="Leave it out.")
        return wanted


def _reject_required_tool(wanted: Any, param: str) -> Any:
    if wanted not in (None, "none", "auto"):
        hint = f"Leave {param} out; tools that are merely offered are ignored."
        raise UnsupportedParameter("A plugin answers in words and calls no tools.", param=param, hint=hint)
    return wanted


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """`query` is the body of a query as `api.query.views.read_question` takes it; `ignored` names what has no
    effect."""

    query: dict[str, Any]
    stream: bool
    include_usage: bool
    ignored: tuple[str, ...]


def read_chat_request(data: Any) -> ChatRequest:
    """Raises `ValidationError`, `UnsupportedParameter`, and what `messages.read` raises; `NoQuestion` where there is
    neither a question nor a follow-up, whose token brings its question along."""
    serializer = ChatSerializer(data=data)
    serializer.is_valid(raise_exception=True)
    body = serializer.validated_data
    chat = messages.read_messages(body["messages"])
    if not (chat.question or body.get("followup")):
        raise messages.NoQuestion(param="messages")
    return ChatRequest(
        query={
            "plugin": body["model"],
            "query": "" if body.get("followup") else chat.question,
            "context": chat.turns,
            **{name: body.get(name) for name in ("options", "facts", "followup")},
        },
        stream=bool(body["stream"]),
        include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        ignored=(*chat.ignored, *_ignored_parameters(data)),
    )


def _ignored_parameters(data: Mapping[str, Any]) -> list[str]:
    """Parameters that were sent, and that nothing here reads."""
    read_here = ChatSerializer().fields.keys()
    names = [name for name, value in data.items() if name not in read_here and value is not None]
    return sorted(name for name in names if len(name) <= _MAX_NAME_LENGTH)[:_MAX_IGNORED_NAMES]
