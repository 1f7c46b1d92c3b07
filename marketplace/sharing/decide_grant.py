"""Carries out the decision of a knowledge base's owner on its use by another plugin, with the effects on that
plugin."""

from __future__ import annotations

from accounts.models import User
from knowledge.models import KnowledgeGrant
from marketplace.listings.update_listing import locked_for_listing


def give_grant(grant: KnowledgeGrant, *, by: User, consent: str) -> None:
    """The owner agrees to this use; a later call agrees to another one."""
    with locked_for_listing(grant.plugin):
        grant.give(by=by, consent=consent)


def end_grant(grant: KnowledgeGrant) -> None:
    """Nothing reads by the grant any more: neither the draft nor releases."""
    with locked_for_listing(grant.plugin):
        KnowledgeGrant.objects.filter(pk=grant.pk).end()
