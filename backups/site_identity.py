"""Which site a backup is of: two sites that keep their backups in one place would delete each other's.

A site is known by the moment when the first of its migrations was applied. It stands in every database and in every
backup, also of earlier versions, and a restore brings it back.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Min

from backups.backup_errors import DamagedBackup, NoBackup, OtherSite
from backups.backup_store import BackupStore
from backups.manifest import Manifest

logger = logging.getLogger(__name__)


def refuse_place_of_other_site(store: BackupStore) -> None:
    """Raises `OtherSite` where the newest backup that says it is of another site."""
    made_at = beginning_of_this_site()
    for name in reversed(store.backups()):
        if (is_other := is_of_other_site(store, name, made_at)) is not None:
            if is_other:
                raise OtherSite
            return


def is_of_other_site(store: BackupStore, name: str, made_at: datetime | None) -> bool | None:
    """Whether it is of another site than the one that was made then. None where the backup cannot be read that far."""
    try:
        manifest = Manifest.read(store, name)
    except (DamagedBackup, NoBackup, ValueError):
        return None
    return names_other_site(store, manifest, made_at)


def names_other_site(store: BackupStore, manifest: Manifest, made_at: datetime | None) -> bool | None:
    """As `is_of_other_site`, of a manifest that has been read."""
    try:
        return _beginning_of(store, manifest) != made_at
    except (DamagedBackup, ValueError):
        return None


def _beginning_of(store: BackupStore, manifest: Manifest) -> datetime | None:
    """Raises `DamagedBackup`, and `ValueError` where the time is written in another way."""
    table = next(table for table in manifest.tables if table.name == MigrationRecorder.Migration._meta.db_table)
    column = table.columns.index("applied")
    lines = b"".join(map(store.read, table.pieces)).decode().splitlines()
    return min((datetime.fromisoformat(line.split("\t")[column]) for line in lines), default=None)


def beginning_of_this_site() -> datetime | None:
    beginning: datetime | None = MigrationRecorder(connection).migration_qs.aggregate(at=Min("applied"))["at"]
    return beginning
