"""Organisations: people with roles, who own plugins together."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone

from accounts import quotas
from accounts.mailed_invitations import MailedInvitation, MailedInvitationQuerySet
from accounts.models import User
from accounts.second_step import second_factors_of
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from lexic.compiled_query import written_out
from lexic.errors import Conflict, NotFound
from lexic.name_field import NameField
from organisations.provisioning_models import DirectoryToken as DirectoryToken
from organisations.provisioning_models import ProvisionedGroup as ProvisionedGroup
from organisations.provisioning_models import ProvisionedPerson as ProvisionedPerson
from organisations.roles import ADMINISTERING_ROLES as ADMINISTERING_ROLES
from organisations.roles import APPROVING_ROLES as APPROVING_ROLES
from organisations.roles import EDITING_ROLES as EDITING_ROLES
from organisations.roles import READING_ROLES as READING_ROLES
from organisations.roles import OrganisationRole as OrganisationRole
from organisations.sign_in_models import IdentityProvider as IdentityProvider
from organisations.sign_in_models import OrganisationDomain as OrganisationDomain
from organisations.sso_session import KEYS_WORK_FOR, acting_organisations


class UnknownOrganisation(NotFound):
    """There is no such organisation, or you are not in it."""

    code = "unknown_organisation"


class LastOwner(Conflict):
    """An organisation has at least one owner."""

    code = "last_owner"
    hint = "Make somebody else an owner first."


class OrganisationQuerySet(AuditedQuerySet["Organisation"]):
    def of_member(self, user: User, *, roles: Sequence[str] = OrganisationRole.values) -> OrganisationQuerySet:
        """The organisations in which this person has one of these roles."""
        theirs = Membership.objects.filter(user=user, user__is_active=True, role__in=roles)
        return self.filter(pk__in=written_out(theirs.values("organisation")))

    def open_to(self, user: User, *, roles: Sequence[str] = OrganisationRole.values) -> OrganisationQuerySet:
        """The organisations in which this person may act now with one of these roles: plugins, knowledge and pages all
        use this. One that requires a second factor, or its own provider, is closed to sessions without it."""
        return self.of_member(user, roles=roles).satisfied_by(user)

    def satisfied_by(self, user: User | models.OuterRef) -> OrganisationQuerySet:
        """The organisations that accept how this person signs in, members or not."""
        with_step = models.Q(requires_second_step=False) | models.Q(models.Exists(second_factors_of(user)))
        return self.filter(with_step, models.Q(requires_sso=False) | _has_signed_in_through(user))

    def without_owner(self) -> OrganisationQuerySet:
        """The organisations whose owners are all locked out or deleted."""
        owners = Membership.objects.filter(organisation=models.OuterRef("pk")).owners()
        return self.filter(~models.Exists(owners))

    @transaction.atomic
    def create_with_owner(self, *, name: str, owner: User) -> Organisation:
        """Raises `TooManyOrganisations`."""
        User.objects.select_for_update(no_key=True).only("pk").get(pk=owner.pk)  # one at a time
        owned = Membership.objects.filter(user=owner, role=OrganisationRole.OWNER)
        quotas.ORGANISATIONS.check("account", used=owned.count())
        organisation = self.create(name=name)
        Membership.objects.create(organisation=organisation, user=owner, role=OrganisationRole.OWNER)
        return organisation


def _has_signed_in_through(user: User | models.OuterRef) -> models.Q:
    """The condition on organisations whose provider has signed this person in within the last weeks, and in the session
    or for the key that acts, where one does."""
    recent = Membership.objects.filter(user=user, signed_in_at__gt=Now() - KEYS_WORK_FOR)
    has_signed_in = models.Q(pk__in=recent.values("organisation"))
    acting = acting_organisations(user) if isinstance(user, User) else None
    return has_signed_in if acting is None else has_signed_in & models.Q(pk__in=acting)


class Organisation(AuditedModel):
    """An organisation, which owns plugins. The roles of its members say what they may do with them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = NameField(max_length=120)
    requires_approval = models.BooleanField(
        "releases need approval",
        default=False,
        db_default=False,
        help_text="A reviewer or owner who has not worked on a draft approves it before it is published.",
    )
    requires_second_step = models.BooleanField(
        "members need a second step",
        default=False,
        db_default=False,
        help_text="Its plugins are closed to people who sign in without an authenticator app or a passkey.",
    )
    requires_sso = models.BooleanField(
        "members sign in through its provider",
        default=False,
        db_default=False,
        help_text="Its plugins are closed to people who have not signed in through the provider of the organisation.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OrganisationQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", name="name"),
        created=Action.ORGANISATION_CREATED,
        deleted=Action.ORGANISATION_DELETED,
        changed=dict.fromkeys(
            ("name", "requires_approval", "requires_second_step", "requires_sso"), Action.ORGANISATION_CHANGED
        ),
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def lock(self) -> None:
        """Locks the members and the property of the organisation until the transaction ends. Raises
        `UnknownOrganisation` if it has been deleted."""
        if not Organisation.objects.select_for_update(no_key=True).only("pk").filter(pk=self.pk).first():
            raise UnknownOrganisation


class MembershipQuerySet(AuditedQuerySet["Membership"]):
    def owners(self) -> MembershipQuerySet:
        """Who can act as owner, the longest-standing first."""
        return self.filter(role=OrganisationRole.OWNER, user__is_active=True).order_by("created_at", "pk")


class Membership(AuditedModel):
    """What one person may do in one organisation."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=OrganisationRole.choices)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    signed_in_at = models.DateTimeField(null=True, editable=False, help_text="Through its provider, the last time.")

    objects = MembershipQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        subject=Named(kind="person", pk="user_id", name="user__email", person="user_id"),
        created=Action.ORGANISATION_MEMBER_ADDED,
        deleted=Action.ORGANISATION_MEMBER_REMOVED,
        changed={"role": Action.ORGANISATION_MEMBER_CHANGED},
    )

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["organisation", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user_id} as {self.role} of {self.organisation_id}"

    @property
    def may_administer(self) -> bool:
        """Whether they say who is in it."""
        return self.role in ADMINISTERING_ROLES

    @property
    def assignable_roles(self) -> list[tuple[str, str]]:
        """The roles that they may give to others, with their labels."""
        if not self.may_administer:
            return []
        is_owner = self.role == OrganisationRole.OWNER
        return [(role.value, role.label) for role in OrganisationRole if is_owner or role != OrganisationRole.OWNER]

    @property
    def may_approve(self) -> bool:
        """Whether they decide on drafts that others have worked on."""
        return self.role in APPROVING_ROLES

    @property
    def may_read(self) -> bool:
        """Whether they open its plugins."""
        return self.role in READING_ROLES

    def locked(self) -> Membership:
        """The row as it is now, with its organisation locked. Raises `UnknownOrganisation` where either is gone."""
        self.organisation.lock()
        if found := Membership.objects.select_related("organisation", "user").filter(pk=self.pk).first():
            return found
        raise UnknownOrganisation

    def successor(self) -> User:
        """Who owns what this owner owns for the organisation when they no longer can. Raises `LastOwner`."""
        other = self.organisation.memberships.owners().exclude(pk=self.pk).select_related("user").first()
        if other is None:
            raise LastOwner
        return other.user


class MembershipInvitationQuerySet(MailedInvitationQuerySet["MembershipInvitation"]):
    """Invitations to organisations."""


class MembershipInvitation(MailedInvitation):
    """To join an organisation."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=8, choices=OrganisationRole.choices)

    objects = MembershipInvitationQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="organisation", pk="organisation_id", name="organisation__name"),
        subject=Named(kind="invitation", name="email"),
        created=Action.ORGANISATION_INVITED,
        deleted=Action.ORGANISATION_INVITATION_ENDED,
        changed={"role": Action.ORGANISATION_INVITED},
    )

    class Meta:
        ordering = ["email"]
        constraints = [models.UniqueConstraint(fields=["organisation", "email"], name="membership_invitation_once")]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.organisation_id}"
