"""A throw-away PostgreSQL and Redis for the whole test run, started before Django reads its settings.

A pytest plugin (`-p tests.embedded_services`), not a conftest: conftest comes too late. Only the controller of
an xdist run starts them; its workers find the folder in the environment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import django.utils.asyncio as django_asyncio

from local import embedded_services, locks
from tests import prepared

_started: list[tuple[embedded_services.Service, subprocess.Popen[bytes]]] = []
_root: Path | None = None

for variable in ("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENAI_BASE_URL"):
    os.environ[variable] = ""  # set, so that a developer's .env cannot fill it in
os.environ["LEXIC_LLM"] = "extractive"
os.environ["LEXIC_EMBEDDER"] = "local"
# Sync Playwright keeps an event loop in the main thread, which Django would take for async code. This is for the tests'
# own process: in the environment the servers that they start would have it too, and hide what fails on the event loop.
django_asyncio.os = SimpleNamespace(environ={"DJANGO_ALLOW_ASYNC_UNSAFE": "1"})  # type: ignore[attr-defined]
# Dozens of processes import the same modules. Compiling them anew takes each of them longer than most tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def _sweep() -> None:
    """Remove what test runs that were killed left in /tmp. A folder whose server runs is in use."""
    for folder in Path("/tmp").glob("lxt-*"):
        with contextlib.suppress(OSError):  # another run may sweep too
            found = folder.lstat()
            is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            is_old = found.st_mtime < time.time() - 3600
            if is_ours and is_old and not locks.is_locked(folder, "postgres"):
                shutil.rmtree(folder, ignore_errors=True)


if "PYTEST_XDIST_WORKER" not in os.environ:
    _sweep()
    # Short, because socket paths are; readable for others, because PostgreSQL does not run as root.
    _root = Path(tempfile.mkdtemp(prefix="lxt-", dir="/tmp"))
    _root.chmod(0o755)
    os.environ["LEXIC_VAR_DIR"] = str(_root)
    _started += prepared.start(_root)

# Each worker has a database of its own, so what it prunes must not be the files of another one's.
os.environ["LEXIC_FILES_DIR"] = f"{os.environ['LEXIC_VAR_DIR']}/files-{os.environ.get('PYTEST_XDIST_WORKER', 'gw0')}"
# Set before anything imports the library that counts; each worker counts for itself.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.environ["LEXIC_FILES_DIR"].replace("/files-", "/metrics-")
Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(parents=True, exist_ok=True)


def pytest_configure() -> None:
    """A part of Redis for each worker: a test that empties the cache must not take the counters of another one's."""
    from django.conf import settings

    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    part = 2 + int(worker.removeprefix("gw")) % 14
    settings.CACHE_URL = settings.CACHE_URL.replace("?db=1", f"?db={part}")
    settings.CACHES["default"]["LOCATION"] = settings.CACHE_URL


def pytest_unconfigure() -> None:
    for service, process in reversed(_started):
        embedded_services.stop_service(service, process)
    if _root:
        shutil.rmtree(_root, ignore_errors=True)
