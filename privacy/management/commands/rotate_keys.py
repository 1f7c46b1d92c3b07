"""Another SECRET_KEY or ENCRYPTION_KEY, without losing what the one before has signed and sealed."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from lexic import secret_files
from lexic.management.lexic_command import LexicCommand
from privacy.key_rotation import ColumnReport, reseal_all


class Command(LexicCommand):
    help = "Seals stored secrets under the present ENCRYPTION_KEY, and says when an earlier one can go."
    epilog = """examples:
  manage.py rotate_keys --begin ENCRYPTION_KEY   makes a new one, where Lexic keeps it itself; then restart Lexic
  manage.py rotate_keys                          seals again what is sealed under the previous one
  manage.py rotate_keys --end ENCRYPTION_KEY     deletes the previous one, once nothing needs it"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--begin", choices=secret_files.VARIABLES, help="make a new one, and keep the one before")
        parser.add_argument("--end", choices=secret_files.VARIABLES, help="throw the earlier ones away")
        parser.add_argument("--dry-run", action="store_true", help="only count")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, begin: str, end: str, dry_run: bool, **options: Any) -> None:
        if begin:
            secret_files.begin_rotation(begin)
            self.stdout.write(f"{begin} is new; the previous one is still accepted. Restart Lexic everywhere.")
            return
        if end and dry_run:
            raise CommandError("--end throws keys away: give it without --dry-run.")
        reports = reseal_all(dry_run=dry_run)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(report) for report in reports]))
        else:
            self._print_reports(reports)
        left = sum(report.left for report in reports)
        if left and not dry_run:
            raise CommandError(f"{left} values were changed meanwhile, and are left: give the command again.")
        if end:
            self._end(end)

    def _print_reports(self, reports: list[ColumnReport]) -> None:
        for one in reports:
            figures = (
                f"{one.current} current, {one.resealed} sealed again, {one.left} left, {one.unreadable} unreadable"
            )
            self.stdout.write(f"{one.name}: {figures}")
        if any(one.unreadable for one in reports):
            self.stderr.write(
                "What is unreadable was sealed under a key that is not known. Add it to ENCRYPTION_KEY_FALLBACKS; "
                "without it, those keys cannot be revealed, and those webhooks and apps have to be set up anew."
            )
        elif not any(one.left for one in reports) and settings.ENCRYPTION_KEY_FALLBACKS:
            self.stdout.write("Nothing needs ENCRYPTION_KEY_FALLBACKS any more.")

    def _end(self, variable: str) -> None:
        if secret_files.end_rotation(variable):
            self.stdout.write(f"The earlier {variable} is deleted. Restart Lexic.")
        else:
            self.stdout.write(f"No earlier {variable} is kept here; unset {variable}_FALLBACKS where it is set.")
