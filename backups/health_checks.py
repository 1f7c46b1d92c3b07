"""The checks of backups for `manage.py doctor`."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from django.conf import settings
from django.utils import timezone

from backups.backup_errors import OtherSite
from backups.backup_store import backup_names, open_backup_store
from backups.manifest import Manifest
from backups.site_identity import beginning_of_this_site, names_other_site
from lexic.diagnostics import CheckFailed, CheckSkipped, register_check
from lexic.gauges import register_gauge

# The timetable makes one a day.
TOO_OLD = timedelta(days=2)
# The clocks of two machines differ by less.
TOO_EARLY = timedelta(days=1)


@register_check("backups")
def check_backups() -> str:
    """How old the newest is, and whether it is of all files."""
    if not settings.BACKUPS["to"]:
        raise CheckSkipped("the timetable makes none; set LEXIC_BACKUP_TO")
    names = backup_names()
    if not names:
        hint = "Make one with “manage.py backup create”, and look why the worker has made none."
        raise CheckFailed("There is no backup yet.", hint=hint)
    age = timezone.now() - Manifest.moment_of(names[-1])
    if -age > TOO_EARLY:
        hint = "The clock was wrong, or is. Then name another place for the next backups (LEXIC_BACKUP_TO)."
        raise CheckFailed(f"The newest backup is dated {(-age).days} days ahead.", hint=hint)
    if age > TOO_OLD:
        hint = "See in the log of the worker why no later one was made, and whether it keeps the timetable (-B)."
        raise CheckFailed(f"The newest backup is {age.days} days old.", hint=hint)
    missing, damaged, is_other = _look_into(settings.BACKUPS["to"], names[-1], beginning_of_this_site())
    if is_other:
        raise CheckFailed("The newest backup is of another site.", hint=OtherSite.hint)
    if damaged:
        hint = "“manage.py backup list --json” names them. Bring them back from an older backup, or delete them."
        raise CheckFailed(
            f"Damaged when the newest backup was made: {damaged} files. So older backups stay.", hint=hint
        )
    return f"the newest is {names[-1]}" + (f"; {missing} files were missing" if missing else "")


@register_gauge("lexic_backup_timestamp_seconds", "When the newest backup was made; 0 where there is none.")
def newest_backup() -> float | None:
    """Nothing where the timetable makes none. Reads no backup: it is measured every few seconds."""
    if not settings.BACKUPS["to"]:
        return None
    names = backup_names()
    return Manifest.moment_of(names[-1]).timestamp() if names else 0.0


@lru_cache(maxsize=1)
def _look_into(where: str, name: str, made_at: datetime | None) -> tuple[int, int, bool]:
    """How many files were missing or damaged when this backup was made, how many of them were damaged, and whether it
    is of another site than the one that was made then. A process reads a manifest once: it never changes, and names
    every file."""
    store = open_backup_store(where)
    manifest = Manifest.read(store, name)
    return len(manifest.missing), len(manifest.damaged), bool(names_other_site(store, manifest, made_at))
