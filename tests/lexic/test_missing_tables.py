"""Every command on a database without tables: it works, or one sentence says what to do. Never a traceback."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import get_commands
from django.db import DatabaseError, OperationalError, ProgrammingError, connection, connections

import manage
from lexic.errors import LexicError
from lexic.infrastructure_errors import DiskFull
from lexic.missing_tables import DatabaseUnreachable, TablesMissing, explain_database_error
from tests.lexic.running import command as run_command
from tests.our_modules import APPS

# What has to be said with a command for it to come to the database. Each command of ours is here.
ARGUMENTS: dict[str, list[str]] = {
    "ask": ["cover", "What is the cover?"],
    "check_trees": [],
    "client_schema": [],
    "compile_catalogues": [],
    "collectstatic": ["--dry-run", "--no-input"],
    "audit": ["verify"],
    "backup": ["create", "{file}.backups"],
    "create_api_key": ["alice@example.org"],
    "demo": ["--help"],  # makes its tables, and then starts a server
    "doctor": [],
    "encrypt_files": [],
    "evaluate": ["--plugin", "cover"],
    "export_plugin": ["cover"],
    "golden": ["export", "cover"],
    "import_plugin": ["{file}", "--owner", "alice@example.org"],
    "ingest": ["cover", "{file}"],
    "mcp": ["--key", "lx_" + "a" * 43],
    "publish": ["cover"],
    "add_token_states": [],
    "repack": [],
    "reembed": ["cover", "local"],
    "lint_migrations": [],
    "relist": [],
    "restore": ["{file}.backups"],
    "organisation_owner": [],
    "organisation_sso": [],
    "rotate_keys": [],
    "sweep": [],
    "sync": ["cover"],
    "up": ["--help"],  # makes its tables, and then stays
    # Of Django and allauth:
    "changepassword": ["alice@example.org"],
    "createsuperuser": ["--no-input", "--email", "alice@example.org"],
    "dumpdata": ["accounts.User"],
    "flush": ["--no-input"],
    "inspectdb": [],
    "loaddata": ["{file}"],
    "migrate": ["--plan"],
    "sendtestemail": ["alice@example.org"],
    "shell": ["--command", "from accounts.models import User; print(User.objects.count())"],
    "sqlflush": [],
    "sqlmigrate": ["accounts", "0001"],
    "sqlsequencereset": ["accounts"],
}
# These stay, ask, or are about the code; and the tests' own.
LEFT_OUT = {"compilemessages", "dbshell", "makemessages", "makemigrations", "optimizemigration", "runserver"}
LEFT_OUT |= {"squashmigrations", "startapp", "startproject", "test", "testserver", "diffsettings", "findstatic"}
LEFT_OUT |= {"createcachetable", "ogrinspect", "spectacular", "generateschema"}

# They look at something else first, which is wrong as well.
NEED_NOT_THE_TABLES = {"import_plugin", "restore", "encrypt_files"}


@pytest.fixture(scope="module")
def without_tables(django_db_setup: None) -> Iterator[str]:
    """The name of a database that has nothing in it."""
    name = f"without_tables_{connection.settings_dict['NAME']}"
    server = {"host": connection.settings_dict["HOST"], "user": "lexic", "dbname": "postgres"}
    with psycopg.connect(**server, autocommit=True) as postgres:
        postgres.execute(f"CREATE DATABASE {name}")
        yield name
        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def empty_database(without_tables: str, django_db_blocker: Any, settings: Any) -> Iterator[None]:
    """One of somebody's own, as DATABASE_URL would name it. It has to be empty at the end, too."""
    there = connection.settings_dict["NAME"]
    settings.DATABASE_URL, settings.REDIS_URL = f"postgres://lexic@/{without_tables}", "redis://localhost"
    with django_db_blocker.unblock():
        connections.close_all()
        connection.settings_dict["NAME"] = without_tables
        try:
            yield
            assert connection.introspection.table_names() == []
        finally:
            connections.close_all()
            connection.settings_dict["NAME"] = there


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[object, str, str]:
    """How the command ends (0 where it returns), and what it says."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    try:
        manage.main()
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):  # as the interpreter does
            err.write(code)
            code = 1
        return code or 0, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_every_command_is_tried() -> None:
    ours = {name for name, app in get_commands().items() if app in APPS}
    assert ours - LEFT_OUT <= set(ARGUMENTS)
    assert len(ours) > 15


@pytest.mark.usefixtures("empty_database")
@pytest.mark.parametrize("name", sorted(set(get_commands()) - LEFT_OUT))
def test_a_command_on_an_empty_database(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any
) -> None:
    file = tmp_path / "a.json"
    file.write_text("[]")
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    arguments = [one.format(file=file) for one in ARGUMENTS.get(name, [])]
    code, out, err = run(monkeypatch, name, *arguments)
    assert "Traceback" not in out + err
    assert code in (0, 1, 2)
    if code == 1 and get_commands()[name] in APPS and name != "doctor":
        assert len(err.strip().splitlines()) == 1, err
        if name not in NEED_NOT_THE_TABLES:
            assert err.strip().endswith("Make them with `manage.py migrate`, then give the command again.")


def test_a_database_that_is_away_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, django_db_setup: None, django_db_blocker: Any, settings: Any
) -> None:
    settings.DATABASE_URL, settings.REDIS_URL = "postgres://lexic@/nowhere", "redis://localhost"
    there = connection.settings_dict["HOST"]
    with django_db_blocker.unblock():
        connections.close_all()
        connection.settings_dict["HOST"] = "/nowhere"
        try:
            code, _, err = run(monkeypatch, "relist")
        finally:
            connection.settings_dict["HOST"] = there
    assert (code, err) == (
        1,
        "Error: The database cannot be reached. Check DATABASE_URL, and that the server is running.",
    )


def test_an_error_is_explained_while_the_built_in_database_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    running = []

    @contextmanager
    def services() -> Iterator[None]:
        running.append("PostgreSQL")
        try:
            yield
        finally:
            running.clear()

    def fail(arguments: list[str]) -> None:
        raise ProgrammingError("column does not exist")

    def explain(error: DatabaseError) -> LexicError:
        assert running
        return TablesMissing()

    monkeypatch.setattr(manage, "services_for_command", services)
    monkeypatch.setattr("django.core.management.execute_from_command_line", fail)
    monkeypatch.setattr("lexic.missing_tables.explain_database_error", explain)
    code, _, err = run(monkeypatch, "repack")
    assert (code, err) == (1, f"Error: {TablesMissing().message_with_hint}")


def test_on_a_fresh_clone_a_command_makes_the_tables(tmp_path: Path) -> None:
    done = run_command(tmp_path / "var", "evaluate", "--plugin", "nothing")
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stderr.splitlines()[0] == "The database is new: making its tables."
    assert done.stderr.splitlines()[-1].startswith("CommandError: No plugin of this name")


def test_a_full_disk_of_the_database_is_not_taken_for_one_that_is_away() -> None:
    error = OperationalError("could not extend file")
    error.__cause__ = psycopg.errors.DiskFull()
    assert isinstance(explain_database_error(error), DiskFull)
    error.__cause__ = psycopg.OperationalError("connection refused")
    assert isinstance(explain_database_error(error), DatabaseUnreachable)
