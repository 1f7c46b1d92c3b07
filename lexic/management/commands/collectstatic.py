from __future__ import annotations

from typing import Any

from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management.base import CommandParser

from lexic import static_files


class Command(collectstatic.Command):
    """Django's own, which also notes what it collected."""

    help = f"{collectstatic.Command.help} Example: manage.py collectstatic --no-input"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--if-changed", action="store_true", help="do nothing where nothing has changed since")

    def handle(self, *, if_changed: bool = False, **options: Any) -> str | None:
        if if_changed and static_files.is_collected():
            return None
        said: str | None = super().handle(**options)
        if not options["dry_run"]:
            static_files.record_collected()
        return said
