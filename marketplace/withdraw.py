"""A plugin goes off the air, and off the marketplace with it."""

from __future__ import annotations

from django.db import transaction

from marketplace.catalogue.listing import listed_anew
from plugins.models import Plugin


@transaction.atomic
def withdraw(plugin: Plugin) -> None:
    """Its releases stay, so that what was answered can be replayed; publishing puts it back."""
    plugin.withdraw()
    listed_anew(plugin)
