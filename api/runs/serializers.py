"""Input and output of the routes of messages and runs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agents.messages.send_message import (
    DEFAULT_THINKING_TOKENS,
    MAX_ATTACHED_CHARACTERS,
    MAX_ATTACHMENTS,
    MAX_MESSAGE_CHARACTERS,
    MAX_THINKING_TOKENS,
    MIN_THINKING_TOKENS,
    MODEL_NAMES,
)
from agents.models import AgentRun, AgentType, EventKind, RunState
from api.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)
from plugins.slugs import MAX_REFERENCE_LENGTH


class AttachmentSerializer(StrictSerializer):
    """A document by its id, or a text with a name, which becomes a document of the project or of yours."""

    documentId = StrictUUIDField(required=False)
    name = StrictCharField(max_length=200, required=False)
    text = StrictCharField(max_length=MAX_ATTACHED_CHARACTERS, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.keys() not in ({"documentId"}, {"name", "text"}):
            raise serializers.ValidationError("Send either a documentId, or a name and a text.")
        return attrs


class ChatSerializer(StrictSerializer):
    """A message to the agent."""

    message = StrictCharField(max_length=MAX_MESSAGE_CHARACTERS)
    conversationId = StrictUUIDField(
        required=False, allow_null=True, help_text="Left out: a new conversation begins, and `run` names it."
    )
    plugin = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        required=False,
        allow_null=True,
        help_text="Its slug or id, or `slug@1.2.0`. Left out: the project's, or the one that this site has for it.",
    )
    projectId = StrictUUIDField(required=False, allow_null=True, help_text="A project that you may open.")
    model = StrictChoiceField(MODEL_NAMES, default=MODEL_NAMES[0], help_text="A name that the site gives to a model.")
    thinkMode = StrictBooleanField(
        default=False, help_text="The model may think before each turn; it and the tools have half as much time again."
    )
    thinkingBudgetTokens = StrictIntegerField(
        min_value=MIN_THINKING_TOKENS, max_value=MAX_THINKING_TOKENS, default=DEFAULT_THINKING_TOKENS
    )
    attachments = serializers.ListField(child=AttachmentSerializer(), max_length=MAX_ATTACHMENTS, default=list)


class AgentRunSerializer(serializers.Serializer):
    """What an agent does, or did, about one message."""

    id = serializers.UUIDField()
    conversationId = serializers.UUIDField(source="session_id")
    messageId = serializers.UUIDField(source="message.uuid")
    state = serializers.ChoiceField(RunState.values, help_text="`waiting`: it has asked you something.")
    agentType = serializers.SerializerMethodField()
    release = serializers.CharField(source="release_name", help_text="What is asked, pinned: `cover@1.2.0`.")
    model = serializers.CharField()
    budgets = serializers.DictField(help_text="The most that it may use: iterations, calls, tokens, seconds.")
    tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True, help_text="Null: not known.")
    error = serializers.CharField(help_text="Why it failed; else empty.")
    createdAt = serializers.DateTimeField(source="created_at")
    endedAt = serializers.DateTimeField(source="ended_at", allow_null=True)

    @extend_schema_field(serializers.ChoiceField(AgentType.values, allow_null=True))
    def get_agentType(self, run: AgentRun) -> str | None:
        return run.agent_type or None


class RunEventSerializer(serializers.Serializer):
    """One event of a run. `data` is JSON, by the kind of the event."""

    id = serializers.CharField(required=False, help_text="Sent back as Last-Event-ID, the stream continues behind it.")
    event = serializers.ChoiceField([kind.value for kind in EventKind if kind.is_public])
    data = serializers.CharField()  # type: ignore[assignment]  # the base class has an attribute of this name
