"""The base class of all commands of Lexic."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter

from lexic.errors import LexicError


class _HelpFormatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """The command's own options before those that Django gives each command; lines stay as they are written."""


class LexicCommand(BaseCommand):
    """A command whose help keeps its lines, with `epilog` at its end. A `LexicError` ends it with a sentence."""

    epilog: str | None = None
    # Django's checks of the code import every page, which takes a second; `manage.py check` and the tests make them.
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs |= {"epilog": self.epilog, "formatter_class": _HelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except LexicError as error:
            raise CommandError(error.message_with_hint) from error
