"""Copies whose original has gone on, and what they could do about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F

from marketplace.models import Install
from marketplace.publishing.release_change_summary import release_changes
from marketplace.sharing.installs import is_copy_modified
from plugins.models import Plugin


@dataclass(frozen=True, kw_only=True)
class UpdateOffer:
    """A newer release of a copy's original. `changes` is what it would bring, each a sentence; `is_modified` says that
    somebody has changed the copy, so that nothing may be put in its place."""

    install: Install
    version: str
    changes: list[str] = field(default_factory=list)
    is_modified: bool = False


def update_offers(copies: Collection[UUID]) -> dict[UUID, UpdateOffer]:
    """The newer releases there are for these plugins, by plugin. One statement."""
    rows = Install.objects.filter(copy__in=copies, original__in=Plugin.objects.copied())
    newer = rows.exclude(original__version=F("version")).select_related("original")
    return {row.copy_id: UpdateOffer(install=row, version=row.original.version) for row in newer if row.original}


def update_offer(plugin: Plugin) -> UpdateOffer | None:
    """The newer release of what the plugin was made from, with what it would bring."""
    found = update_offers([plugin.pk]).get(plugin.pk)
    if found is None or found.install.original is None:
        return None
    latest, then = found.install.original.latest_release(), found.install.release
    changes = release_changes(latest, since=then) if latest and then else []
    return UpdateOffer(
        install=found.install,
        version=found.version,
        changes=changes,
        is_modified=is_copy_modified(found.install),
    )
