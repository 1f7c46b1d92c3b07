"""Workers and web servers of two versions at once, as for some minutes of every upgrade: messages that are newer or
older than the worker who gets them."""

from __future__ import annotations

import inspect
from typing import IO

import pytest

from knowledge.models import Document
from lexic.celery import app
from tests.knowledge.bases import add_markdown, make_base
from tests.worker_processes import empty_queue, log, wait_for, worker

__all__ = ["empty_queue", "log"]


def tasks_of_ours() -> list[str]:
    app.loader.import_default_modules()
    return sorted(name for name in app.tasks if not name.startswith("celery."))


def test_every_task_takes_what_a_newer_version_may_add_to_its_message() -> None:
    strict = [
        name
        for name in tasks_of_ours()
        if not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(app.tasks[name].run).parameters.values())
    ]
    assert len(tasks_of_ours()) > 20
    assert strict == []


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_worker_lives_on_messages_of_other_versions_and_does_what_it_can(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    document = add_markdown(base, "Wear boots.")
    queue = {"queue": "reading"}
    app.send_task("knowledge.of_the_version_after", kwargs={"document_id": str(document.pk)}, **queue)
    app.send_task("knowledge.ingest_document", kwargs={"document": str(document.pk)}, **queue)  # of the version before
    app.send_task("knowledge.ingest_document", args=["no id"], **queue)
    app.send_task("knowledge.ingest_document", kwargs={"document_id": str(document.pk), "priority": 3}, **queue)
    with worker(log, "-Q", "reading") as process:
        wait_for(Document.objects.filter(status="ready").exists, log)
        other = add_markdown(base, "Wear gloves.", name="other.md", enqueue=True)
        wait_for(Document.objects.filter(pk=other.pk, status="ready").exists, log)
        assert process.poll() is None
