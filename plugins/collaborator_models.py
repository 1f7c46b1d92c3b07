"""Rows about who works on a plugin with its owner: roles, invitations, and the offer to own it."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from audit.actions import Action
from audit.audited import AuditedModel, AuditedQuerySet, AuditRule, Named


class Role(models.TextChoices):
    EDITOR = "editor", "editor"
    VIEWER = "viewer", "viewer"


class InvitationQuerySet(AuditedQuerySet["Invitation"]):
    def open(self, *, now: datetime | None = None) -> InvitationQuerySet:
        return self.filter(expires_at__gt=now or timezone.now())

    def for_address(self, email: str) -> InvitationQuerySet:
        return self.filter(email=email.strip().lower())


class Invitation(AuditedModel):
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
    audit_rule = AuditRule(
        object=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        subject=Named(kind="invitation", name="email"),
        created=Action.INVITED,
        deleted=Action.INVITATION_ENDED,
        changed={"role": Action.INVITED},
    )

    class Meta:
        ordering = ["email"]
        constraints = [models.UniqueConstraint(fields=["plugin", "email"], name="invitation_once")]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.plugin_id}"


class OwnershipOfferQuerySet(AuditedQuerySet["OwnershipOffer"]):
    """Offers of plugins to editors."""


class OwnershipOffer(AuditedModel):
    """The owner of a plugin offers it to one of its editors, who owns it once they accept."""

    plugin = models.OneToOneField("plugins.Plugin", on_delete=models.CASCADE, related_name="ownership_offer")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OwnershipOfferQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        subject=Named(kind="person", pk="to_id", name="to__email", person="to_id"),
        created=Action.OWNERSHIP_OFFERED,
        deleted=Action.OWNERSHIP_OFFER_ENDED,
        changed={"to_id": Action.OWNERSHIP_OFFERED},
    )

    def __str__(self) -> str:
        return f"{self.plugin_id} to {self.to_id}"
