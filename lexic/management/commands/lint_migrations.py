from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError
from django.db.migrations.loader import MigrationLoader

from lexic import migration_lint
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = (
        "Check that new migrations can be applied while the version before still answers. Ends with 1 when one cannot. "
        "Asks no database. Example: manage.py lint_migrations"
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--release",
            action="store_true",
            help="write down all migrations there are as released: from then on they are not checked",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["release"]:
            names = sorted(migration_lint.own_migrations(MigrationLoader(None)))
            migration_lint.RELEASED.write_text("".join(f"{name}\n" for name in names))
            self.stdout.write(f"{len(names)} migrations are written down as released.")
            return
        found = migration_lint.lint_new_migrations()
        for risk in found:
            self.stdout.write(str(risk))
        if found:
            raise CommandError(
                f"{len(found)} risks for the version that still runs. Do it in two releases (docs/operations.md, "
                f"Upgrade), or say in {migration_lint.ACCEPTED} of the migration why it does no harm."
            )
