"""Brings a backup back by command."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from backups.backup_store import open_backup_store
from backups.manifest import Manifest
from backups.restore import restore_backup
from lexic.infrastructure_errors import outage_error
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = "Brings the newest backup, or the one that is named, back into an empty installation."
    epilog = """examples:
  manage.py restore /mnt/backups
  manage.py restore s3://our-backups/lexic --at 2026-11-23T02-00-00-000000Z"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("where", nargs="?", default="", help="a folder or s3://BUCKET/PREFIX; LEXIC_BACKUP_TO")
        parser.add_argument("--at", default="", help="the name of the backup; otherwise the newest")
        parser.add_argument("--rows-only", action="store_true", help="without files, to look at a copy")

    def handle(self, *args: Any, where: str, at: str, rows_only: bool, **options: Any) -> None:
        try:
            store = open_backup_store(where)
            manifest = Manifest.find(store, at)
            restore_backup(store, manifest, rows_only=rows_only)
        except OSError as error:
            raise outage_error(error) or CommandError(f"{error.filename}: {error.strerror}.") from error
        files = 0 if rows_only else len(manifest.files)
        self.stdout.write(f"Backup {manifest.name} is restored: {manifest.rows:,} rows, {files:,} files.")
        self.stdout.write(
            "Now run “manage.py relist” to rebuild the listings, and “manage.py doctor” to check everything."
        )
