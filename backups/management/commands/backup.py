"""Backups by command: make one, list them, and prove that the newest can be restored."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from backups.backup_errors import DamagedBackup, NoBackup
from backups.backup_store import open_backup_store
from backups.create_backup import create_backup
from backups.golden_answers import check_golden_answers
from backups.manifest import Manifest, summary
from backups.verify import verify_backup
from lexic.infrastructure_errors import outage_error
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = "Backs up the database and the files while the site runs, and verifies backups."
    epilog = """examples:
  manage.py backup create /mnt/backups --keep 14
  manage.py backup create s3://our-backups/lexic
  manage.py backup list /mnt/backups
  manage.py backup verify /mnt/backups"""

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        create = parts.add_parser("create", help="makes one; what has not changed since the last is not copied again")
        create.add_argument("--keep", type=int, default=0, help="delete all but so many of the newest")
        listed = parts.add_parser("list", help="names them, the oldest first, and marks those that cannot be read")
        verify = parts.add_parser("verify", help="reads one, restores it beside the site, and asks golden questions")
        verify.add_argument("--at", default="", help="its name; otherwise the newest")
        for part in (create, listed, verify):
            part.add_argument("where", nargs="?", default="", help="a folder or s3://BUCKET/PREFIX; LEXIC_BACKUP_TO")
            part.add_argument("--json", action="store_true")
        parts.add_parser("ask", help="asks the golden questions of this site, and compares with what is on record")

    def handle(self, *args: Any, part: str, **options: Any) -> None:
        if options.get("keep", 0) < 0:
            raise CommandError("--keep is 1 or more; without it, all are kept.")
        try:
            {"create": self._create, "list": self._list_backups, "verify": self._verify, "ask": self._check_answers}[
                part
            ](options)
        except OSError as error:
            raise outage_error(error) or CommandError(f"{error.filename}: {error.strerror}.") from error

    def _create(self, options: dict[str, Any]) -> None:
        made = create_backup(open_backup_store(options["where"]), keep=options["keep"])
        if options["json"]:
            self.stdout.write(json.dumps(summary(made)))
            return
        self.stdout.write(f"Backup {made.name}: {made.rows:,} rows, {len(made.files):,} files.")
        for name in made.missing:
            self.stderr.write(f"A file is missing or damaged: {name}")

    def _list_backups(self, options: dict[str, Any]) -> None:
        store = open_backup_store(options["where"])
        if not (names := store.backups()):
            self.stderr.write("There is no backup here.")
        for name in names:
            try:
                said = summary(Manifest.read(store, name))
                line = f"{name}  version {said['version']}, {said['rows']:,} rows, {said['files']:,} files"
            except (DamagedBackup, NoBackup) as error:
                said = {"name": name, **error.as_dict()}
                line = f"{name}  cannot be read: {error.message}"
            self.stdout.write(json.dumps(said) if options["json"] else line)

    def _verify(self, options: dict[str, Any]) -> None:
        where = options["where"] or settings.BACKUPS["to"]
        found = verify_backup(open_backup_store(where), where=where, name=options["at"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found)))
            return
        self.stdout.write(
            f"Backup {found.name} is whole: {found.pieces:,} pieces were read and {found.rows:,} rows restored; "
            f"{found.asked} golden questions were asked, and the {found.compared} that are on record went the same way."
        )

    def _check_answers(self, options: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(asdict(check_golden_answers()), ensure_ascii=False))
