"""The permissions of an API key as a value, and the rules for who may give a key how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.models import ApiKey, Principal, default_capabilities, default_per_day, default_per_minute
from lexic.errors import InvalidInput, NotAllowed


class LimitTooHigh(InvalidInput):
    """A key cannot be given so many requests here."""

    code = "over_the_ceiling"

    def __init__(self) -> None:
        most = f"{settings.KEY_MAX_PER_MINUTE:,} requests a minute and {settings.KEY_MAX_PER_DAY:,} a day"
        super().__init__(hint=f"A key may have at most {most}.")


class ExpiryInThePast(InvalidInput):
    """A key cannot expire in the past."""

    code = "expiry_in_the_past"


class ExceedsOwnPermissions(NotAllowed):
    """A key cannot manage a key that may do more than itself."""

    code = "more_than_this_key"
    hint = "It needs the same capabilities, plugins, limits and expiry, or more; or sign in on the pages."


@dataclass(frozen=True, kw_only=True)
class KeyPermissions:
    """`plugins`: ids of the only ones it may ask (None in it: one that is gone); empty, every one of its owner's."""

    capabilities: frozenset[str]
    plugins: frozenset[UUID | None]
    per_minute: int
    per_day: int
    expires_at: datetime | None

    @classmethod
    def of_key(cls, key: ApiKey) -> KeyPermissions:
        return cls(
            capabilities=frozenset(key.capabilities),
            plugins=frozenset(key.allowed_plugins() or []),
            per_minute=key.per_minute,
            per_day=key.per_day,
            expires_at=key.expires_at,
        )

    def is_within(self, other: KeyPermissions) -> bool:
        """Whether these terms allow nothing that the other ones do not."""
        return (
            self.capabilities <= other.capabilities
            and (not other.plugins or (bool(self.plugins) and self.plugins <= other.plugins))
            and self.per_minute <= other.per_minute
            and self.per_day <= other.per_day
            and (other.expires_at is None or (self.expires_at is not None and self.expires_at <= other.expires_at))
        )

    @classmethod
    def default(cls, *, maker: ApiKey | None = None) -> KeyPermissions:
        """What a key gets for which nothing is asked: no more than the key it is made with."""
        most = cls.of_key(maker) if maker else None
        return cls(
            capabilities=frozenset(default_capabilities()),
            plugins=frozenset(),
            per_minute=min(default_per_minute(), most.per_minute if most else default_per_minute()),
            per_day=min(default_per_day(), most.per_day if most else default_per_day()),
            expires_at=most.expires_at if most else None,
        )

    def updated(self, wanted: Mapping[str, Any]) -> KeyPermissions:
        """A copy with the requested changes. Raises `ExpiryInThePast`."""
        if wanted.get("expires_at") and wanted["expires_at"] <= timezone.now():
            raise ExpiryInThePast
        sets = {name: frozenset(wanted[name]) for name in ("capabilities", "plugins") if name in wanted}
        return replace(self, **{**wanted, **sets})

    def check_ceiling(self, *, before: KeyPermissions | None = None) -> None:
        """Raises `LimitTooHigh`. What an operator gave the key `before` beyond the ceiling may stay."""
        most_a_minute = max(settings.KEY_MAX_PER_MINUTE, before.per_minute if before else 0)
        most_a_day = max(settings.KEY_MAX_PER_DAY, before.per_day if before else 0)
        if self.per_minute > most_a_minute or self.per_day > most_a_day:
            raise LimitTooHigh

    def check_within(self, principal: Principal) -> None:
        """A person may do what they like with their keys; a key has to be allowed it all itself.

        Raises `ExceedsOwnPermissions`.
        """
        if isinstance(principal, ApiKey) and not self.is_within(KeyPermissions.of_key(principal)):
            raise ExceedsOwnPermissions
