"""Removes people from an organisation or changes their roles, with the effects on their plugins, keys and knowledge."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import ApiKey, ApiKeyPlugin, User
from knowledge.models import Consent, KnowledgeGrant
from lexic.errors import Conflict
from marketplace.publishing.membership import end_lapsed_grants
from marketplace.publishing.ownership_transfer import reassign_within_organisation
from organisations.invitations import check_may_assign, end_invitations_by
from organisations.models import Membership, Organisation, OrganisationRole
from organisations.sign_in import end_all_sign_ins, end_sign_in
from plugins import collaborators
from plugins.models import Invitation, OrganisationOffer, OwnershipOffer, Plugin


class OrganisationOwnsPlugins(Conflict):
    """An organisation that owns plugins cannot be deleted."""

    code = "organisation_owns_plugins"
    hint = "Delete its plugins, or hand them over to somebody."


class OnlyOwnerOfOrganisation(Conflict):
    """You are the only owner of an organisation that has other members or plugins."""

    code = "only_owner"
    hint = "Make somebody else an owner of it, or delete it."


def change_member_role(member: Membership, *, role: str, by: Membership) -> None:
    """What they owned for the organisation counts for another owner from now on where they are none any more.

    Raises `NotAdministrator`, `OnlyOwners`, `LastOwner`, `UnknownOrganisation`.
    """
    wanted = OrganisationRole(role)
    with transaction.atomic():
        locked, acting = member.locked(), by.locked()
        check_may_assign(acting, role=wanted, member=locked)
        set_member_role(locked, role=wanted)


def set_member_role(locked: Membership, *, role: OrganisationRole) -> None:
    """What `change_member_role` does once it is allowed. Call with the organisation locked. Raises `LastOwner`."""
    if locked.role == OrganisationRole.OWNER and role != OrganisationRole.OWNER:
        _end_ownership(locked)
    end_invitations_by(locked, role=role)
    locked.role = role
    locked.save(update_fields=["role"])
    _end_lapsed_grants_of(locked)


def remove_member(member: Membership, *, by: Membership) -> None:
    """Removes a person from the organisation, with their roles on its plugins. Anybody may remove themselves.

    Its plugins and their documents stay; those that counted for them count for another owner. Keys that were limited to
    its plugins are revoked. Their own knowledge bases stay theirs, granted for what is published. Raises
    `NotAdministrator`, `OnlyOwners`, `LastOwner`, `UnknownOrganisation`.
    """
    with transaction.atomic():
        locked, acting = member.locked(), by.locked()
        if locked.pk != acting.pk:
            check_may_assign(acting, role=locked.role, member=locked)
        end_membership(locked)


def organisations_without_other_owner(person: User) -> QuerySet[Organisation]:
    """The organisations of which this person is the only owner, and that have other members or plugins: they prevent
    the deletion of the account."""
    # Also of an account that is locked out.
    owned = Organisation.objects.filter(memberships__in=person.memberships.filter(role=OrganisationRole.OWNER))
    others = Membership.objects.exclude(user=person).filter(organisation=OuterRef("pk"))
    plugins = Plugin.objects.filter(organisation=OuterRef("pk"))
    return owned.filter(~Exists(others.owners()), Exists(others) | Exists(plugins))


def leave_all(person: User) -> None:
    """Removes the person from all organisations, before the account is deleted. Organisations without other members and
    content are deleted.

    Raises `OnlyOwnerOfOrganisation`.
    """
    locked = lock_organisations_of(person)
    if left := organisations_without_other_owner(person).first():
        raise OnlyOwnerOfOrganisation(f"You are the only owner of “{left}”, which has other members or plugins.")
    for membership in locked:
        if membership.organisation.memberships.count() == 1:
            delete_organisation(membership.organisation)
        else:
            end_membership(membership)


def lock_organisations_of(person: User) -> list[Membership]:
    """Locks the organisations of the person until the transaction ends, and returns the memberships as they are now."""
    memberships = Membership.objects.filter(user=person).select_related("organisation").order_by("organisation_id")
    return [membership.locked() for membership in memberships]


def delete_organisation(organisation: Organisation) -> None:
    """Raises `OrganisationOwnsPlugins`, `UnknownOrganisation`. The caller has made sure that an owner of it asks."""
    with transaction.atomic():
        organisation.lock()
        if organisation.plugins.exists():
            raise OrganisationOwnsPlugins
        OrganisationOffer.objects.filter(to=organisation).delete()
        organisation.invitations.all().delete()
        end_all_sign_ins(organisation)
        organisation.memberships.all().delete()
        organisation.delete()


def end_membership(member: Membership) -> None:
    """What `remove_member` does once it is allowed. Call with the organisation locked. Raises `LastOwner`."""
    person, organisation = member.user, member.organisation
    if member.role == OrganisationRole.OWNER:
        _end_ownership(member)
    end_invitations_by(member)
    OwnershipOffer.objects.filter(plugin__organisation=organisation, to=person).delete()
    Invitation.objects.filter(plugin__organisation=organisation).for_address(person.email).delete()
    for plugin in Plugin.objects.filter(Q(editors=person) | Q(viewers=person), organisation=organisation).distinct():
        collaborators.remove_collaborator(plugin, person=person)
    OrganisationOffer.objects.filter(to=organisation, plugin__owner=person).delete()
    end_sign_in(person, organisation)
    member.delete()
    _revoke_keys(person, organisation)
    _end_lapsed_grants_of(member)


def _end_ownership(member: Membership) -> None:
    """What they began as owner does not outlive it: offers, invitations to plugins, and copies of the organisation's
    knowledge for plugins of their own. Raises `LastOwner`."""
    _pass_on_plugins(member)
    person, organisation = member.user, member.organisation
    OwnershipOffer.objects.filter(plugin__organisation=organisation).delete()
    OrganisationOffer.objects.filter(plugin__organisation=organisation).delete()
    Invitation.objects.filter(plugin__organisation=organisation, invited_by=person).delete()
    of_organisation = KnowledgeGrant.objects.open().filter(knowledge_base__plugin__organisation=organisation)
    own = of_organisation.filter(plugin__owner=person, plugin__organisation=None, consent=Consent.SHARED)
    own.update(consent=Consent.DRAFT)


def _pass_on_plugins(member: Membership) -> None:
    """Raises `LastOwner`."""
    successor = member.successor()
    theirs = Plugin.objects.filter(organisation=member.organisation, owner=member.user)
    for plugin in theirs.select_for_update(of=("self",)).select_related("owner").order_by("pk"):
        reassign_within_organisation(plugin, to=successor)


def _revoke_keys(person: User, organisation: Organisation) -> None:
    """The keys of this person that are limited to plugins of the organisation alone."""
    limited = ApiKeyPlugin.objects.filter(apikey__owner=person)
    inside = limited.filter(plugin__organisation=organisation)
    others = limited.exclude(pk__in=inside.values("pk"))
    keys = ApiKey.objects.filter(pk__in=inside.values("apikey"), revoked_at=None)
    for key in keys.exclude(pk__in=others.values("apikey")):
        key.revoke()


def _end_lapsed_grants_of(member: Membership) -> None:
    of_organisation = KnowledgeGrant.objects.filter(knowledge_base__plugin__organisation=member.organisation_id)
    end_lapsed_grants(of_organisation.filter(granted_to=member.user_id))
