"""Rows about who works on a plugin with its owner: roles, invitations, and the offer to own it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.mailed_invitations import MailedInvitation, MailedInvitationQuerySet
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from organisations.models import Organisation


class Role(models.TextChoices):
    EDITOR = "editor", "editor"
    VIEWER = "viewer", "viewer"


class InvitationQuerySet(MailedInvitationQuerySet["Invitation"]):
    """Invitations to plugins."""


class Invitation(MailedInvitation):
    """To work on a plugin."""

    plugin = models.ForeignKey("plugins.Plugin", on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=8, choices=Role.choices)

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


class OrganisationOfferQuerySet(AuditedQuerySet["OrganisationOffer"]):
    """Offers of plugins to organisations."""


class OrganisationOffer(AuditedModel):
    """The owner of a plugin offers it to an organisation, which owns it once one of its owners accepts."""

    plugin = models.OneToOneField("plugins.Plugin", on_delete=models.CASCADE, related_name="organisation_offer")
    to = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="plugin_offers")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OrganisationOfferQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        subject=Named(kind="organisation", pk="to_id", name="to__name"),
        created=Action.OFFERED_TO_ORGANISATION,
        deleted=Action.OFFER_TO_ORGANISATION_ENDED,
        changed={"to_id": Action.OFFERED_TO_ORGANISATION},
    )

    def __str__(self) -> str:
        return f"{self.plugin_id} to {self.to_id}"
