"""`manage.py sweep`: compares the stored files with the database, and deletes what nothing names any more."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from privacy.storage_sweep import SweepReport, inspect_storage, sweep_storage

_FOUND = {
    "orphaned_files": "files that no document was read from",
    "orphaned_images": "folders of page images without their file",
    "orphaned_avatars": "avatars of deleted accounts",
    "stale_release_files": "files of releases that nobody may copy any more",
}


class Command(LexicCommand):
    help = (
        "Compares the stored files with the database, both ways. Deletes the files that no row names and the words of "
        "questions of deleted plugins, ends grants of people who may no longer open the knowledge, and reports the "
        "files that are missing. Ends with 1 when any is missing. "
        "Example: manage.py sweep --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would be deleted, and delete nothing")
        parser.add_argument("--json", action="store_true", help="print the whole report as JSON")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        report = inspect_storage() if dry_run else sweep_storage()
        as_json = json.dumps(asdict(report), ensure_ascii=False, indent=2)
        self.stdout.write(as_json if options["json"] else _as_text(report, dry_run=dry_run))
        if not report.is_complete:
            raise CommandError("Files are missing. Bring them back from a backup, or remove the documents.")


def _as_text(report: SweepReport, *, dry_run: bool) -> str:
    verb = "would be deleted" if dry_run else "deleted"
    lines = [f"{len(getattr(report, name)):6} {words}: {verb}" for name, words in _FOUND.items()]
    lines.append(f"{report.orphaned_questions:6} questions of deleted plugins: words and answers {verb}")
    verb = "would be ended" if dry_run else "ended"
    lines.append(f"{report.lapsed_grants:6} grants of people who may no longer open the knowledge: {verb}")
    lines += [f"missing: {one.sha256} of {', '.join(one.documents)}" for one in report.missing_files]
    lines += [f"missing: the picture {name} of a person" for name in report.missing_avatars]
    return "\n".join(lines)
