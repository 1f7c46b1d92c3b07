"""Adds people to a plugin and removes them, and ends the grants of knowledge of those who may no longer open it."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from knowledge.models import KnowledgeGrant, KnowledgeGrantQuerySet
from marketplace.listings.update_listing import update_listing_if_published
from plugins import collaborators
from plugins.models import Invitation, OwnershipOffer, Plugin


def join_plugin(invitation: Invitation, *, person: User) -> Plugin:
    """The person works on the plugin from now on. What lapsed earlier does not come back with the new role.

    Raises what `plugins.collaborators.accept_invitation` raises.
    """
    with transaction.atomic():
        end_lapsed_grants(KnowledgeGrant.objects.filter(granted_to=person))
        return collaborators.accept_invitation(invitation, person=person)


def remove_from_plugin(plugin: Plugin, *, person: User) -> None:
    """The person no longer works on the plugin, and what was granted to them because they did ends with it."""
    with transaction.atomic():
        collaborators.remove_collaborator(plugin, person=person)
        OwnershipOffer.objects.filter(plugin=plugin, to=person).delete()
        end_lapsed_grants(KnowledgeGrant.objects.filter(knowledge_base__plugin=plugin, granted_to=person))


def end_lapsed_grants(grants: KnowledgeGrantQuerySet | None = None) -> int:
    """End for good those of these grants, or of all, whose person may no longer open the base. Returns how many.

    Call in the transaction that takes a role from somebody, closes an account or gives somebody a role. A grant that
    lapsed reads nothing at once; it is ended so that a later role does not bring it back.
    """
    lapsed = (KnowledgeGrant.objects.all() if grants is None else grants).lapsed()
    with transaction.atomic():
        found = list(lapsed.select_for_update(of=("self",)).select_related("plugin"))
        ended = KnowledgeGrant.objects.filter(pk__in=[grant.pk for grant in found]).end()
        for plugin in {grant.plugin for grant in found}:
            update_listing_if_published(plugin)
    return ended
