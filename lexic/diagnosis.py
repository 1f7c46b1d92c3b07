"""What `manage.py doctor` and /readyz look at. Every app may add its own in a module named `diagnosis`.

A check is a function without arguments: it returns a word on what it found, or raises `Problem` or `NotChecked`.
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

from lexic import locks, running_server
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

Check = Callable[[], str]
_checks: dict[str, Check] = {}

LEAST_DISK = 1024**3
# Iterative index scans, which filtered search relies on, came with 0.8.
LEAST_PGVECTOR = (0, 8)


class Problem(LexicError):
    """Something is wrong."""

    code = "problem"


class NotChecked(Exception):
    """There is nothing to check here, and that is fine. The message says why."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    name: str
    status: str  # ok | problem | skipped
    detail: str
    hint: str = ""


def diagnoses(name: str) -> Callable[[Check], Check]:
    """Registers a check under this name."""

    def register(check: Check) -> Check:
        _checks[name] = check
        return check

    return register


def findings() -> Iterator[Finding]:
    """Every check of every app, one at a time, in the order in which they were registered."""
    autodiscover_modules("diagnosis")
    for name in list(_checks):
        yield finding(name)


def finding(name: str) -> Finding:
    try:
        return Finding(name=name, status="ok", detail=_checks[name]())
    except NotChecked as reason:
        return Finding(name=name, status="skipped", detail=str(reason))
    except LexicError as error:
        return Finding(name=name, status="problem", detail=error.message, hint=error.hint)
    except Exception as error:  # a diagnosis must survive whatever it finds
        logger.debug("the check %s failed", name, exc_info=True)
        return Finding(name=name, status="problem", detail=f"{type(error).__name__}: {error}".strip()[:500])


@diagnoses("python")
def python() -> str:
    if sys.version_info[:2] != (3, 11):
        raise Problem(f"Python {sys.version.split()[0]} runs; 3.11 is needed.", hint="make run PYTHON=python3.11")
    return sys.version.split()[0]


@diagnoses("packages")
def packages() -> str:
    """Whether what is installed is what the lock file names."""
    pinned = dict(_pinned(settings.BASE_DIR / "requirements.lock"))
    wrong = [f"{name} {version}" for name, version in pinned.items() if _installed(name) != version]
    if wrong:
        raise Problem(
            f"{len(wrong)} packages are missing or of another version: {', '.join(wrong[:5])}.",
            hint="pip install --require-hashes --no-deps -r requirements.lock",
        )
    return f"{len(pinned)} as locked"


@diagnoses("disk")
def disk() -> str:
    free = shutil.disk_usage(settings.VAR_DIR).free
    if free < LEAST_DISK:
        raise Problem(f"Only {free // 1024**2} MB are free for {settings.VAR_DIR}.", hint="Free some space there.")
    return f"{free / 1024**3:.1f} GB free for {settings.VAR_DIR}"


@diagnoses("database")
def database() -> str:
    where = "elsewhere (DATABASE_URL)" if settings.DATABASE_URL else "built in"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {cursor.fetchone()[0]}, {where}"


@diagnoses("pgvector")
def pgvector() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = cursor.fetchone()
    if row is None:
        raise Problem(
            "The extension pgvector is not installed in this database.",
            hint="Run `manage.py migrate`, or have a superuser run CREATE EXTENSION vector.",
        )
    if tuple(int(part) for part in row[0].split(".")[:2]) < LEAST_PGVECTOR:
        raise Problem(f"pgvector is {row[0]}; 0.8 or later is needed.", hint="ALTER EXTENSION vector UPDATE")
    return str(row[0])


@diagnoses("migrations")
def migrations() -> str:
    if missing := unapplied_migrations():
        raise Problem(f"{missing} migrations have not been applied.", hint="Run `manage.py migrate`.")
    return "all applied"


@diagnoses("redis")
def redis() -> str:
    """Asks once and does not wait long: this is called while Redis may be away."""
    import redis as client
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    with client.Redis.from_url(settings.CACHE_URL, socket_timeout=2, retry=Retry(NoBackoff(), 0)) as server:
        version = server.info("server")["redis_version"]
    return f"Redis {version}, {'elsewhere (REDIS_URL)' if settings.REDIS_URL else 'built in'}"


@diagnoses("worker")
def worker() -> str:
    from lexic.celery import app

    is_ours = not settings.REDIS_URL
    if is_ours and not locks.is_held(settings.VAR_DIR, running_server.SUPERVISOR_LOCK):
        raise NotChecked("Lexic is not up; `make run` starts a worker")
    answers = app.control.inspect(timeout=2).active_queues() or {}
    served = {queue["name"] for queues in answers.values() for queue in queues}
    if unserved := [what for queue, what in _QUEUES.items() if queue not in served]:
        raise Problem(
            f"No worker answers, so {' and '.join(unserved)}.",
            hint="Look at what it says under `make run`, or start one: celery -A lexic worker -B",
        )
    return f"{len(answers)} answered"


_QUEUES = {
    settings.READING_QUEUE: "documents are not read",
    settings.CELERY_TASK_DEFAULT_QUEUE: "golden questions and webhooks wait",
}


def unapplied_migrations() -> int:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _pinned(lock: Path) -> Iterator[tuple[str, str]]:
    for line in lock.read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", line):
            yield match[1], match[2]


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
