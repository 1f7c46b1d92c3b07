"""Tasks are found by their names, also by two threads that ask for the first one at the same time."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from lexic import celery
from lexic.publish_task import publish_task
from tests.lexic.running import ROOT


def test_who_asks_while_the_tasks_are_being_imported_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "knowledge.ingest_document"
    celery.app.loader.import_default_modules()
    task = celery.app.tasks[name]
    monkeypatch.delitem(celery.app.tasks, name)
    has_begun, may_end = Event(), Event()
    sent: list[dict[str, Any]] = []

    def import_once() -> None:
        """As Celery does it: the second caller returns at once, though the first is not done."""
        if has_begun.is_set():
            return
        has_begun.set()
        may_end.wait(timeout=120)
        celery.app.tasks[name] = task

    monkeypatch.setattr(celery.app.loader, "import_default_modules", import_once)
    monkeypatch.setattr(type(task), "apply_async", lambda self, kwargs, **options: sent.append(kwargs))
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(publish_task, name, document_id="one")
        assert has_begun.wait(timeout=120)
        second = threads.submit(publish_task, name, document_id="two")
        with pytest.raises(TimeoutError):
            second.result(timeout=0.3)
        may_end.set()
        assert first.result(timeout=120)
        assert second.result(timeout=120)
    assert sorted(one["document_id"] for one in sent) == ["one", "two"]


def test_loading_the_tasks_imports_no_page() -> None:
    """Each worker loads them when it starts, and a web process when it asks for the first."""
    program = "import sys; from lexic.celery import app; app.loader.import_default_modules(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "knowledge.tasks" in loaded
    assert "lexic.urls" not in loaded
