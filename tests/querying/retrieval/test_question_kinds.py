from __future__ import annotations

import pytest

from knowledge.embedders import LocalEmbedder
from querying.retrieval import question_kinds


def test_a_heading_that_the_question_does_not_ask_for_is_put_in_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = LocalEmbedder.embed_batch
    monkeypatch.setattr(LocalEmbedder, "embed_batch", lambda self, texts: read.extend(texts) or real(self, texts))
    far, near = "How do I renew a passport?", "How do I repair a bicycle tyre?"
    assert question_kinds.nearness_to_steps(far, "Repairing a bicycle tyre at home") == 0
    assert read
    assert not any(text.startswith("Who: ") for text in read)
    assert question_kinds.nearness_to_steps(near, "Repairing a bicycle tyre at home") > 0.58
    assert any(text.startswith("Who: ") for text in read)
    assert len(set(read)) == len(read)
