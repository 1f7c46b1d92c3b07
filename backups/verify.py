"""Proves that a backup can be restored: reads all of it, restores it beside the site, counts and asks."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import DatabaseError, connection
from psycopg import sql

from backups.backup_errors import VerificationRuns
from backups.backup_store import BackupStore
from backups.manifest import Manifest
from knowledge.lease import try_lease
from lexic.errors import LexicError
from local.embedded_services import die_with_parent

# Where nothing answers: a copy of the site must send no task to the workers of the site.
_NO_REDIS = "redis://127.0.0.1:1/0"


class RestoreFailed(LexicError):
    """The backup could not be restored beside the site."""

    code = "restore_failed"


class AnswersDiffer(LexicError):
    """The restored copy answers golden questions otherwise than it is on record."""

    code = "answers_differ"
    hint = "Restore by hand, and look at these questions in the builder."


class NoScratchDatabase(LexicError):
    """No database could be made to restore the backup into."""

    code = "no_scratch_database"
    hint = "Allow the role of DATABASE_URL to make databases (ALTER ROLE … CREATEDB), or restore on another machine."


@dataclass(frozen=True, kw_only=True)
class BackupVerified:
    """What was looked at of the backup `name`: pieces read, rows counted, golden questions asked and compared."""

    name: str
    pieces: int
    rows: int
    asked: int
    compared: int


def verify_backup(store: BackupStore, *, where: str, name: str = "") -> BackupVerified:
    """The newest one, or the one of this name; `where` is how the store was opened. Raises `NoBackup`,
    `DamagedBackup`, `NoScratchDatabase`, `RestoreFailed`, `AnswersDiffer`, `VerificationRuns`."""
    with try_lease("verify-backup") as is_ours:
        if not is_ours:
            raise VerificationRuns
        return _verify(store, Manifest.find(store, name), where=where)


def _verify(store: BackupStore, manifest: Manifest, *, where: str) -> BackupVerified:
    """The files are read and not restored: a copy of all uploads may not fit beside them."""
    pieces = manifest.check_pieces(store)
    with _scratch_database() as database, tempfile.TemporaryDirectory(prefix="lexic-verify-") as folder:
        environment = _environment(database, Path(folder))
        # Counts the rows of every table before it commits.
        _manage(environment, "restore", where, "--at", manifest.name, "--rows-only")
        answers = json.loads(_manage(environment, "backup", "ask").splitlines()[-1])
    if answers["different"]:
        raise AnswersDiffer(f"{AnswersDiffer.__doc__} {'; '.join(answers['different'][:5])}.")
    return BackupVerified(
        name=manifest.name,
        pieces=pieces,
        rows=manifest.rows,
        asked=answers["asked"],
        compared=answers["compared"],
    )


@contextmanager
def _scratch_database() -> Iterator[str]:
    """The name of a new database on the site's server, which is dropped in the end. It is always the same for a site:
    one that a killed process left behind is replaced."""
    site = hashlib.sha256(connection.settings_dict["NAME"].encode()).hexdigest()[:12]
    name = sql.Identifier(text := f"lexic_verify_{site}")
    own = connection.copy()
    try:
        try:
            with own.cursor() as cursor:
                cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
                cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(name))
        except DatabaseError as error:
            raise NoScratchDatabase from error
        try:
            yield text
        finally:
            with own.cursor() as cursor:
                cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
    finally:
        own.close()


def _environment(database: str, folder: Path) -> dict[str, str]:
    """The environment of a process that works on the copy. It has the site's secrets, and reaches nothing else of the
    site."""
    backups, s3 = settings.BACKUPS, settings.BACKUPS["s3"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXIC_S3_")}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "lexic.settings",
        "DATABASE_URL": _database_url(database),
        "DATABASE_REPLICA_URL": "",
        "REDIS_URL": _NO_REDIS,
        "LEXIC_DB_POOL": "0",
        "LEXIC_VAR_DIR": str(folder),
        "LEXIC_FILES_DIR": str(folder / "files"),
        "LEXIC_S3_BUCKET": "",
        "LEXIC_S3_ENDPOINT_URL": "",
        "LEXIC_S3_ACCESS_KEY_ID": "",
        "LEXIC_S3_SECRET_ACCESS_KEY": "",
        "LEXIC_BACKUP_S3_ENDPOINT_URL": s3["endpoint_url"],
        "LEXIC_BACKUP_S3_REGION": s3["region"],
        "LEXIC_BACKUP_S3_ACCESS_KEY_ID": s3["access_key_id"],
        "LEXIC_BACKUP_S3_SECRET_ACCESS_KEY": s3["secret_access_key"],
        "LEXIC_S3_PATH_STYLE": str(s3["path_style"]),
        "LEXIC_BACKUP_KEY": backups["key"],
        # What a language model writes costs money and differs each time.
        "LEXIC_LLM": "extractive",
        "LANGFUSE_PUBLIC_KEY": "",
        "LANGFUSE_SECRET_KEY": "",
        "SECRET_KEY": settings.SECRET_KEY,
        "ENCRYPTION_KEY": settings.ENCRYPTION_KEY,
    }


def _database_url(database: str) -> str:
    said: dict[str, Any] = connection.settings_dict
    who = quote(said["USER"], safe="")
    if said["PASSWORD"]:
        who += ":" + quote(said["PASSWORD"], safe="")
    where = quote(said["HOST"], safe="") + (f":{said['PORT']}" if said["PORT"] else "")
    options = {name: value for name, value in said["OPTIONS"].items() if name.startswith("ssl")}
    return f"postgres://{who}@{where}/{quote(database)}" + (f"?{urlencode(options)}" if options else "")


def _manage(environment: dict[str, str], *arguments: str) -> str:
    """The output of a command on the copy. Raises `RestoreFailed` with the end of what it said."""
    done = subprocess.run(  # noqa: S603  # our own program, no shell
        [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=die_with_parent(signal.SIGKILL),
    )
    if done.returncode:
        raise RestoreFailed(hint=f"“{arguments[0]}” said: {done.stderr.strip()[-500:]}")
    return done.stdout
