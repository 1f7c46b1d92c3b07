from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge import tasks
from tests.knowledge.bases import CountingEmbedder, registered


@pytest.fixture
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of the queue, oldest first."""
    sent: list[str] = []
    monkeypatch.setattr(
        tasks.ingest_document, "apply_async", lambda *, kwargs, **options: sent.append(kwargs["document_id"])
    )
    return sent
