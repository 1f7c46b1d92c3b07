"""A real worker, killed in the middle of its work."""

from __future__ import annotations

import contextlib
import io
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

from knowledge.documents.lifecycle import add_file
from knowledge.models import Chunk, Document, KnowledgeBase
from lexic.celery import app
from tests.knowledge.bases import alive, check_sound, make_base, pdf, prose

pytestmark = pytest.mark.django_db(transaction=True)

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
def worker(log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "celery", "-A", "lexic", "worker", "-c", "2", "-l", "INFO"]
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


def upload_manuals(base: KnowledgeBase) -> list[Document]:
    documents = []
    for number in range(6):
        pages = [
            "\n".join(prose(f"pump {number}.{page}", paragraphs=2).replace(". ", ".\n").splitlines())
            for page in range(12)
        ]
        stream = io.BytesIO(pdf(pages))
        added = add_file(knowledge_base=base, file_name=f"manual-{number}.pdf", stream=stream)
        documents.append(added.document)
    return documents


def statuses() -> list[str]:
    return list(Document.objects.values_list("status", flat=True))


def test_a_killed_worker_loses_nothing_and_doubles_nothing(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    documents = upload_manuals(base)
    with worker(log) as first:
        # Something is staged, nothing is finished: the middle of the work.
        wait_for(lambda: Chunk.objects.staged().exists(), log)
        kill(first)
    assert "queued" in statuses() or "embedding" in statuses()
    with worker(log):
        wait_for(lambda: set(statuses()) == {"ready"}, log)
        base.refresh_from_db()
        assert base.revision == len(documents)
        contents = alive(base)
        assert len(contents) == len(set(contents)) == Chunk.objects.count()
        check_sound(base)
    for document in Document.objects.all():
        assert (document.page_count, document.error) == (12, "")


def test_an_upload_is_read_by_a_running_worker(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    with worker(log):
        added = add_file(knowledge_base=base, file_name="a.md", stream=io.BytesIO(b"# A\n\nWear boots."))
        wait_for(lambda: statuses() == ["ready"], log)
    assert added.is_new
    check_sound(base)
