"""The checks of backups for `manage.py doctor`."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from backups.backup_store import open_backup_store
from backups.manifest import newest
from lexic.diagnostics import CheckFailed, CheckSkipped, register_check
from lexic.gauges import register_gauge

# The timetable makes one a day.
TOO_OLD = timedelta(days=2)


@register_check("backups")
def check_backups() -> str:
    """How old the newest is, and whether it is of all files."""
    if not settings.BACKUPS["to"]:
        raise CheckSkipped("the timetable makes none; set LEXIC_BACKUP_TO")
    found = newest(open_backup_store())
    if found is None:
        hint = "Make one with “manage.py backup create”, and look why the worker has made none."
        raise CheckFailed("There is no backup yet.", hint=hint)
    age = timezone.now() - found.made_at
    if age > TOO_OLD:
        hint = "See in the log of the worker why no later one was made, and whether it keeps the timetable (-B)."
        raise CheckFailed(f"The newest backup is {age.days} days old.", hint=hint)
    missing = f"; {len(found.missing)} files were missing or damaged" if found.missing else ""
    return f"the newest is {found.name}{missing}"


@register_gauge("lexic_backup_timestamp_seconds", "When the newest backup was made; 0 where there is none.")
def newest_backup() -> float | None:
    """Nothing where the timetable makes none."""
    if not settings.BACKUPS["to"]:
        return None
    found = newest(open_backup_store())
    return found.made_at.timestamp() if found else 0.0
