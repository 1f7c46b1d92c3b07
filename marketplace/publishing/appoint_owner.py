"""Lets an operator appoint a new owner of an organisation whose owners can no longer act."""

from __future__ import annotations

from django.db import transaction

from accounts.author_access import EmailNotConfirmed
from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from lexic.errors import Conflict
from marketplace.publishing.ownership_transfer import reassign_within_organisation
from organisations.models import Membership, Organisation, OrganisationRole
from plugins.models import Plugin


class OrganisationHasOwner(Conflict):
    """This organisation has an owner who can sign in, and only its owners make owners."""

    code = "organisation_has_owner"
    hint = "Ask one of them."


def appoint_owner(organisation: Organisation, *, person: User) -> Membership:
    """The person, who may have been in it or not, is its owner from now on. Plugins that counted for owners who cannot
    sign in count for them; who those are, and what becomes of their membership, the new owner decides.

    Raises `OrganisationHasOwner`, `UnknownOrganisation`, and `EmailNotConfirmed` where the address is not known to be
    theirs.
    """
    if not has_confirmed_email(person):
        raise EmailNotConfirmed(f"The address {person.email} is not confirmed yet.")
    with transaction.atomic():
        organisation.lock()
        if organisation.memberships.owners().exists():
            raise OrganisationHasOwner
        membership, is_new = Membership.objects.get_or_create(
            organisation=organisation, user=person, defaults={"role": OrganisationRole.OWNER}
        )
        if not is_new:
            membership.role = OrganisationRole.OWNER
            membership.save(update_fields=["role"])
        _pass_on_plugins(organisation, to=person)
        return membership


def _pass_on_plugins(organisation: Organisation, *, to: User) -> None:
    theirs = organisation.plugins.filter(owner__is_active=False)
    for plugin in Plugin.objects.filter(pk__in=theirs).select_for_update(of=("self",)).select_related("owner"):
        reassign_within_organisation(plugin, to=to)
