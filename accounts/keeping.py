"""Looking after keys, for every door: make one, change it, replace it. A key can never make more of itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction

from accounts.models import ApiKey, Principal, User, person_of
from accounts.terms import Terms
from lexic.errors import Conflict, InvalidInput

# Each key has limits of its own; many keys would be no limit.
MOST_KEYS = 20
# Those that were replaced a moment ago still work for a while.
MOST_WITH_REPLACED = 2 * MOST_KEYS
LONGEST_OVERLAP = timedelta(days=30)


class TooManyKeys(Conflict):
    """You have as many keys as one person may have."""

    code = "too_many_keys"
    hint = "Revoke one that you no longer need."


class OverlapTooLong(InvalidInput):
    """Two keys for one thing may work side by side for 30 days at most."""

    code = "overlap_too_long"


@transaction.atomic
def issue(by: Principal, *, name: str, plugins: Iterable[Any] = (), **wanted: Any) -> tuple[ApiKey, str]:
    """A new key of this person, or of the person behind this key, and its secret.

    `plugins` are rows, among those that `by` may ask; without any, a key that is limited makes one that is limited to
    the same. `wanted`: `capabilities`, `per_minute`, `per_day`, `expires_at`. Raises `TooManyKeys`, `OverTheCeiling`,
    `InThePast` and `MoreThanThisKey`.
    """
    maker = by if isinstance(by, ApiKey) else None
    chosen = list(plugins) or (list(maker.plugins.all()) if maker else [])
    terms = Terms.default(maker=maker).changed({**wanted, "plugins": [plugin.pk for plugin in chosen]})
    terms.check_ceiling()
    terms.check_within(by)
    _check_room(person_of(by), most=MOST_KEYS)
    return ApiKey.objects.issue(
        owner=person_of(by),
        name=name,
        plugins=chosen,
        made_with=maker,
        capabilities=sorted(terms.capabilities),
        per_minute=terms.per_minute,
        per_day=terms.per_day,
        expires_at=terms.expires_at,
    )


def change(key: ApiKey, *, by: Principal, **wanted: Any) -> None:
    """Gives the key another `name`, `per_minute`, `per_day` or `expires_at`.

    Raises `OverTheCeiling`, `InThePast` and `MoreThanThisKey`.
    """
    before = Terms.of(key)
    before.check_within(by)
    after = before.changed({name: value for name, value in wanted.items() if name != "name"})
    after.check_ceiling(before=before)
    after.check_within(by)
    for name, value in wanted.items():
        setattr(key, name, value)
    key.save(update_fields=list(wanted))


@transaction.atomic
def rotate(key: ApiKey, *, by: Principal, overlap: timedelta) -> tuple[ApiKey, str]:
    """`ApiKey.rotate` by somebody: for a person the new key's life begins anew, for a key it ends when it did.

    Raises `OverlapTooLong`, `MoreThanThisKey`, `TooManyKeys` and `NotRotatable`.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise OverlapTooLong
    Terms.of(key).check_within(by)
    _check_room(key.owner, most=MOST_WITH_REPLACED)
    return key.rotate(overlap=overlap, renew=isinstance(by, User))


def revoke(key: ApiKey, *, by: Principal) -> None:
    """Raises `MoreThanThisKey`."""
    Terms.of(key).check_within(by)
    key.revoke()


def _check_room(owner: User, *, most: int) -> None:
    """Raises `TooManyKeys`. Holds the owner's row, so that two requests at once do not both find room for one."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if ApiKey.objects.usable().filter(owner=owner).count() >= most:
        raise TooManyKeys(f"You have {most} keys already.")
