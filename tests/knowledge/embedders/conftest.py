from __future__ import annotations

import pytest

from knowledge.embedders import LocalEmbedder
from tests.embedding import really_embed_batch, really_embed_chunks


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalEmbedder, "embed_batch", really_embed_batch)
    monkeypatch.setattr(LocalEmbedder, "embed_chunks", really_embed_chunks)
