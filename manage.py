#!/usr/bin/env python
"""Django's command line. Without DATABASE_URL or REDIS_URL, a command starts the built-in services."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import django

# Commands that manage the services themselves, or need none.
COMMANDS_WITHOUT_SERVICES = {
    "up",
    "help",
    "makemigrations",
    "lint_migrations",
    "collectstatic",
    "check",
    "--help",
    "--version",
    "version",
}


@contextlib.contextmanager
def services_for_command() -> Iterator[None]:
    """Runs the built-in services inside the block. A new database gets its tables first."""
    from django.conf import settings

    from local import embedded_services, locks
    from local.module_loading import loading_modules

    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in COMMANDS_WITHOUT_SERVICES or {"-h", "--help"} & set(sys.argv):
        yield
        return
    needed = embedded_services.required_services(
        settings.VAR_DIR, database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL
    )
    if not needed:
        yield
        return
    with embedded_services.running_services(settings.VAR_DIR, database=settings.EMBEDDED_DATABASE, needed=needed):
        if not settings.DATABASE_URL:
            with loading_modules():
                django.setup()
                from lexic import missing_tables

            with locks.hold_lock(settings.VAR_DIR, "tables"):
                missing_tables.make_missing_tables(command)
        yield


def print_commands() -> None:
    """Prints what `manage.py --help` prints. It reads the names of commands from the folders of the apps, and loads
    neither their models nor their configurations."""
    from django.apps import apps
    from django.conf import settings
    from django.core.management import ManagementUtility

    for entry in settings.INSTALLED_APPS:
        # An entry may name a configuration: those of `lexic.apps` are of apps without commands.
        name = entry.partition(".apps.")[0]
        spec = importlib.util.find_spec(name)
        if spec and spec.submodule_search_locations:
            [folder] = spec.submodule_search_locations
            apps.app_configs[entry] = SimpleNamespace(name=name, path=folder)  # type: ignore[assignment]
    apps.apps_ready = True
    sys.stdout.write(ManagementUtility(sys.argv).main_help_text() + "\n")


@contextlib.contextmanager
def explained_database_errors() -> Iterator[None]:
    """Ends the process with a sentence where tables or the connection are missing."""
    from django.db import DatabaseError

    try:
        yield
    except DatabaseError as error:
        from lexic import missing_tables

        known = missing_tables.explain_database_error(error)
        if known is None:
            raise
        sys.exit(f"Error: {known.message_with_hint}")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
    from local.module_loading import loading_modules

    with loading_modules():
        from django.core.management import execute_from_command_line
        from environs import EnvError, ValidationError

        from lexic.errors import LexicError

    try:
        if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]):
            with loading_modules():
                print_commands()
            return
        # To tell that tables are missing, the database is asked: while it runs.
        with explained_database_errors(), services_for_command(), explained_database_errors():
            with loading_modules():
                django.setup()
            execute_from_command_line(sys.argv)
    except LexicError as error:
        sys.exit("\n".join(filter(None, [f"Error: {error.message}", error.hint])))
    except (EnvError, ValidationError) as error:
        sys.exit(f"Error: a setting makes no sense. {error}")
    except PermissionError as error:
        sys.exit(
            f"Error: {error}\nThe folder may belong to another user: run as that user, "
            "or set LEXIC_VAR_DIR to a folder of your own."
        )
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
