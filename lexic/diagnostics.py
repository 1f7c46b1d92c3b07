"""Runs the checks of `manage.py doctor` and /readyz. Every app may add its own in a module named `health_checks`.

A check is a function without arguments: it returns a short result, or raises `CheckFailed` or `CheckSkipped`.
"""

from __future__ import annotations

import importlib.metadata
import logging
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils.module_loading import autodiscover_modules

from lexic.errors import LexicError
from lexic.redis_cache import redis_client
from lexic.storage import StorageUnavailable, site_storage
from local import locks, running_server

logger = logging.getLogger(__name__)

Check = Callable[[], str]
_checks: dict[str, Check] = {}

MIN_FREE_DISK_BYTES = 1024**3
# Iterative index scans, which filtered search relies on, came with 0.8.
MIN_PGVECTOR_VERSION = (0, 8)


class CheckFailed(LexicError):
    """Something is wrong."""

    code = "problem"


class CheckSkipped(Exception):
    """There is nothing to check here, and that is fine. The message says why."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    name: str
    status: str  # ok | problem | skipped
    detail: str
    hint: str = ""


def register_check(name: str) -> Callable[[Check], Check]:
    """Registers a check under this name."""

    def register(check: Check) -> Check:
        _checks[name] = check
        return check

    return register


def run_checks() -> Iterator[CheckResult]:
    """Every check of every app, one at a time, in the order in which they were registered."""
    autodiscover_modules("health_checks")
    for name in list(_checks):
        yield run_check(name)


def run_check(name: str) -> CheckResult:
    try:
        return CheckResult(name=name, status="ok", detail=_checks[name]())
    except CheckSkipped as reason:
        return CheckResult(name=name, status="skipped", detail=str(reason))
    except LexicError as error:
        return CheckResult(name=name, status="problem", detail=error.message, hint=error.hint)
    except Exception as error:  # a diagnosis must survive whatever it finds
        logger.debug("the check %s failed", name, exc_info=True)
        return CheckResult(name=name, status="problem", detail=f"{type(error).__name__}: {error}".strip()[:500])


@register_check("python")
def check_python() -> str:
    if sys.version_info[:2] != (3, 11):
        raise CheckFailed(f"Python {sys.version.split()[0]} runs; 3.11 is needed.", hint="make run PYTHON=python3.11")
    return sys.version.split()[0]


@register_check("packages")
def check_packages() -> str:
    """Whether what is installed is what the lock file names."""
    pinned = dict(_read_pinned_versions(settings.BASE_DIR / "requirements.lock"))
    wrong = [f"{name} {version}" for name, version in pinned.items() if _installed_version(name) != version]
    if wrong:
        raise CheckFailed(
            f"{len(wrong)} packages are missing or of another version: {', '.join(wrong[:5])}.",
            hint="pip install --require-hashes --no-deps -r requirements.lock",
        )
    return f"{len(pinned)} as locked"


@register_check("disk")
def check_disk() -> str:
    for folder in data_folders().values():
        free = shutil.disk_usage(existing_part(folder)).free
        if free < MIN_FREE_DISK_BYTES:
            raise CheckFailed(f"Only {free // 1024**2} MB are free for {folder}.", hint="Free some space there.")
    return f"{free / 1024**3:.1f} GB free for {folder}"


@register_check("files")
def check_files() -> str:
    """Whether a file can be written where uploads are kept: a full disk, one that was mounted to be read only, a bucket
    that cannot be reached."""
    try:
        return site_storage().check()
    except OSError as error:
        raise CheckFailed(
            f"No file can be written to {settings.LEXIC_FILES_DIR}: {error.strerror}.",
            hint="Free some space there, or set LEXIC_FILES_DIR to a folder that the server may write to.",
        ) from error
    except StorageUnavailable as error:
        raise CheckFailed(
            f"No file can be written to the bucket {settings.S3['bucket']}: {error.__cause__}.",
            hint="Look whether the store answers, the bucket is there, and the keys may write to it (LEXIC_S3_…).",
        ) from error


@register_check("database")
def check_database() -> str:
    where = "elsewhere (DATABASE_URL)" if settings.DATABASE_URL else "built in"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {cursor.fetchone()[0]}, {where}"


@register_check("pgvector")
def check_pgvector() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = cursor.fetchone()
    if row is None:
        raise CheckFailed(
            "The extension pgvector is not installed in this database.",
            hint="Run `manage.py migrate`, or have a superuser run CREATE EXTENSION vector.",
        )
    if tuple(int(part) for part in row[0].split(".")[:2]) < MIN_PGVECTOR_VERSION:
        raise CheckFailed(f"pgvector is {row[0]}; 0.8 or later is needed.", hint="ALTER EXTENSION vector UPDATE")
    return str(row[0])


@register_check("migrations")
def check_migrations() -> str:
    if missing := count_unapplied_migrations():
        raise CheckFailed(f"{missing} migrations have not been applied.", hint="Run `manage.py migrate`.")
    return "all applied"


@register_check("redis")
def check_redis() -> str:
    version = redis_client().info("server")["redis_version"]
    return f"Redis {version}, {'elsewhere (REDIS_URL)' if settings.REDIS_URL else 'built in'}"


@register_check("worker")
def check_worker() -> str:
    is_ours = not settings.REDIS_URL
    if is_ours and not locks.is_locked(settings.VAR_DIR, running_server.SUPERVISOR_LOCK):
        raise CheckSkipped("Lexic is not up; `make run` starts a worker")
    answers = served_queues(seconds=2)
    served = {queue for queues in answers.values() for queue in queues}
    if unserved := [what for queue, what in _needed_queues().items() if queue not in served]:
        raise CheckFailed(
            f"No worker answers, so {' and '.join(unserved)}.",
            hint="Look at what it says under `make run`, or start one: celery -A lexic worker -B",
        )
    return f"{len(answers)} answered"


def _needed_queues() -> dict[str, str]:
    """What happens where nobody serves a queue, by its name. Nothing is ever in that of backups where none are made."""
    left_out = set() if settings.BACKUPS["to"] else {settings.BACKUP_QUEUE}
    return {queue: what for queue, what in _UNSERVED_QUEUE_EFFECTS.items() if queue not in left_out}


def served_queues(*, seconds: float) -> dict[str, set[str]]:
    """The queues of each worker that answers within the time; takes all of it. Raises the broker's error."""
    from lexic.celery import app

    answers = app.control.inspect(timeout=seconds).active_queues() or {}
    return {worker: {queue["name"] for queue in queues} for worker, queues in answers.items()}


_UNSERVED_QUEUE_EFFECTS = {
    settings.READING_QUEUE: "documents are not read",
    settings.REVIEW_QUEUE: "contracts are not reviewed",
    settings.CELERY_TASK_DEFAULT_QUEUE: "golden questions and webhooks wait",
    settings.BACKUP_QUEUE: "no backups are made",
}


def data_folders() -> dict[str, Path]:
    """The folders on this machine that fill up: of the data, and of uploaded files where they are in no bucket."""
    return {"data": settings.VAR_DIR} | ({} if settings.S3["bucket"] else {"files": settings.LEXIC_FILES_DIR})


def existing_part(folder: Path) -> Path:
    """The folder, or of its parents the first that is there: it is made with the first file."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def count_unapplied_migrations() -> int:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _read_pinned_versions(lock: Path) -> Iterator[tuple[str, str]]:
    for line in lock.read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", line):
            yield match[1], match[2]


def _installed_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
