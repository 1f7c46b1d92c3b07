"""The people who work on a plugin with its owner: they are invited, given a role, removed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import quotas
from accounts.mailed_invitations import clean_address
from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry
from audit.record import record
from audit.references import Reference
from audit.references import person as person_reference
from audit.unrecorded_changes import log_began
from lexic.errors import Conflict
from plugins.models import Invitation, Plugin, Role


class AlreadyCollaborator(Conflict):
    """They work on this plugin already."""

    code = "already_on_it"
    hint = "Change what they may do beside their name."


def invite_collaborator(
    plugin: Plugin, *, email: str, role: str, by: User, now: datetime | None = None
) -> tuple[Invitation, str]:
    """An invitation with its token; a second one for the same address replaces the first. The caller sends it.

    Nothing here depends on whether the address has an account, so invitations do not reveal who has one. Raises
    `NotAnEmailAddress`, `AlreadyCollaborator`, `TooManyCollaborators`.
    """
    address = clean_address(email)
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if address == plugin.owner.email or _members(plugin).filter(email=address).exists():
            raise AlreadyCollaborator
        replaced = plugin.invitations.take_out(plugin.invitations.for_address(address).first())
        quotas.PEOPLE.check("plugin", used=_members(plugin).count() + plugin.invitations.open().count())
        return Invitation.objects.issue(
            email=address, by=by, replaced=replaced, now=now, plugin=plugin, role=Role(role)
        )


def find_invitation(token: str, *, now: datetime | None = None) -> Invitation:
    """The open invitation with this token. Raises `InvitationNotOpen`."""
    return Invitation.objects.select_related("plugin", "invited_by").with_token(token, now=now)


def accept_invitation(invitation: Invitation, *, person: User) -> Plugin:
    """The person is on it from now on. Raises `WrongInvitee`, `InviteeNotConfirmed`, `InvitationNotOpen`."""
    with transaction.atomic():
        open_one = Invitation.objects.select_related("plugin").lock_for(person, pk=invitation.pk)
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
    """Removes all roles on the plugin before it is deleted, so that the audit log records who had one."""
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
    """The person's role on the plugin. None for the owner, and for people who do not work on it."""
    if plugin.editors.contains(person):
        return Role.EDITOR
    return Role.VIEWER if plugin.viewers.contains(person) else None


def unrecorded_roles() -> Iterator[str]:
    """A sentence for each role on a plugin that is not as the audit log has it: somebody gave it or took it by SQL. A
    role without an entry counts where its plugin was made since the log began."""
    recorded: dict[tuple[str, str], str | None] = {}
    for entry in AuditEntry.objects.filter(action__in=[Action.ROLE_GIVEN, Action.ROLE_TAKEN]).order_by("number", "at"):
        recorded[entry.object_id, entry.subject_id] = entry.details["now"]["role"]
    present, began = present_roles(), log_began()
    new = Plugin.objects.filter(created_at__gt=began) if began else Plugin.objects.none()
    since = {str(pk) for pk in new.values_list("pk", flat=True)}
    for pair in sorted(recorded.keys() | present.keys()):
        role, known = present.get(pair), recorded.get(pair)
        if role != known and (pair in recorded or pair[0] in since):
            yield f"On plugin {pair[0]} person {pair[1]} has the role {role}, and the last entry says {known}."


def present_roles() -> dict[tuple[str, str], str]:
    """The roles on plugins as the database has them now, by plugin and person."""
    found = {}
    for role, people in ((Role.VIEWER, Plugin.viewers.through), (Role.EDITOR, Plugin.editors.through)):
        for plugin, person in people._default_manager.values_list("plugin_id", "user_id"):
            found[str(plugin), str(person)] = role.value
    return found


def _members(plugin: Plugin) -> QuerySet[User]:
    """Its editors and viewers; the owner is neither."""
    return User.objects.filter(Q(edited_plugins=plugin) | Q(viewed_plugins=plugin)).distinct()
