"""A document that comes in over the API, read by a real worker."""

from __future__ import annotations

from typing import IO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from plugins.models import Plugin
from tests.api.callers import by_key
from tests.worker_processes import empty_queue, log, wait_for, worker

__all__ = ["empty_queue", "log"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_lx_027_028_an_agent_sends_a_file_watches_it_and_finds_it(plugin: Plugin, alice: User, log: IO[bytes]) -> None:
    agent = by_key(alice)
    file = SimpleUploadedFile("shoes.md", b"# Shoes\n\nSafety shoes are worn on every site. They have a steel cap.")
    sent = agent.post("/api/plugins/cover/documents", {"file": file}, format="multipart")
    assert sent.status_code == 201
    with worker(log):
        wait_for(lambda: agent.get(sent["Location"]).json()["status"] in ("ready", "failed"), log)
    assert agent.get(sent["Location"]).json()["isAnswering"]
    [found, *_] = agent.get("/api/plugins/cover/search", {"q": "Do safety shoes have a steel cap?"}).json()["results"]
    assert found["documentId"] == sent.json()["id"]
