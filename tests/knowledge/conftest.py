from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings

from knowledge import tasks
from lexic.celery import app
from tests.knowledge.bases import CountingEmbedder, registered


@pytest.fixture
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of the queue, oldest first. What other tests have left in the queue itself is gone."""
    sent: list[str] = []
    with app.connection_for_write() as broker:
        broker.default_channel.client.delete(settings.READING_QUEUE)
    monkeypatch.setattr(
        tasks.ingest_document, "apply_async", lambda *, kwargs, **options: sent.append(kwargs["document_id"])
    )
    return sent
