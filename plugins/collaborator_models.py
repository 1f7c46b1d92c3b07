"""Rows about who works on a plugin with its owner: roles, invitations, and the offer to own it."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone


class Role(models.TextChoices):
    EDITOR = "editor", "editor"
    VIEWER = "viewer", "viewer"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, *, now: datetime | None = None) -> InvitationQuerySet:
        return self.filter(expires_at__gt=now or timezone.now())

    def for_address(self, email: str) -> InvitationQuerySet:
        return self.filter(email=email.strip().lower())


class Invitation(models.Model):
    """A promise to whoever reads the mail of an address. It is gone once it is accepted or taken back.

    The link in the mail holds the token; only its hash is kept.
    """

    VALID_FOR = timedelta(days=14)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey("plugins.Plugin", on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=8, choices=Role.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    # Whoever invited may leave: the invitation is the plugin's.
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["email"]
        constraints = [models.UniqueConstraint(fields=["plugin", "email"], name="invitation_once")]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.plugin_id}"


class OwnershipOffer(models.Model):
    """The owner of a plugin offers it to one of its editors, who owns it once they accept."""

    plugin = models.OneToOneField("plugins.Plugin", on_delete=models.CASCADE, related_name="ownership_offer")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.plugin_id} to {self.to_id}"
