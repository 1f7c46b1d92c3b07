"""Conversations of visitors with plugins, kept for each visitor alone."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils import timezone

from conversations.visitor import Visitor
from plugins.models import Plugin
from plugins.retention import expired_rows

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class ChatSessionQuerySet(models.QuerySet["ChatSession"]):
    def visible_to(self, visitor: Visitor) -> ChatSessionQuerySet:
        """The visitor's own: those of the person who has signed in, else those of this browser."""
        if visitor.user is not None:
            return self.filter(user=visitor.user)
        return self.filter(user=None, visitor=visitor.secret_hash) if visitor.secret_hash else self.none()

    def of_visitor(self, visitor: Visitor, plugin: Plugin) -> ChatSessionQuerySet:
        """The visitor's own conversations with this plugin, the latest first."""
        return self.visible_to(visitor).filter(plugin=plugin).select_related("plugin")

    def stale(self, *, now: datetime) -> ChatSessionQuerySet:
        """Those that nobody has gone on with for longer than their plugin keeps them."""
        return expired_rows(self, kind="chats", date_field="last_used_at", now=now)

    def detach_from_person(self) -> int:
        """Those of people who leave, under legal hold: they stay, and nobody can open them again."""
        return self.update(user=None, visitor=secrets.token_hex(32))


class ChatSession(models.Model):
    """One conversation. It belongs to the person who was signed in when it began, or to a browser: then `visitor` is
    the hash of that browser's secret."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="chat_sessions")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="chat_sessions"
    )
    visitor = models.CharField(max_length=64, blank=True)
    title = models.CharField(max_length=120, help_text="The beginning of its first question.")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(default=timezone.now)

    messages: RelatedManager[ChatMessage]

    objects = ChatSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-last_used_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user=None) ^ models.Q(visitor=""), name="chat_session_belongs_to_one"
            )
        ]
        indexes = [
            models.Index(fields=["visitor", "plugin", "-last_used_at"], name="chat_session_of_visitor"),
            # Deleting old conversations.
            models.Index(fields=["last_used_at"], name="chat_session_last_used"),
        ]

    def __str__(self) -> str:
        return self.title


class ChatMessage(models.Model):
    """A message of the visitor, or of the plugin. `asked` is the whole question that a visitor's message stands for,
    and `is_reply` whether it answers a question back. A plugin's message is shown from its `answer`
    (`querying.presentation.answer.to_stored_answer`)."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    session = models.ForeignKey(ChatSession, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField()
    asked = models.TextField(blank=True)
    is_reply = models.BooleanField(default=False)
    answer = models.JSONField(default=dict)
    seconds = models.FloatField(null=True)
    # The question's id, which the audit row has too. No foreign key: that row is deleted by rules of its own.
    query_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.role}: {self.content[:60]}"
