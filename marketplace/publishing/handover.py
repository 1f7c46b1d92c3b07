"""A plugin gets another owner: the owner offers it, and an editor accepts."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from audit.actions import Action
from audit.record import record
from audit.references import Reference
from knowledge import usage
from knowledge.models import Consent, KnowledgeBase, KnowledgeGrant
from lexic.errors import Conflict
from marketplace.listings.update_listing import update_listing_if_published
from plugins import collaborators
from plugins.models import OwnershipOffer, Plugin, Role


class NotAnEditor(Conflict):
    """A plugin is handed over to one of its editors."""

    code = "not_an_editor"
    hint = "Make them an editor first."


class NothingOffered(Conflict):
    """This plugin is not offered to you, or not any more."""

    code = "nothing_offered"
    hint = "Ask its owner."


def offer_ownership(plugin: Plugin, *, to: User) -> OwnershipOffer:
    """Nothing changes until the editor accepts; another offer takes the place of this one. Raises `NotAnEditor`."""
    if not to.is_active or collaborators.find_role(plugin, to) != Role.EDITOR:
        raise NotAnEditor
    offer, _ = OwnershipOffer.objects.update_or_create(plugin=plugin, defaults={"to": to})
    return offer


def accept_ownership(plugin: Plugin, *, by: User) -> None:
    """The editor owns the plugin with its own knowledge base; the owner of until now stays as an editor.

    Bases that the former owner attached stay theirs, granted for what is published. Those of anybody else were granted
    to the former owner's plugin: these grants end, and the new owner asks again.

    Raises `NothingOffered`, `NotAnEditor`, and the refusals of the new owner's quotas.
    """
    with transaction.atomic():
        locked = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if not OwnershipOffer.objects.filter(plugin=locked, to=by).delete()[0]:
            raise NothingOffered
        if not by.is_active or collaborators.find_role(locked, by) != Role.EDITOR:
            raise NotAnEditor
        Plugin.check_quota(by)
        before = locked.owner
        collaborators.remove_collaborator(locked, person=by)
        locked.owner = by
        # The database gives its own knowledge base the same owner.
        locked.save(update_fields=["owner", "updated_at"])
        _record_owner_of_base(locked, before=before)
        usage.check_account(by)
        collaborators.assign_role(locked, person=before, role=Role.EDITOR)
        grants = locked.knowledge_grants.open()
        grants.filter(knowledge_base__owner=before, consent=Consent.SHARED).update(consent=Consent.PUBLISHED)
        grants.exclude(knowledge_base__owner__in=[before, by]).end()
        KnowledgeGrant.objects.filter(knowledge_base__plugin=locked, consent=Consent.SHARED).update(
            consent=Consent.PUBLISHED
        )
        update_listing_if_published(locked)
    plugin.owner = by


def _record_owner_of_base(plugin: Plugin, *, before: User) -> None:
    """What the database changed by itself is in the audit log too."""
    for base in KnowledgeBase.objects.filter(plugin=plugin):
        record(
            Action.BASE_MOVED,
            Reference("base", base.pk, base.name, base.owner_id),
            subject=Reference("plugin", plugin.pk, plugin.name, plugin.owner_id),
            details={"was": {"owner_id": str(before.pk)}, "now": {"owner_id": str(base.owner_id)}},
        )
