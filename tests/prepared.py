"""Lexic's tables, made by its migrations once and copied from then on: for each run, and for each of its processes.

What is kept lies under var/tests, named by a hash of all that decides what the tables look like. Where migrations are
new and all others are as they were, those alone are applied, to a copy of what is kept, as on a site that is upgraded.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from local import embedded_services

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "var" / "tests"
# The database whose copies the tests work on. Nobody is connected to it while they do.
TEMPLATE = "lexic_template"
# For other branches; each takes some 50 megabytes.
OTHERS = 2
FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
_MIGRATE = """
import django
from django.core.management import call_command
django.setup()
call_command("migrate", verbosity=0)
"""
_DECIDING = ["*/migrations/*.py", "*/models.py", "*/apps.py", "lexic/settings.py", "local/embedded_services.py"]
_DECIDING += ["tests/prepared.py", "tests/settings.py", "requirements.lock"]
# What has been applied, and by what; a file in the folder of the tables says it.
_APPLIED = ["*/migrations/*.py", "local/embedded_services.py", "requirements.lock"]
_APPLIED_FILE = "lexic_applied.json"


def start(root: Path) -> list[tuple[embedded_services.Service, subprocess.Popen[bytes]]]:
    """PostgreSQL with the template in it, and Redis."""
    postgres, redis = embedded_services.Postgres(root), embedded_services.Redis(root)
    _lay(postgres, root)
    return [(postgres, _started(postgres, root, FAST)), (redis, _started(redis, root))]


def make_stopped(root: Path, *, database: str) -> None:
    """A PostgreSQL below this folder that does not run, whose only database has this name and all tables."""
    postgres = embedded_services.Postgres(root)
    root.mkdir(parents=True)
    _lay(postgres, root)
    running = _started(postgres, root, FAST)
    try:
        with psycopg.connect(**postgres.connection("postgres"), autocommit=True) as connection:
            statement = "ALTER DATABASE {} RENAME TO {}"
            connection.execute(sql.SQL(statement).format(sql.Identifier(TEMPLATE), sql.Identifier(database)))
    finally:
        embedded_services.stop_service(postgres, running)


def _lay(postgres: embedded_services.Postgres, root: Path) -> None:
    """Its data, with the template in it."""
    kept = KEPT / f"pg-{fingerprint(_DECIDING)}"
    try:
        _copy(kept, postgres.data)
    except subprocess.CalledProcessError:  # nothing is kept, or another run has just removed it
        shutil.rmtree(postgres.data, ignore_errors=True)
        _make(postgres, root, kept)


def fingerprint(patterns: Sequence[str]) -> str:
    """A hash of the files of the project that match, and of this Python."""
    said = hashlib.sha256(sys.version.encode())
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
        said.update(f"{path.relative_to(ROOT)}\n".encode())
        said.update(path.read_bytes())
    return said.hexdigest()[:16]


def remove_older(pattern: str, *, but: Path) -> None:
    """Of the folders under var/tests that match, all but this one and the newest of the others."""
    others = [path for path in KEPT.glob(pattern) if path != but]
    with contextlib.suppress(OSError):  # another run may remove them too
        for older in sorted(others, key=lambda path: path.stat().st_mtime)[:-OTHERS]:
            shutil.rmtree(older, ignore_errors=True)


def copy_template(server: dict[str, str], *, name: str) -> None:
    """A database of this name with all tables, on the server that psycopg is told of."""
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as connection:
        statement = "CREATE DATABASE {} TEMPLATE {}"
        connection.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Identifier(TEMPLATE)))


def _started(service: embedded_services.Service, root: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    service.prepare()
    with embedded_services.open_service_log(root, service.name) as log:
        process = service.spawn(*options, stdout=log, stderr=log)
    embedded_services.wait_until_ready(service, process)
    return process


def _make(postgres: embedded_services.Postgres, root: Path, kept: Path) -> None:
    """Migrate, in a process of its own as Django has no settings here yet, and keep the folder that this gives."""
    has_older = _copy_older(postgres.data)
    running = _started(postgres, root, FAST)
    try:
        if not has_older:
            postgres.create_database(TEMPLATE)
        own = {"LEXIC_TEST_DATABASE": TEMPLATE, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        subprocess.run([sys.executable, "-c", _MIGRATE], cwd=ROOT, env={**os.environ, **own}, check=True)
    finally:
        embedded_services.stop_service(postgres, running)
    (postgres.data / _APPLIED_FILE).write_text(json.dumps(applied_files()))
    with contextlib.suppress(OSError, subprocess.CalledProcessError):  # nothing kept: the next run migrates again
        _keep(postgres.data, kept)


def _copy_older(target: Path) -> bool:
    """Whether there were tables to begin with."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):  # another run may have removed it meanwhile
        if older := older_tables():
            _copy(older, target)
            return True
    shutil.rmtree(target, ignore_errors=True)
    return False


def older_tables() -> Path | None:
    """The newest folder of tables that lack nothing but the migrations that are new."""
    now = applied_files().items()
    found = sorted(KEPT.glob(f"pg-[0-9a-f]*/{_APPLIED_FILE}"), key=lambda path: path.stat().st_mtime, reverse=True)
    return next((path.parent for path in found if json.loads(path.read_text()).items() <= now), None)


def applied_files() -> dict[str, str]:
    """What the tables are made by, with a hash of each file, and of this Python."""
    paths = sorted({path for pattern in _APPLIED for path in ROOT.glob(pattern)})
    files = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return {"Python": sys.version, **files}


def _keep(folder: Path, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    remove_older("pg-*", but=kept)
    unfinished = kept.with_name(f"pg-new-{os.getpid()}")
    _copy(folder, unfinished)
    unfinished.rename(kept)


def _copy(folder: Path, target: Path) -> None:
    """With its owner: PostgreSQL runs as somebody else where the superuser runs the tests."""
    subprocess.run(["cp", "-a", str(folder), str(target)], check=True, capture_output=True)
