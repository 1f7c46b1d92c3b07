"""Commands on a database without tables: the built-in one gets them, of any other a sentence says what to do."""

from __future__ import annotations

import sys

from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from lexic.diagnostics import count_unapplied_migrations
from lexic.errors import LexicError
from lexic.infrastructure_errors import DiskFull, ServiceUnavailable, outage_error

# Commands that look at the tables as they are, or change them themselves.
_ABOUT_TABLES = frozenset(
    {"migrate", "showmigrations", "sqlmigrate", "squashmigrations", "optimizemigration", "dbshell"}
)
_UNDEFINED = frozenset({"42P01", "42703", "3F000"})  # SQLSTATEs: a table, a column, a schema


class DatabaseUnreachable(ServiceUnavailable):
    """The database cannot be reached."""

    hint = "Check DATABASE_URL, and that the server is running."


class TablesMissing(LexicError):
    """The database lacks tables that this version needs."""

    code = "tables_missing"
    status = 503
    hint = "Make them with `manage.py migrate`, then give the command again."


def make_missing_tables(command: str) -> None:
    """Makes the tables of a database that has none yet, unless the command is about tables itself."""
    if command in _ABOUT_TABLES or MigrationRecorder(connection).has_table():
        return
    print("The database is new: making its tables.", file=sys.stderr)
    call_command("migrate", interactive=False, verbosity=0)


def explain_database_error(error: DatabaseError) -> LexicError | None:
    """What to tell somebody who gave a command; None for an error that is not about tables, the connection or room."""
    if isinstance(outage := outage_error(error), DiskFull):
        return outage
    if isinstance(error, OperationalError):
        return DatabaseUnreachable()
    if getattr(error.__cause__, "sqlstate", None) in _UNDEFINED and count_unapplied_migrations():
        return TablesMissing()
    return None
