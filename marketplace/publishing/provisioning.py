"""Applies what the directory of an organisation says of people and groups: who is a member, and with which role.

The directory only counts for addresses at verified domains. It makes no owners but those whom an owner has invited, and
changes owners only by removing them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts import quotas
from accounts.email_addresses import has_confirmed_email, is_confirmed_second_address
from accounts.mailed_invitations import clean_address
from accounts.models import User
from lexic.column_length import column_length
from lexic.errors import Conflict, InvalidInput
from marketplace.publishing.member_departure import end_membership, set_member_role
from organisations.models import (
    IdentityProvider,
    Membership,
    Organisation,
    OrganisationRole,
    ProvisionedGroup,
    ProvisionedPerson,
)
from organisations.provisioning_models import MAX_NAME_CHARACTERS

# Of several groups the first of these counts.
_STRONGEST_FIRST = (
    OrganisationRole.EDITOR,
    OrganisationRole.REVIEWER,
    OrganisationRole.OPERATOR,
    OrganisationRole.VIEWER,
)
MAX_GROUPS = 500


class AddressOfOthers(InvalidInput):
    """The address is not at a verified domain of this organisation."""

    code = "address_of_others"
    hint = "An owner adds and verifies its domain under Sign-in and directory."


class DirectoryNameTaken(Conflict):
    """Something of this organisation's directory has this name already."""

    code = "name_taken"
    hint = "Change the one that is there."


class NameTooLong(InvalidInput):
    """A name in the directory has 1 to 254 characters."""

    code = "name_too_long"


class AddressUnconfirmed(Conflict):
    """An account with this address exists, and nobody has confirmed that the address is theirs."""

    code = "address_unconfirmed"
    hint = "Its person confirms it by the mail from when they signed up, or has the account deleted by the operators."


class SecondAddressOfAccount(Conflict):
    """An account has confirmed this address besides the one that it signs in with."""

    code = "second_address_of_account"
    hint = "Its person makes this their main address, or removes it from their account; then send it again."


class TooManyGroups(Conflict):
    """A directory has at most five hundred groups here."""

    code = "too_many_groups"
    hint = "Send only the groups that give a role."


@dataclass(frozen=True, kw_only=True)
class PersonFields:
    """What a directory says of somebody; `address` is where their mail goes, and decides whose account it is."""

    user_name: str
    external_id: str = ""
    address: str = ""
    display_name: str = ""
    is_active: bool = True
    attributes: dict[str, Any] = field(default_factory=dict)


# --- People -------------------------------------------------------------------------------------------------


def people_of(organisation: Organisation) -> QuerySet[ProvisionedPerson]:
    """The people whom the directory has provisioned, and other members of the organisation whose address is in its
    domains."""
    domains = set(organisation.domains.verified().values_list("name", flat=True))
    unknown = organisation.memberships.exclude(user__provisioned__organisation=organisation).select_related("user")
    found = [one.user for one in unknown if one.user.email.rpartition("@")[2] in domains]
    rows = [ProvisionedPerson(organisation=organisation, user=user, user_name=user.email) for user in found]
    ProvisionedPerson.objects.bulk_create(rows, ignore_conflicts=True)
    return ProvisionedPerson.objects.filter(organisation=organisation).select_related("user")


def add_person(organisation: Organisation, said: PersonFields) -> ProvisionedPerson:
    """Somebody whom the directory did not name before. Without an account they get one, which the provider opens.

    Raises `AddressOfOthers`, `NotAnEmailAddress`, `DirectoryNameTaken`, `AddressUnconfirmed`, `SecondAddressOfAccount`,
    `TooManyCollaborators`.
    """
    with transaction.atomic():
        organisation.lock()
        address = _own_address(organisation, said.address)
        person, is_new = _account(address, display_name=said.display_name)
        if people_of(organisation).filter(user=person).exists():
            raise DirectoryNameTaken
        made = ProvisionedPerson(organisation=organisation, user=person, made_account=is_new)
        _save(made, said)
        if said.is_active:
            _join(made)
        return made


def change_person(person: ProvisionedPerson, said: PersonFields) -> None:
    """Their names, and whether they are in. Their account keeps its address.

    Raises `DirectoryNameTaken`, `LastOwner`, `AddressOfOthers`, `TooManyCollaborators`.
    """
    with transaction.atomic():
        person.organisation.lock()
        _save(person, said)
        if said.is_active:
            _join(person)
        else:
            _leave(person)


def remove_person(person: ProvisionedPerson) -> None:
    """Out of the organisation, and out of what the directory has said. The account stays. Raises `LastOwner`."""
    with transaction.atomic():
        person.organisation.lock()
        _leave(person)
        person.delete()


def _own_address(organisation: Organisation, address: str) -> str:
    cleaned = clean_address(address)
    if not organisation.domains.of_address(cleaned).exists():
        raise AddressOfOthers
    return cleaned


def _account(address: str, *, display_name: str) -> tuple[User, bool]:
    """The account with this address, and whether it was created now. An account whose address is not confirmed yet may
    belong to somebody else, who must not become a member."""
    if found := User.objects.filter(email=address).first():
        if not found.is_active or not has_confirmed_email(found):
            raise AddressUnconfirmed
        return found, False
    # The provider opens accounts by the address that they sign in with, so that account would stay closed.
    if is_confirmed_second_address(address):
        raise SecondAddressOfAccount
    name = display_name[: column_length(User, "display_name")]
    made = User.objects.create_user(address, None, display_name=name)
    EmailAddress.objects.create(user=made, email=address, verified=True, primary=True)
    return made, True


def _save(person: ProvisionedPerson, said: PersonFields) -> None:
    if not said.user_name or max(len(said.user_name), len(said.external_id)) > MAX_NAME_CHARACTERS:
        raise NameTooLong
    person.user_name, person.external_id, person.attributes = said.user_name, said.external_id, said.attributes
    try:
        with transaction.atomic():
            person.save()
    except IntegrityError:
        raise DirectoryNameTaken from None


def _join(person: ProvisionedPerson) -> None:
    if Membership.objects.filter(organisation=person.organisation, user=person.user).exists():
        return
    _own_address(person.organisation, person.user.email)  # its domain may have been given up
    quotas.PEOPLE.check("organisation", used=person.organisation.memberships.count())
    role = _role_of(person)  # before the invitation goes, which may say it
    person.organisation.invitations.for_address(person.user.email).delete()
    Membership.objects.create(organisation=person.organisation, user=person.user, role=role)


def _leave(person: ProvisionedPerson) -> None:
    found = Membership.objects.filter(organisation=person.organisation, user=person.user)
    if member := found.select_related("organisation", "user").first():
        end_membership(member)


# --- Groups -------------------------------------------------------------------------------------------------


def save_group(group: ProvisionedGroup, *, people: Collection[ProvisionedPerson] | None = None) -> None:
    """A new one, or one with another name; with these people in it from now on, where they are given.

    Raises `DirectoryNameTaken`, `TooManyGroups`.
    """
    with transaction.atomic():
        group.organisation.lock()
        if group._state.adding and group.organisation.groups.count() >= MAX_GROUPS:
            raise TooManyGroups
        try:
            with transaction.atomic():
                group.save()
        except IntegrityError:
            raise DirectoryNameTaken from None
        if people is not None:
            before = {one.pk: one for one in group.people.select_related("user")}
            group.people.set(people)
            changed = {one.pk: one for one in people} | before
            both = before.keys() & {one.pk for one in people}
            if group.role:
                _apply_roles(one for pk, one in changed.items() if pk not in both)


def set_group_role(group: ProvisionedGroup, *, role: str) -> None:
    """An owner says which role the group gives; empty: none."""
    with transaction.atomic():
        group.organisation.lock()
        group.role = role
        group.save(update_fields=["role", "updated_at"])
        _apply_roles(group.people.select_related("user"))


def delete_group(group: ProvisionedGroup) -> None:
    with transaction.atomic():
        group.organisation.lock()
        people = list(group.people.select_related("user")) if group.role else []
        group.delete()
        _apply_roles(people)


def _apply_roles(people: Iterable[ProvisionedPerson]) -> None:
    """Where no group gives a role, roles are what people have set by hand."""
    for person in people:
        organisation = person.organisation
        found = Membership.objects.filter(organisation=organisation, user=person.user)
        member = found.exclude(role=OrganisationRole.OWNER).select_related("organisation", "user").first()
        if member and organisation.groups.that_give_roles().exists() and member.role != (role := _role_of(person)):
            set_member_role(member, role=role)


def _role_of(person: ProvisionedPerson) -> OrganisationRole:
    given = set(person.groups.that_give_roles().values_list("role", flat=True))
    if strongest := next((role for role in _STRONGEST_FIRST if role in given), None):
        return strongest
    if invited := person.organisation.invitations.open().for_address(person.user.email).first():
        return OrganisationRole(invited.role)
    provider = IdentityProvider.objects.filter(organisation=person.organisation).first()
    return OrganisationRole(provider.default_role) if provider and provider.default_role else OrganisationRole.VIEWER
