"""Workers as processes of their own, on the test's database, which a test may kill."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
from django.conf import settings
from django.db import connection

from lexic.celery import app

PATIENCE = 180


@pytest.fixture
def log(tmp_path: Path) -> Iterator[IO[bytes]]:
    with (tmp_path / "worker.log").open("w+b") as file:
        yield file


@pytest.fixture(autouse=True)
def empty_queue() -> Iterator[None]:
    """No messages of earlier tests, or of a killed worker that nobody will ask for again."""
    forget_messages()
    yield
    forget_messages()


def forget_messages() -> None:
    with app.connection_for_write() as broker:
        broker.default_channel.client.flushdb()


@contextlib.contextmanager
def worker(log: IO[bytes], *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Of all queues, unless the options say otherwise."""
    command = [sys.executable, "-m", "celery", "-A", "lexic", "worker", "-c", "2", "-l", "INFO", *options]
    environment = {**os.environ, "LEXIC_TEST_DATABASE": str(connection.settings_dict["NAME"])}
    process = subprocess.Popen(
        [*command, "--without-gossip", "--without-mingle"],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """The worker and its children, at once and without a word."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(condition: Callable[[], bool], log: IO[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            log.seek(0)
            pytest.fail(f"waited too long; the worker said:\n{log.read().decode()[-4000:]}")
        time.sleep(0.02)
