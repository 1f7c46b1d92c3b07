"""A document that comes in over the API, read by a real worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from plugins.models import Plugin
from tests.api.callers import by_key
from tests.knowledge.test_worker import forget_messages, wait_for, worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[IO[bytes]]:
    with (tmp_path / "worker.log").open("w+b") as file:
        yield file


@pytest.fixture(autouse=True)
def empty_queue() -> Iterator[None]:
    forget_messages()
    yield
    forget_messages()


def test_an_agent_sends_a_file_watches_it_and_finds_it(plugin: Plugin, alice: User, log: IO[bytes]) -> None:
    agent = by_key(alice)
    file = SimpleUploadedFile("shoes.md", b"# Shoes\n\nSafety shoes are worn on every site. They have a steel cap.")
    sent = agent.post("/api/plugins/cover/documents", {"file": file}, format="multipart")
    assert sent.status_code == 201
    with worker(log):
        wait_for(lambda: agent.get(sent["Location"]).json()["status"] in ("ready", "failed"), log)
    assert agent.get(sent["Location"]).json()["isAnswering"]
    [found, *_] = agent.get("/api/plugins/cover/search", {"q": "Do safety shoes have a steel cap?"}).json()["results"]
    assert found["documentId"] == sent.json()["id"]
