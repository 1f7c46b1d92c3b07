"""The names of keys for people who read what was asked but not who asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from accounts.models import ApiKey, User


def visible_key_names(keys: Iterable[UUID | None], *, viewer: User) -> dict[UUID, str]:
    """The names of those of these keys that this person may see."""
    visible = ApiKey.objects.visible_to(viewer).filter(pk__in={key for key in keys if key})
    return {key.pk: str(key) for key in visible}


def key_label(key: UUID | None, names: Mapping[UUID, str]) -> str:
    """What asked: a key by its name, a key of somebody else, or people (None)."""
    return names.get(key, "another person’s key") if key else "people, by hand"
