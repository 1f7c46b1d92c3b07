"""What webhooks are told when agents get another release than before."""

from __future__ import annotations

from plugins.models import Plugin, Release
from webhooks import outbox
from webhooks.models import Event


def record_release_published(plugin: Plugin, release: Release, *, returns_to: Release | None = None) -> None:
    """Called in the transaction that publishes the release; `returns_to` is the earlier one it repeats."""
    data = {
        "release": {"id": str(release.pk), "version": release.version, "notes": release.notes},
        "returnsTo": returns_to.version if returns_to else None,
    }
    outbox.record_event([plugin.pk], kind=Event.RELEASE_PUBLISHED, data=data)
