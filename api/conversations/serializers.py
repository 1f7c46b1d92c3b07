"""Input and output of the routes of private conversations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictCharField, StrictSerializer, StrictUUIDField
from conversations.models import ChatMessage, ChatSession
from lexic.column_length import column_length
from querying.query_log.quotations import WITHHELD_TEXT


class ConversationSerializer(serializers.Serializer):
    """Wants the rows of `ChatSessionQuerySet.private_to`."""

    id = serializers.UUIDField()
    userId = serializers.UUIDField(source="user_id")
    title = serializers.CharField()
    projectId = serializers.UUIDField(
        source="open_project", allow_null=True, help_text="Null: in none, or in one that you have left."
    )
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="last_used_at")


class NewConversationSerializer(StrictSerializer):
    title = StrictCharField(max_length=column_length(ChatSession, "title"), allow_blank=True, required=False)
    projectId = StrictUUIDField(required=False, allow_null=True, help_text="A project that you may open.")


class ConversationTitleSerializer(StrictSerializer):
    title = StrictCharField(max_length=column_length(ChatSession, "title"))


class MessageSerializer(serializers.Serializer):
    """A message. Of an answer, `metadata` is the whole of it, and `citations` those in it. Wants `withheld` as context:
    the ids of the messages that quote what the reader may not read any more."""

    id = serializers.UUIDField(source="uuid")
    conversationId = serializers.UUIDField(source="session_id")
    role = serializers.ChoiceField(ChatMessage.Role.values)
    content = serializers.SerializerMethodField()
    metadata = serializers.SerializerMethodField()
    citations = serializers.SerializerMethodField()
    isWithheld = serializers.SerializerMethodField(help_text="It quotes what you may not read any more.")
    createdAt = serializers.DateTimeField(source="created_at")

    def get_content(self, message: ChatMessage) -> str:
        return WITHHELD_TEXT if self.get_isWithheld(message) else message.content

    def get_metadata(self, message: ChatMessage) -> dict[str, Any]:
        return {} if self.get_isWithheld(message) else message.metadata

    def get_citations(self, message: ChatMessage) -> list[dict[str, Any]]:
        return list(self.get_metadata(message).get("citations") or [])

    def get_isWithheld(self, message: ChatMessage) -> bool:
        return message.pk in self.context["withheld"]
