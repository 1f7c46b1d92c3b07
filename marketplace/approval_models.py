"""Approvals of drafts by reviewers. Part of `marketplace.models`, which imports it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from organisations.models import Organisation
from plugins.models import Plugin

MAX_COMMENT_CHARACTERS = 2000


class ReleaseApprovalQuerySet(AuditedQuerySet["ReleaseApproval"]):
    def open(self) -> ReleaseApprovalQuerySet:
        """Approvals that wait for a reviewer."""
        return self.filter(state=ReleaseApproval.State.REQUESTED)

    def current(self) -> ReleaseApprovalQuerySet:
        """Approvals of plugins that still belong to the organisation that was asked."""
        return self.filter(organisation=models.F("plugin__organisation"))


class ReleaseApproval(AuditedModel):
    """Somebody asks the reviewers of an organisation to approve one draft; one of them decides.

    `fingerprint` names the content (`marketplace.publishing.approval.content_fingerprint`), so that a decision holds
    for that draft and for no other.
    """

    class State(models.TextChoices):
        REQUESTED = "requested", "waits for a reviewer"
        APPROVED = "approved", "approved"
        DECLINED = "declined", "declined"
        REPLACED = "replaced", "replaced by a later request"

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="approvals")
    organisation = models.ForeignKey(Organisation, on_delete=models.SET_NULL, null=True, related_name="approvals")
    fingerprint = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.REQUESTED)
    note = models.TextField(blank=True, max_length=MAX_COMMENT_CHARACTERS)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    comment = models.TextField(blank=True, max_length=MAX_COMMENT_CHARACTERS)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    objects = ReleaseApprovalQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        subject=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        created=Action.APPROVAL_REQUESTED,
        deleted=None,
        changed=dict.fromkeys(("state", "fingerprint"), Action.APPROVAL_DECIDED),
        made_at="requested_at",
    )

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["plugin"], condition=models.Q(state="requested"), name="one_open_approval_request"
            )
        ]

    def __str__(self) -> str:
        return f"{self.plugin_id}, {self.get_state_display()}"
