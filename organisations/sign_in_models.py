"""The sign-in of an organisation's members: the domains that it has proved to own, and its provider.

Part of `organisations.models`, which imports it.
"""

from __future__ import annotations

import secrets
import uuid

from django.db import models
from django.utils import timezone

from accounts import key_secrets
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from organisations.roles import GIVEN_ROLE_CHOICES


def _new_proof() -> str:
    return f"lexic-domain={secrets.token_urlsafe(24)}"


class OrganisationDomainQuerySet(AuditedQuerySet["OrganisationDomain"]):
    def verified(self) -> OrganisationDomainQuerySet:
        return self.filter(verified_at__isnull=False)

    def of_address(self, email: str) -> OrganisationDomainQuerySet:
        """The verified domain of a mail address; no domain counts for those below it."""
        return self.verified().filter(name=email.rpartition("@")[2].lower())


class OrganisationDomain(AuditedModel):
    """A domain of mail addresses. Until it is verified it is a claim, which several organisations may make."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey("organisations.Organisation", on_delete=models.CASCADE, related_name="domains")
    name = models.CharField("domain", max_length=253)
    # Shown to the owners, and looked for at the domain.
    proof = models.CharField(max_length=64, default=_new_proof, editable=False)
    verified_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OrganisationDomainQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        created=Action.ORGANISATION_DOMAIN_CHANGED,
        deleted=Action.ORGANISATION_DOMAIN_CHANGED,
        changed=dict.fromkeys(("name", "verified_at"), Action.ORGANISATION_DOMAIN_CHANGED),
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["organisation", "name"], name="organisation_domain_once"),
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(verified_at__isnull=False), name="domain_of_one_organisation"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class IdentityProviderQuerySet(AuditedQuerySet["IdentityProvider"]):
    """Providers of organisations."""


class IdentityProvider(AuditedModel):
    """The OpenID Connect provider that signs in the members of an organisation."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.OneToOneField(
        "organisations.Organisation", on_delete=models.CASCADE, related_name="identity_provider"
    )
    server_url = models.URLField("address of the provider", max_length=500)
    client_id = models.CharField("client id", max_length=255)
    secret_encrypted = models.TextField(editable=False)
    default_role = models.CharField(
        "role of new people",
        max_length=8,
        choices=GIVEN_ROLE_CHOICES,
        blank=True,
        help_text="Of whoever signs in for the first time. Empty: only those who are invited come in.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = IdentityProviderQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        created=Action.ORGANISATION_PROVIDER_CHANGED,
        deleted=Action.ORGANISATION_PROVIDER_CHANGED,
        changed=dict.fromkeys(("server_url", "client_id", "default_role"), Action.ORGANISATION_PROVIDER_CHANGED),
    )

    def __str__(self) -> str:
        return self.server_url

    def secret(self) -> str:
        """Empty where ENCRYPTION_KEY has changed since it was sealed."""
        return key_secrets.decrypt(self.secret_encrypted) or ""
