"""The days that figures are of: the last thirty unless they are given, three years at most."""

from __future__ import annotations

from datetime import date, timedelta

from django.utils import timezone

from lexic.errors import InvalidInput

EARLIEST_DAY, LATEST_DAY = date(2000, 1, 1), date(2999, 12, 31)
_DEFAULT_DAYS, _MAX_DAYS = 30, 1100


def resolve_days(first: date | None, last: date | None) -> tuple[date, date]:
    """The first and the last day. Raises `InvalidInput`."""
    last = last or timezone.localdate()
    first = first or last - timedelta(days=_DEFAULT_DAYS - 1)
    if first > last:
        raise InvalidInput("The first day comes after the last one.")
    if (last - first).days >= _MAX_DAYS:
        raise InvalidInput("At most three years at once.")
    return first, last


def days_before(first: date, last: date) -> tuple[date, date]:
    """The period of the same length right before."""
    return first - (last - first) - timedelta(days=1), first - timedelta(days=1)
