"""Questions counted by day, so that no page counts them: only what may still change is counted again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max, Sum
from django.utils import timezone

from lexic.sql_files import read_sql
from marketplace.models import DayOfPlugin

MONTH_DAYS = 30
_ON_CONFLICT_KEEP = "ON CONFLICT (plugin_id, day) DO NOTHING"


def count_days(*, today: date | None = None, backfill: bool = False) -> None:
    """Count the questions of yesterday and today, and of the days before that nobody has counted yet.

    Days that were counted stay as they are, so that they outlive the query rows. With `backfill`, days that are
    missing anywhere before that are counted as well. The same afterwards, however often it is called.
    """
    today = today or timezone.now().astimezone(UTC).date()
    known = DayOfPlugin.objects.aggregate(last=Max("day"))["last"]
    # The last one that is known may have been counted before it was over.
    since = min(known, today - timedelta(days=1)) if known else None
    if since is None or backfill:
        _insert_counts(None, since or today + timedelta(days=1), on_conflict=_ON_CONFLICT_KEEP)
    if since is not None:
        _insert_counts(since, today + timedelta(days=1), on_conflict=read_sql("marketplace", "replace_day"))


def update_listing_counts(*, today: date | None = None) -> int:
    """Put the figures of the last 30 days, and how many copies there are, on every listing. Returns how many changed.
    One statement."""
    today = today or timezone.now().astimezone(UTC).date()
    with connection.cursor() as cursor:
        cursor.execute(
            read_sql("marketplace", "spread_counts"), {"since": today - timedelta(days=MONTH_DAYS), "today": today}
        )
        return cursor.rowcount


def last_month_counts(plugin: UUID, *, today: date) -> dict[str, Any]:
    """`asked` and `dropped_share` of the last 30 days, as far as they were counted. One statement."""
    days = DayOfPlugin.objects.filter(plugin=plugin, day__gt=today - timedelta(days=MONTH_DAYS), day__lte=today)
    sums = days.aggregate(asked=Sum("asked"), sentences=Sum("sentences"), dropped=Sum("dropped"))
    share = sums["dropped"] / sums["sentences"] if sums["sentences"] else None
    return {"asked": sums["asked"] or 0, "dropped_share": share}


def _insert_counts(since: date | None, until: date, *, on_conflict: str) -> None:
    bounds = {
        "since": _start_of_day(since) if since else datetime(1970, 1, 1, tzinfo=UTC),
        "until": _start_of_day(until),
    }
    with connection.cursor() as cursor:
        cursor.execute(f"{read_sql('marketplace', 'count_days')}\n{on_conflict}", bounds)


def _start_of_day(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
