"""Private knowledge bases: the kinds of base, and the members whom the owner of a private one has added."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import ApiKey, Capability, Principal, User, user_of
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from lexic.compiled_query import written_out
from plugins.models import Role


class BaseKind(models.TextChoices):
    """Whom a base is for. No plugin reads one of the last two kinds: they belong to people."""

    PLUGIN = "plugin", "plugins"
    PROJECT = "project", "a project and its members"
    PERSONAL = "personal", "one person"


class BaseMemberQuerySet(AuditedQuerySet["BaseMember"]):
    def of_user(self, user: User) -> BaseMemberQuerySet:
        """The memberships of this person: those of their address, once it is known to be theirs. One rule with
        `accounts.email_addresses.has_confirmed_email`."""
        if not user.is_active:
            return self.none()
        rows = self.filter(email=user.email)
        if settings.ACCOUNT_EMAIL_VERIFICATION == "none":
            return rows
        addresses = EmailAddress.objects.filter(user=user)
        is_confirmed = models.Exists(addresses.filter(email__iexact=user.email, verified=True))
        return rows.filter(is_confirmed | ~models.Exists(addresses))

    def for_address(self, email: str) -> BaseMemberQuerySet:
        return self.filter(email=email.strip().lower())


class BaseMember(AuditedModel):
    """A person who may open a private base of somebody else. An editor may change its documents.

    The row has an e-mail address and no account, so that it does not reveal who has one. Whoever has confirmed the
    address is the member.
    """

    knowledge_base = models.ForeignKey("knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="members")
    email = models.EmailField()
    role = models.CharField(max_length=8, choices=Role.choices)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = BaseMemberQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="base", pk="knowledge_base_id"),
        subject=Named(kind="member", name="email"),
        created=Action.MEMBER_ADDED,
        deleted=Action.MEMBER_REMOVED,
        changed={"role": Action.MEMBER_CHANGED},
    )

    class Meta:
        ordering = ["email"]
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "email"], name="base_member_once")]
        indexes = [models.Index(fields=["email"], name="base_member_email")]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.knowledge_base_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.strip().lower()
        super().save(*args, **kwargs)


def opens_private_base(principal: Principal, *, roles: list[str]) -> models.Q:
    """The condition for private bases that this person owns, or is a member of with one of these roles.

    Operators have no special access. A key needs the permission to read; the caller excludes keys that are limited to
    some plugins.
    """
    if isinstance(principal, ApiKey) and not principal.can(Capability.READ):
        return models.Q(pk__in=[])
    user = user_of(principal)
    let_in = BaseMember.objects.of_user(user).filter(role__in=roles).values("knowledge_base")
    return ~models.Q(kind=BaseKind.PLUGIN) & (models.Q(owner=user) | models.Q(pk__in=written_out(let_in)))
