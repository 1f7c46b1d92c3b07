"""Conversations: public ones of visitors with a plugin, and private ones of people, each kept for whoever began it."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models, transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import ApiKey, Principal, User, user_of
from conversations.projects.models import Project as Project
from conversations.visitor import Visitor
from lexic.column_length import column_length
from lexic.short_text import shorten
from plugins.models import Plugin
from plugins.retention import expired_rows
from querying.quoted_documents import QuotedDocuments
from querying.redaction.redact_question import redact_question

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class ChatSessionQuerySet(models.QuerySet["ChatSession"]):
    def visible_to(self, visitor: Visitor) -> ChatSessionQuerySet:
        """The visitor's own public ones: those of the person who has signed in, else those of this browser."""
        public = self.filter(is_private=False)
        if visitor.user is not None:
            return public.filter(user=visitor.user)
        return public.filter(user=None, visitor=visitor.secret_hash) if visitor.secret_hash else self.none()

    def private_to(self, principal: Principal) -> ChatSessionQuerySet:
        """The person's own private ones, in whatever project. A key needs the capability to read, and no list of
        plugins."""
        if isinstance(principal, ApiKey) and not principal.opens_private_bases():
            return self.none()
        project = Project.objects.visible_to(principal).filter(pk=models.OuterRef("project"))
        shown = models.Subquery(project.order_by().values("pk")[:1])
        return self.filter(is_private=True, user=user_of(principal)).annotate(open_project=shown)

    def title_contains(self, words: str) -> ChatSessionQuerySet:
        return self.filter(title__icontains=words)

    @transaction.atomic
    def begin_private(self, *, user: User, project: Project | None, title: str) -> ChatSession:
        """A private conversation of this person. Raises `TooManyConversations`, and `Project.DoesNotExist` where the
        project has been deleted meanwhile."""
        User.objects.select_for_update(no_key=True).only("pk").get(pk=user.pk)  # counted one at a time
        quotas.CONVERSATIONS.check("account", used=self.filter(is_private=True, user=user).count())
        if project:
            Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        return self.create(user=user, is_private=True, project=project, title=_stored_title(title))

    def of_visitor(self, visitor: Visitor, plugin: Plugin) -> ChatSessionQuerySet:
        """The visitor's own conversations with this plugin, the latest first."""
        return self.visible_to(visitor).filter(plugin=plugin).select_related("plugin")

    def stale(self, *, now: datetime) -> ChatSessionQuerySet:
        """Public conversations that were not used for longer than their plugin keeps them. Private ones are deleted by
        their owners only."""
        return expired_rows(self.filter(is_private=False), kind="chats", date_field="last_used_at", now=now)

    def lock_against_deletion(self) -> None:
        """Locks these conversations against deletion until the transaction ends."""
        list(self.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk"))

    def lock_for_deletion(self) -> None:
        """Inside a transaction: whoever holds one of these has let go, or waits and finds it gone."""
        list(self.order_by("pk").select_for_update(of=("self",)).values_list("pk"))

    def detach_from_person(self) -> int:
        """Detaches public conversations under legal hold from a deleted account: they stay, but cannot be opened
        again."""
        return self.filter(is_private=False).update(user=None, visitor=secrets.token_hex(32))


class ChatSession(models.Model):
    """One conversation. It belongs to the person who was signed in when it began, or to a browser: then `visitor` is
    the hash of that browser's secret.

    A public one is with one plugin, whose author keeps it for so long. A private one is a person's own, alone or in a
    project; it names no plugin, whose people are not to count it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, null=True, blank=True, related_name="chat_sessions")
    is_private = models.BooleanField(default=False, db_default=False, editable=False)
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, blank=True, related_name="conversations", editable=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="chat_sessions"
    )
    visitor = models.CharField(max_length=64, blank=True)
    title = models.CharField(max_length=120, blank=True, help_text="The beginning of its first question.")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(default=timezone.now)

    messages: RelatedManager[ChatMessage]
    # Set by `private_to`: the id of its project, where that may be opened still.
    open_project: uuid.UUID | None

    objects = ChatSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-last_used_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user=None) ^ models.Q(visitor=""), name="chat_session_belongs_to_one"
            ),
            models.CheckConstraint(
                condition=models.Q(is_private=False, plugin__isnull=False, project=None)
                | models.Q(is_private=True, plugin=None, user__isnull=False),
                name="chat_session_is_of_a_plugin_or_private",
            ),
        ]
        indexes = [
            models.Index(fields=["visitor", "plugin", "-last_used_at"], name="chat_session_of_visitor"),
            models.Index(fields=["user", "-last_used_at"], name="chat_session_of_user"),
            # Deleting old conversations.
            models.Index(fields=["last_used_at"], name="chat_session_last_used"),
        ]

    def __str__(self) -> str:
        return self.title

    def rename(self, title: str) -> bool:
        """Gives it another title. False where it has been deleted meanwhile."""
        self.title = _stored_title(title)
        return bool(ChatSession.objects.filter(pk=self.pk).update(title=self.title))


def _stored_title(title: str) -> str:
    """Programs give a conversation its first question as a title. What stands for a number may be longer than it."""
    return shorten(redact_question(title), column_length(ChatSession, "title"))


class ChatMessageQuerySet(models.QuerySet["ChatMessage"]):
    def quoting(self, documents: Iterable[str]) -> ChatMessageQuerySet:
        """The messages whose `metadata` names one of these documents as `documentId`. An index finds them."""
        return self.alias(quoted=QuotedDocuments("metadata")).filter(quoted__has_any_keys=list(documents))


class ChatMessage(models.Model):
    """A message of the visitor, or of the plugin. `asked` is the whole question that a visitor's message means, and
    `is_reply` whether it answers a clarification. A plugin's message is shown from its `metadata`, the whole answer
    with its citations (`querying.presentation.answer.to_stored_answer`)."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    uuid = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False)
    session = models.ForeignKey(ChatSession, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField()
    asked = models.TextField(blank=True)
    is_reply = models.BooleanField(default=False)
    metadata = models.JSONField(default=dict)
    seconds = models.FloatField(null=True)
    # The question's id, which the query row has too. No foreign key: that row is deleted by rules of its own.
    # Null: the message stands for several questions, or for none.
    query_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ChatMessageQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # Deleting documents looks for the answers that quote them.
            GinIndex(OpClass(QuotedDocuments("metadata"), name="jsonb_ops"), name="chat_message_quoted_documents")
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.content[:60]}"

    @property
    def attachments(self) -> list[dict[str, str]]:
        """What came with it: the `documentId` and the `title` of each."""
        attached: list[dict[str, str]] = self.metadata.get("attachments", [])
        return attached
