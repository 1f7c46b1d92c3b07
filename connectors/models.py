"""Connections to people's Google Drives, and the documents that came from there."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts import key_secrets
from accounts.models import User
from knowledge.models import Document, KnowledgeBase

# A token that ends within so many seconds is not used any more.
_EXPIRY_MARGIN = timedelta(seconds=60)


class DriveConnectionQuerySet(models.QuerySet["DriveConnection"]):
    def connect(self, user: User, *, refresh_token: str, account_email: str) -> DriveConnection:
        """The person's connection, which from now on has this token."""
        columns = {
            "account_email": account_email,
            "refresh_token_encrypted": key_secrets.encrypt(refresh_token),
            "access_token_encrypted": "",
            "access_expires_at": None,
            "connected_at": timezone.now(),
        }
        connection, _ = self.update_or_create(user=user, defaults=columns)
        return connection


class DriveConnection(models.Model):
    """A person's Google Drive. The tokens are sealed under ENCRYPTION_KEY; without a refresh token the connection has
    lapsed, because Google no longer accepted it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drive_connection")
    account_email = models.CharField(max_length=254, blank=True, help_text="Of the Google account, where it said so.")
    refresh_token_encrypted = models.TextField(blank=True, editable=False)
    access_token_encrypted = models.TextField(blank=True, editable=False)
    access_expires_at = models.DateTimeField(null=True, editable=False)
    connected_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = DriveConnectionQuerySet.as_manager()

    class Meta:
        ordering = ["-connected_at"]

    def __str__(self) -> str:
        return f"Google Drive of {self.account_email or self.user_id}"

    @property
    def has_lapsed(self) -> bool:
        return not self.refresh_token_encrypted

    def refresh_token(self) -> str | None:
        """None where Google no longer accepts it, or ENCRYPTION_KEY has changed since it was sealed."""
        return key_secrets.decrypt(self.refresh_token_encrypted) if self.refresh_token_encrypted else None

    def access_token(self, *, now: datetime | None = None) -> str | None:
        """The token of the moment; None where it has ended, or ends at once."""
        end = self.access_expires_at
        if end is None or end <= (now or timezone.now()) + _EXPIRY_MARGIN:
            return None
        return key_secrets.decrypt(self.access_token_encrypted)

    def save_access_token(self, token: str, *, seconds: int) -> None:
        """Keeps a token that is good for so many seconds, where the connection is still there."""
        self._update_columns(
            access_token_encrypted=key_secrets.encrypt(token),
            access_expires_at=timezone.now() + timedelta(seconds=seconds),
        )

    def lapse(self) -> None:
        """Forgets tokens that Google no longer accepts, unless the person has connected anew meanwhile."""
        unchanged = DriveConnection.objects.filter(
            pk=self.pk, refresh_token_encrypted=self.refresh_token_encrypted, connected_at=self.connected_at
        )
        unchanged.update(refresh_token_encrypted="", access_token_encrypted="", access_expires_at=None)

    def _update_columns(self, **columns: Any) -> None:
        DriveConnection.objects.filter(pk=self.pk, connected_at=self.connected_at).update(**columns)
        for name, value in columns.items():
            setattr(self, name, value)


class DriveFileQuerySet(models.QuerySet["DriveFile"]):
    def find(self, base: KnowledgeBase, *, file_id: str) -> Document | None:
        """The document of this base that the file became, as long as it is there."""
        row = self.filter(knowledge_base=base, file_id=file_id, document__removed_in=None).first()
        return row.document if row else None

    def is_name_taken(self, base: KnowledgeBase, *, name: str, file_id: str) -> bool:
        """Whether a document of this base that came from another file is called so."""
        others = self.filter(knowledge_base=base, document__file_name=name, document__removed_in=None)
        return others.exclude(file_id=file_id).exists()

    def record(self, document: Document, *, file_id: str) -> None:
        """Notes that the file became this document. A document that came from another file keeps that one."""
        if not self.filter(document=document).exclude(file_id=file_id).exists():
            self.update_or_create(
                knowledge_base_id=document.knowledge_base_id, file_id=file_id, defaults={"document": document}
            )


class DriveFile(models.Model):
    """A file of Google Drive that became a document: imported again, it is a new version of that one."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="drive_file")
    knowledge_base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    file_id = models.CharField(max_length=200)

    objects = DriveFileQuerySet.as_manager()

    class Meta:
        ordering = ["file_id"]
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "file_id"], name="drive_file_once")]

    def __str__(self) -> str:
        return self.file_id


class DriveRevocationQuerySet(models.QuerySet["DriveRevocation"]):
    def due(self, *, now: datetime | None = None) -> DriveRevocationQuerySet:
        return self.filter(due_at__lte=now or timezone.now())


class DriveRevocation(models.Model):
    """A token that still has to be revoked at Google. It contains no reference to the person, and outlives the
    account."""

    token_encrypted = models.TextField(editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    due_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = DriveRevocationQuerySet.as_manager()

    class Meta:
        ordering = ["due_at"]

    def __str__(self) -> str:
        return f"revocation {self.pk}"
