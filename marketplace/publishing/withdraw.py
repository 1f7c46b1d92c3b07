"""Withdraws a plugin from agents and from the marketplace."""

from __future__ import annotations

from django.db import transaction

from marketplace.listings.update_listing import update_and_enqueue_listing
from marketplace.models import PublishingRun
from plugins.models import Plugin


@transaction.atomic
def withdraw_from_marketplace(plugin: Plugin) -> None:
    """Its releases stay, so that what was answered can be replayed; publishing puts it back. What is being published
    in the background is not."""
    plugin.unpublish()
    PublishingRun.objects.filter(plugin=plugin).cancel()
    update_and_enqueue_listing(plugin)
