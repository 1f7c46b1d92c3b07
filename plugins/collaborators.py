"""Who works on a plugin with its owner: invited, given a role, removed."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts import quotas
from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from audit.actions import Action
from audit.record import record
from audit.references import Reference
from audit.references import person as person_reference
from lexic.errors import Conflict, InvalidInput, NotAllowed, NotFound
from plugins.models import Invitation, Plugin, Role


class NotAnEmailAddress(InvalidInput):
    """This is not an email address."""

    code = "invalid_email"
    hint = "One address, such as ruth@example.org."


class AlreadyCollaborator(Conflict):
    """They work on this plugin already."""

    code = "already_on_it"
    hint = "Change what they may do beside their name."


class InvitationNotOpen(NotFound):
    """This invitation is not open: it was accepted, taken back, or is older than 14 days."""

    code = "invitation_is_over"
    hint = "Ask whoever invited you for a new one."


class WrongInvitee(InvalidInput):
    """This invitation is for another address."""

    code = "not_your_invitation"
    hint = "Sign in with the address it was sent to."


class InviteeNotConfirmed(NotAllowed):
    """The address of your account is not confirmed yet."""

    code = "address_not_confirmed"
    hint = "Open the link in the mail we send you, then accept the invitation again."


def invite_collaborator(
    plugin: Plugin, *, email: str, role: str, by: User, now: datetime | None = None
) -> tuple[Invitation, str]:
    """An invitation with its token; a second one for the same address replaces the first. The caller sends it.

    Nothing here depends on whether the address has an account, so that nobody finds that out by inviting. Raises
    `NotAnEmailAddress`, `AlreadyCollaborator`, `TooManyCollaborators`.
    """
    address, now = _clean_email(email), now or timezone.now()
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if address == plugin.owner.email or _members(plugin).filter(email=address).exists():
            raise AlreadyCollaborator
        plugin.invitations.for_address(address).delete()
        quotas.PEOPLE.check("plugin", used=_members(plugin).count() + plugin.invitations.open().count())
        token = secrets.token_urlsafe(32)
        invitation = plugin.invitations.create(
            email=address,
            role=Role(role),
            token_hash=_hash_token(token),
            invited_by=by,
            created_at=now,
            expires_at=now + Invitation.VALID_FOR,
        )
        return invitation, token


def find_invitation(token: str, *, now: datetime | None = None) -> Invitation:
    """The open invitation with this token. Raises `InvitationNotOpen`."""
    invitations = Invitation.objects.open(now=now).select_related("plugin", "invited_by")
    if invitation := invitations.filter(token_hash=_hash_token(token)).first():
        return invitation
    raise InvitationNotOpen


def accept_invitation(invitation: Invitation, *, person: User) -> Plugin:
    """The person is on it from now on. Raises `WrongInvitee`, `InviteeNotConfirmed`, `InvitationNotOpen`."""
    if person.email != invitation.email:
        raise WrongInvitee
    if not has_confirmed_email(person):
        raise InviteeNotConfirmed
    with transaction.atomic():
        # Locked, so that an invitation taken back in this moment is not accepted.
        open_one = Invitation.objects.open().select_for_update(of=("self",)).filter(pk=invitation.pk).first()
        if open_one is None:
            raise InvitationNotOpen
        if open_one.plugin.owner_id != person.pk:
            assign_role(open_one.plugin, person=person, role=open_one.role)
        open_one.delete()
        return open_one.plugin


def assign_role(plugin: Plugin, *, person: User, role: str) -> None:
    """The person has this role, and no other."""
    _set_role(plugin, person=person, role=Role(role))


def remove_collaborator(plugin: Plugin, *, person: User) -> None:
    """The person has no role on it any more."""
    _set_role(plugin, person=person, role=None)


def remove_everybody(plugin: Plugin) -> None:
    """Nobody has a role on it any more, before it is deleted: so the audit log has who had one."""
    for person in _members(plugin):
        remove_collaborator(plugin, person=person)


def remove_everywhere(person: User) -> None:
    """The person has no role on any plugin any more, before the account is deleted."""
    for plugin in Plugin.objects.filter(Q(editors=person) | Q(viewers=person)).distinct():
        remove_collaborator(plugin, person=person)


@transaction.atomic
def _set_role(plugin: Plugin, *, person: User, role: Role | None) -> None:
    before = find_role(plugin, person)
    plugin.editors.remove(person)
    plugin.viewers.remove(person)
    if role is not None:
        (plugin.editors if role == Role.EDITOR else plugin.viewers).add(person)
    if before != role:
        record(
            Action.ROLE_GIVEN if role else Action.ROLE_TAKEN,
            Reference("plugin", plugin.pk, plugin.name, plugin.owner_id),
            subject=person_reference(person),
            details={"was": {"role": before}, "now": {"role": role}},
        )


def find_role(plugin: Plugin, person: User) -> str | None:
    """None for those who are not on it; the owner has no role."""
    if plugin.editors.contains(person):
        return Role.EDITOR
    return Role.VIEWER if plugin.viewers.contains(person) else None


def _members(plugin: Plugin) -> QuerySet[User]:
    """Its editors and viewers; the owner is neither."""
    return User.objects.filter(Q(edited_plugins=plugin) | Q(viewed_plugins=plugin)).distinct()


def _clean_email(email: str) -> str:
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        raise NotAnEmailAddress from None
    return address


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
