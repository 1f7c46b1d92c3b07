"""Invitations to an organisation, sent by mail. A person joins only by accepting."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts import quotas
from accounts.mailed_invitations import clean_address
from accounts.models import User
from lexic.errors import Conflict, NotAllowed
from organisations.models import ADMINISTERING_ROLES, Membership, MembershipInvitation, Organisation, OrganisationRole


class AlreadyMember(Conflict):
    """They are in this organisation already."""

    code = "already_member"
    hint = "Change their role beside their name."


class NotAdministrator(NotAllowed):
    """Owners and operators of the organisation say who is in it."""

    code = "not_administrator"
    hint = "Ask one of them."


class OnlyOwners(NotAllowed):
    """Only an owner makes owners, changes their role, or removes them."""

    code = "only_owners"
    hint = "Ask an owner of the organisation."


def check_may_assign(by: Membership, *, role: str, member: Membership | None = None) -> None:
    """Whether `by` may give this role, to `member` where they are in already. Raises `NotAdministrator`,
    `OnlyOwners`."""
    if by.role not in ADMINISTERING_ROLES:
        raise NotAdministrator
    concerns_owner = OrganisationRole.OWNER in (role, member.role if member else None)
    is_own = member is not None and member.pk == by.pk
    if by.role != OrganisationRole.OWNER and (concerns_owner or is_own):
        raise OnlyOwners


def invite_member(
    by: Membership, *, email: str, role: str, now: datetime | None = None
) -> tuple[MembershipInvitation, str]:
    """An invitation with its token; a second one for the same address replaces the first. The caller sends it.

    Raises `NotAnEmailAddress`, `NotAdministrator`, `OnlyOwners`, `AlreadyMember`, `TooManyCollaborators`,
    `UnknownOrganisation`.
    """
    address, wanted = clean_address(email), OrganisationRole(role)
    with transaction.atomic():
        by = by.locked()
        check_may_assign(by, role=wanted)
        organisation = by.organisation
        if organisation.memberships.filter(user__email=address).exists():
            raise AlreadyMember
        if earlier := organisation.invitations.for_address(address).first():
            check_may_assign(by, role=earlier.role)
        replaced = organisation.invitations.take_out(earlier)
        people = organisation.memberships.count() + organisation.invitations.open(now=now).count()
        quotas.PEOPLE.check("organisation", used=people)
        return MembershipInvitation.objects.issue(
            email=address, by=by.user, replaced=replaced, now=now, organisation=organisation, role=wanted
        )


def revoke_invitation(invitation: MembershipInvitation, *, by: Membership) -> None:
    """Its link no longer works. Raises `NotAdministrator`, `OnlyOwners`, `UnknownOrganisation`."""
    with transaction.atomic():
        check_may_assign(by.locked(), role=invitation.role)
        invitation.delete()


def end_invitations_by(member: Membership, *, role: str = "") -> None:
    """Deletes the open invitations that this member sent and could no longer send: with this role from now on, or out
    of the organisation."""
    sent = member.organisation.invitations.filter(invited_by=member.user)
    if role == OrganisationRole.OPERATOR:
        sent = sent.filter(role=OrganisationRole.OWNER)
    if role != OrganisationRole.OWNER:
        sent.delete()


def find_invitation(token: str, *, now: datetime | None = None) -> MembershipInvitation:
    """The open invitation with this token. Raises `InvitationNotOpen`."""
    return MembershipInvitation.objects.select_related("organisation", "invited_by").with_token(token, now=now)


def accept_invitation(invitation: MembershipInvitation, *, person: User) -> Membership:
    """The person is in it from now on, with the role that they had where they were in already.

    Raises `WrongInvitee`, `InviteeNotConfirmed`, `InvitationNotOpen`.
    """
    with transaction.atomic():
        found = MembershipInvitation.objects.select_related("organisation").lock_for(person, pk=invitation.pk)
        organisation: Organisation = found.organisation
        membership, _ = Membership.objects.get_or_create(
            organisation=organisation, user=person, defaults={"role": found.role}
        )
        found.delete()
        return membership
