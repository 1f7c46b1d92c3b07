from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.models import KnowledgeBase
from tests.knowledge.bases import CountingEmbedder, make_base, registered


@pytest.fixture
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def base(db: None, embedder: CountingEmbedder) -> KnowledgeBase:
    return make_base()
