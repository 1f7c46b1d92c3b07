"""Makes, changes and replaces keys, for every interface. A key can never give another key more than it has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts import quotas
from accounts.key_permissions import KeyPermissions
from accounts.models import ApiKey, Principal, User, user_of
from lexic.errors import Conflict, InvalidInput

MAX_OVERLAP = timedelta(days=30)


class KeyRevoked(Conflict):
    """This key is revoked and cannot be used again."""

    code = "revoked"
    hint = "Make a new key instead."


class OverlapTooLong(InvalidInput):
    """A key and its replacement may both work for 30 days at most."""

    code = "overlap_too_long"


# What a key has besides what it may do.
NO_PERMISSIONS = {"name", "allowed_origins"}


@transaction.atomic
def issue_key(
    by: Principal, *, name: str, plugins: Iterable[Any] = (), allowed_origins: Iterable[str] = (), **wanted: Any
) -> tuple[ApiKey, str]:
    """A new key of this person, or of the person behind this key, and its secret.

    `plugins` are rows, among those that `by` may ask; without any, a key that is limited makes one that is limited to
    the same. `wanted`: `capabilities`, `per_minute`, `per_day`, `expires_at`. Raises `TooManyKeys`, `LimitTooHigh`,
    `ExpiryInThePast`, `ExceedsOwnPermissions` and `KeyRevoked`.
    """
    maker = by if isinstance(by, ApiKey) else None
    chosen = list(plugins) or (list(maker.plugins.all()) if maker else [])
    terms = KeyPermissions.default(maker=maker).updated({**wanted, "plugins": [plugin.pk for plugin in chosen]})
    terms.check_ceiling()
    terms.check_within(by)
    check_key_quota(user_of(by))
    _lock_issuing_key(by)
    return ApiKey.objects.issue(
        owner=user_of(by),
        name=name,
        plugins=chosen,
        made_with=maker,
        allowed_origins=list(allowed_origins),
        capabilities=sorted(terms.capabilities),
        per_minute=terms.per_minute,
        per_day=terms.per_day,
        expires_at=terms.expires_at,
    )


@transaction.atomic
def update_key(key: ApiKey, *, by: Principal, **wanted: Any) -> None:
    """Gives the key another `name`, other `allowed_origins`, or another `per_minute`, `per_day` or `expires_at`; the
    latter not to one that is revoked.

    Raises `LimitTooHigh`, `ExpiryInThePast`, `ExceedsOwnPermissions`, `KeyRevoked`, `OverlapTooLong`, and `TooManyKeys`
    for one that had expired and would work again.
    """
    before = KeyPermissions.of_key(key)
    before.check_within(by)
    after = before.updated({name: value for name, value in wanted.items() if name not in NO_PERMISSIONS})
    after.check_ceiling(before=before)
    after.check_within(by)
    if wanted.keys() - NO_PERMISSIONS:
        check_expiry(key, ends=after.expires_at)
    for name, value in wanted.items():
        setattr(key, name, value)
    key.save(update_fields=list(wanted))


@transaction.atomic
def rotate_key(key: ApiKey, *, by: Principal, overlap: timedelta) -> tuple[ApiKey, str]:
    """`ApiKey.rotate` by somebody: for a person the new key's life begins anew, for a key it ends when it did.

    The new secret is known to whoever holds `by`: a key that replaces another one takes the new one with it when it
    is revoked. Raises `OverlapTooLong`, `ExceedsOwnPermissions`, `TooManyKeys`, `KeyNotRotatable` and `KeyRevoked`.
    """
    if not timedelta(0) <= overlap <= MAX_OVERLAP:
        raise OverlapTooLong
    KeyPermissions.of_key(key).check_within(by)
    _check_rotation_quota(key.owner)
    _lock_issuing_key(by)
    new, secret = key.rotate(overlap=overlap, renew=isinstance(by, User))
    if isinstance(by, ApiKey) and by != key:
        new.made_with = by
        new.save(update_fields=["made_with"])
    return new, secret


def revoke_key(key: ApiKey, *, by: Principal) -> None:
    """Raises `ExceedsOwnPermissions`."""
    KeyPermissions.of_key(key).check_within(by)
    key.revoke()


def check_expiry(key: ApiKey, *, ends: datetime | None) -> None:
    """Whether the key may end then: what is revoked stays so, one that was replaced is not kept for long, and one
    that works again is one more. Raises `KeyRevoked`, `OverlapTooLong`, `TooManyKeys`."""
    if key.revoked_at:
        raise KeyRevoked
    if ends == key.expires_at:
        return
    is_replaced = ApiKey.objects.filter(rotated_from=key).exists()
    if is_replaced and (ends is None or ends > timezone.now() + MAX_OVERLAP):
        raise OverlapTooLong
    if key.state != "works":
        check_key_quota(key.owner, besides=key)


def check_key_quota(owner: User, *, besides: ApiKey | None = None) -> None:
    """Raises `TooManyKeys`. A key that was used today counts even if it is gone: its limits were spent, and each new
    key has limits of its own."""
    _lock_owner(owner)
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    works_or_spent = Q(pk__in=ApiKey.objects.usable().values("pk")) | Q(last_used_at__gte=today)
    others = ~Q(pk=besides.pk) if besides else Q()
    quotas.KEYS.check("account", used=ApiKey.objects.filter(works_or_spent, others, owner=owner).count())


def _check_rotation_quota(owner: User) -> None:
    """Raises `TooManyKeys`. Only keys that work are counted: the new key takes over the limits of the old one."""
    _lock_owner(owner)
    # Those that were replaced a moment ago still work for a while, so there may be twice as many.
    count = ApiKey.objects.usable().filter(owner=owner).count()
    quotas.KEYS.check("account", used=count - quotas.KEYS.limit("account"))


def _lock_owner(owner: User) -> None:
    """So that two requests at once do not both find room for one."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def _lock_issuing_key(by: Principal) -> None:
    """Whoever revokes the key `by` waits, and then finds what was made with it. Raises `KeyRevoked` when they were
    first: a key that is being revoked leaves nothing behind."""
    if not isinstance(by, ApiKey):
        return
    held = ApiKey.objects.usable().select_for_update(of=("self",), no_key=True).filter(pk=by.pk).first()
    if held is None:
        raise KeyRevoked
