"""A plugin gets another owner: it is offered to an editor or to an organisation, and the receiver accepts."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from audit.actions import Action
from audit.record import record
from audit.references import Reference
from knowledge import storage_usage
from knowledge.models import Consent, KnowledgeBase, KnowledgeGrant
from lexic.errors import Conflict, NotAllowed
from marketplace.listings.update_listing import update_listing_if_published
from organisations.models import Organisation, OrganisationRole
from plugins import collaborators
from plugins.models import OrganisationOffer, OwnershipOffer, Plugin, Role


class NotAnEditor(Conflict):
    """A plugin is handed over to one of its editors."""

    code = "not_an_editor"
    hint = "Make them an editor first."


class NotYours(NotAllowed):
    """Only an owner of this plugin may hand it over."""

    code = "not_owner"
    hint = "Ask its owner."


class NothingOffered(Conflict):
    """This plugin is not offered to you, or not any more."""

    code = "nothing_offered"
    hint = "Ask its owner."


class NotInOrganisation(Conflict):
    """A plugin is offered to another organisation, of which you are a member."""

    code = "not_in_organisation"
    hint = "Ask one of its owners to invite you."


def offer_ownership(plugin: Plugin, *, to: User, by: User) -> OwnershipOffer:
    """Nothing changes until the editor accepts; another offer takes the place of this one. Raises `NotAnEditor`,
    `NotYours`."""
    if not to.is_active or collaborators.find_role(plugin, to) != Role.EDITOR:
        raise NotAnEditor
    with transaction.atomic():
        _lock_owned(plugin, by=by)
        OrganisationOffer.objects.filter(plugin=plugin).delete()
        offer, _ = OwnershipOffer.objects.update_or_create(plugin=plugin, defaults={"to": to})
    return offer


def offer_to_organisation(plugin: Plugin, *, to: Organisation, by: User) -> OrganisationOffer:
    """Nothing changes until an owner of the organisation accepts; another offer takes the place of this one.

    Raises `NotInOrganisation`, `NotYours`.
    """
    if plugin.organisation_id == to.pk or not Organisation.objects.open_to(by).filter(pk=to.pk).exists():
        raise NotInOrganisation
    with transaction.atomic():
        _lock_owned(plugin, by=by)
        OwnershipOffer.objects.filter(plugin=plugin).delete()
        offer, _ = OrganisationOffer.objects.update_or_create(plugin=plugin, defaults={"to": to})
    return offer


def accept_ownership(plugin: Plugin, *, by: User) -> None:
    """The editor owns the plugin with its own knowledge base. The owner of until now stays as an editor; of a plugin of
    an organisation nobody stays, but for those who have a role on the plugin itself.

    Raises `NothingOffered`, `NotAnEditor`, and the refusals of the new owner's quotas.
    """
    with transaction.atomic():
        locked = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if not OwnershipOffer.objects.filter(plugin=locked, to=by).delete()[0]:
            raise NothingOffered
        if not by.is_active or collaborators.find_role(locked, by) != Role.EDITOR:
            raise NotAnEditor
        before, was_personal = locked.owner, locked.organisation_id is None
        Plugin.check_quota(by)
        collaborators.remove_collaborator(locked, person=by)
        _move(locked, to=by, organisation=None)
        if was_personal:
            collaborators.assign_role(locked, person=before, role=Role.EDITOR)
    plugin.owner, plugin.organisation = by, None


def accept_for_organisation(plugin: Plugin, *, by: User) -> None:
    """The organisation owns the plugin with its own knowledge base, which count for `by`, one of its owners. The owner
    of until now may do what their role in the organisation allows.

    Raises `NothingOffered`, and the refusals of the quotas of `by`.
    """
    owned = Organisation.objects.open_to(by, roles=[OrganisationRole.OWNER])
    offers = OrganisationOffer.objects.filter(plugin=plugin, to__in=owned)
    with transaction.atomic():
        offer = offers.select_related("to").first()
        if offer is None:
            raise NothingOffered
        organisation = offer.to
        organisation.lock()  # before the plugin, as whoever removes a member does
        locked = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if not offers.filter(pk=offer.pk).delete()[0]:
            raise NothingOffered
        if locked.owner_id != by.pk:
            Plugin.check_quota(by)
        _move(locked, to=by, organisation=organisation)
    plugin.owner, plugin.organisation = by, organisation


def reassign_within_organisation(plugin: Plugin, *, to: User) -> None:
    """Makes a plugin of an organisation count for another of its owners. No consent is needed, because no rights
    change.

    Call with the plugin locked. Quotas are not checked: the organisation has the plugin already.
    """
    before = plugin.owner
    plugin.owner = to
    plugin.save(update_fields=["owner", "updated_at"])
    _record_owner_of_base(plugin, before=before)
    _narrow_consent(plugin, before=before)
    update_listing_if_published(plugin)


def _lock_owned(plugin: Plugin, *, by: User) -> None:
    """Locks the plugin: it cannot be offered, and the ownership of `by` cannot end, before the transaction ends. Raises
    `NotYours`."""
    if plugin.organisation:
        plugin.organisation.lock()
    if not Plugin.objects.select_for_update(of=("self",)).get(pk=plugin.pk).is_owned_by(by):
        raise NotYours


def _move(plugin: Plugin, *, to: User, organisation: Organisation | None) -> None:
    """Bases that the former owner attached stay theirs, granted for what is published. Those of anybody else, or of
    another organisation, were granted to the former owner's plugin: these grants end, and the new owner asks again."""
    before = plugin.owner
    plugin.owner, plugin.organisation = to, organisation
    OwnershipOffer.objects.filter(plugin=plugin).delete()
    OrganisationOffer.objects.filter(plugin=plugin).delete()
    # The database gives its own knowledge base the same owner.
    plugin.save(update_fields=["owner", "organisation", "updated_at"])
    if before != to:
        _record_owner_of_base(plugin, before=before)
        storage_usage.check_account(to)
    _narrow_consent(plugin, before=before)
    theirs = Q(knowledge_base__owner__in=[before, to], knowledge_base__plugin__organisation=None)
    if organisation:
        theirs |= Q(knowledge_base__plugin__organisation=organisation)
    plugin.knowledge_grants.open().exclude(theirs).end()
    KnowledgeGrant.objects.filter(knowledge_base__plugin=plugin, consent=Consent.SHARED).update(
        consent=Consent.PUBLISHED
    )
    update_listing_if_published(plugin)


def _narrow_consent(plugin: Plugin, *, before: User) -> None:
    """What the former owner's bases are granted for: no more copies."""
    grants = plugin.knowledge_grants.open().filter(knowledge_base__owner=before, consent=Consent.SHARED)
    grants.update(consent=Consent.PUBLISHED)


def _record_owner_of_base(plugin: Plugin, *, before: User) -> None:
    """What the database changed by itself is in the audit log too."""
    for base in KnowledgeBase.objects.filter(plugin=plugin):
        record(
            Action.BASE_MOVED,
            Reference("base", base.pk, base.name, base.owner_id),
            subject=Reference("plugin", plugin.pk, plugin.name, plugin.owner_id),
            details={"was": {"owner_id": str(before.pk)}, "now": {"owner_id": str(base.owner_id)}},
        )
