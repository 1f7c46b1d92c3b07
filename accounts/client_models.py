from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named


class AuthorizedClientQuerySet(AuditedQuerySet["AuthorizedClient"]):
    """The OAuth clients that people have authorized."""


class AuthorizedClient(AuditedModel):
    """An OAuth client that a person has authorized, and the API key whose permissions its access tokens have.

    The secret of that key is thrown away when it is created. When the key is revoked, no token of the client works for
    this person any more.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="authorized_clients")
    application = models.ForeignKey("oauth2_provider.Application", on_delete=models.CASCADE, related_name="+")
    key = models.OneToOneField("accounts.ApiKey", on_delete=models.CASCADE, related_name="authorized_client")
    authorized_at = models.DateTimeField(default=timezone.now)

    objects = AuthorizedClientQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="key", pk="key_id", name="key__name", person="user_id"),
        subject=Named(kind="person", pk="user_id", name="user__email", person="user_id"),
        created=Action.CLIENT_AUTHORIZED,
        deleted=None,  # its end is that of its key
        changed={"authorized_at": Action.CLIENT_AUTHORIZED},
        made_at="authorized_at",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "application"], name="client_authorized_once")]

    def __str__(self) -> str:
        return f"{self.application_id} for {self.user_id}"
