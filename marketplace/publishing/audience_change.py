"""The choice of who can see a plugin: saved at once, or together with the release that it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from accounts.models import User
from lexic.errors import Conflict
from lexic.optimistic_lock import mark_values
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.publishing.audience_choices import Audience
from marketplace.sharing.shareability import CannotBeShared, sharing_blockers
from plugins.history import log_change
from plugins.models import Plugin, Release
from plugins.visibility import WITH_PAGE

_COLUMNS = ("visibility", "public_chat", "is_shared")


class AudienceChanged(Conflict):
    """Somebody changed who can see the plugin after this was chosen, so nothing was published."""

    code = "audience_changed"
    hint = "Look at who can see it now, and publish again."


@dataclass(frozen=True, kw_only=True)
class AudienceChange:
    """`seen` marks who could see the plugin when this was chosen (`audience_mark`)."""

    visibility: str
    public_chat: bool
    is_shared: bool
    seen: str

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> AudienceChange:
        return cls(**said)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def label(self) -> str:
        return str(Audience(self.visibility).label)

    def is_up_to_date(self, plugin: Plugin) -> bool:
        """Whether who can see the plugin is what it was when this was chosen."""
        return self.seen == audience_mark(plugin)


def audience_mark(plugin: Plugin) -> str:
    """Changes with whatever says who can see the plugin."""
    return mark_values({name: getattr(plugin, name) for name in _COLUMNS})


def save_audience(plugin: Plugin, chosen: AudienceChange, *, by: User) -> None:
    """Saves the choice at once, for what is published now."""
    with transaction.atomic():
        locked = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if _set_audience(locked, chosen, by=by):
            update_listing_if_published(locked)
    plugin.refresh_from_db()


def save_audience_with_release(plugin: Plugin, chosen: AudienceChange, *, release: Release, by: User) -> None:
    """Saves the choice in the transaction that makes the release live, with the plugin locked, before the listing is
    made. `release` is of this very plugin. Raises `AudienceChanged`, and `CannotBeShared` where it newly allows copies
    that would hold what others may not have."""
    if not chosen.is_up_to_date(plugin):
        raise AudienceChanged
    opens_copies = chosen.is_shared and not plugin.is_shared and chosen.visibility in WITH_PAGE
    _set_audience(plugin, chosen, by=by)
    if opens_copies and (reasons := sharing_blockers(plugin, of=release)):
        raise CannotBeShared(f"It cannot be shared yet. {' '.join(reasons)}", hint="Nothing was published.")


def _set_audience(plugin: Plugin, chosen: AudienceChange, *, by: User) -> bool:
    """Whether there was something to change. The plugin is locked."""
    changed = [name for name in _COLUMNS if getattr(plugin, name) != getattr(chosen, name)]
    for name in changed:
        setattr(plugin, name, getattr(chosen, name))
    if changed:
        plugin.save(update_fields=[*changed, "updated_at"])
        log_change(plugin, by=by, sentence=f"Changed who can see it: {chosen.label}.")
    return bool(changed)
