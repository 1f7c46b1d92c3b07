"""The people and groups that the directory of an organisation has sent by SCIM, and its token. Part of
`organisations.models`, which imports it."""

from __future__ import annotations

import secrets
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.key_secrets import hash_secret
from accounts.models import User
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from organisations.roles import GIVEN_ROLE_CHOICES

if TYPE_CHECKING:
    from organisations.models import Organisation

TOKEN_PREFIX = "lxscim_"  # noqa: S105  # the beginning of every token
# How exactly it is known when a token was used last.
_USE_STEP = timedelta(minutes=5)
MAX_NAME_CHARACTERS = 254


class DirectoryTokenQuerySet(AuditedQuerySet["DirectoryToken"]):
    def issue(self, organisation: Organisation, *, by: User) -> str:
        """A new token, shown once; the former one works no longer."""
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        self.filter(organisation=organisation).delete()
        self.create(organisation=organisation, token_hash=hash_secret(token), created_by=by)
        return token

    def organisation_of(self, token: str) -> Organisation | None:
        """The organisation whose directory has this token."""
        if not token.startswith(TOKEN_PREFIX):
            return None
        found = self.select_related("organisation").filter(token_hash=hash_secret(token)).first()
        if found is None:
            return None
        now = timezone.now()
        if found.last_used_at is None or found.last_used_at < now - _USE_STEP:
            self.filter(pk=found.pk).update(last_used_at=now)
        return found.organisation


class DirectoryToken(AuditedModel):
    """The token by which a directory says who is in the organisation. Only its hash is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.OneToOneField(
        "organisations.Organisation", on_delete=models.CASCADE, related_name="directory_token"
    )
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True)

    objects = DirectoryTokenQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        created=Action.DIRECTORY_TOKEN_ISSUED,
        deleted=Action.DIRECTORY_TOKEN_REVOKED,
    )

    def __str__(self) -> str:
        return f"of {self.organisation_id}"


class ProvisionedPerson(models.Model):
    """What a directory calls a person. Whether they are in the organisation is said by their membership alone.

    `made_account`: there was no account with their address before.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey("organisations.Organisation", on_delete=models.CASCADE, related_name="provisioned")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="provisioned")
    user_name = models.CharField(max_length=MAX_NAME_CHARACTERS)
    external_id = models.CharField(max_length=MAX_NAME_CHARACTERS, blank=True)
    made_account = models.BooleanField(default=False)
    # Names and addresses as the directory has them; nothing here goes by them.
    attributes = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["organisation", "user"], name="provisioned_person_once"),
            models.UniqueConstraint("organisation", Lower("user_name"), name="provisioned_user_name_once"),
        ]

    def __str__(self) -> str:
        return self.user_name


class ProvisionedGroupQuerySet(AuditedQuerySet["ProvisionedGroup"]):
    def that_give_roles(self) -> Self:
        return self.exclude(role="")


class ProvisionedGroup(AuditedModel):
    """A group of a directory. An owner says which role it gives, if any."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey("organisations.Organisation", on_delete=models.CASCADE, related_name="groups")
    display_name = models.CharField(max_length=MAX_NAME_CHARACTERS)
    external_id = models.CharField(max_length=MAX_NAME_CHARACTERS, blank=True)
    role = models.CharField(max_length=8, choices=GIVEN_ROLE_CHOICES, blank=True)
    people = models.ManyToManyField(ProvisionedPerson, related_name="groups")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ProvisionedGroupQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        created=Action.DIRECTORY_GROUP_CHANGED,
        deleted=Action.DIRECTORY_GROUP_CHANGED,
        changed=dict.fromkeys(("display_name", "role"), Action.DIRECTORY_GROUP_CHANGED),
    )

    class Meta:
        ordering = ["display_name", "pk"]
        constraints = [
            models.UniqueConstraint("organisation", Lower("display_name"), name="provisioned_group_once"),
        ]

    def __str__(self) -> str:
        return self.display_name
