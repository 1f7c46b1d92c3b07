from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from knowledge.embedders import (
    EMBEDDERS,
    Embedder,
    EmbedderRejected,
    EmbedderUnavailable,
    LocalEmbedder,
    UnknownEmbedder,
    clear_embedders,
    get_embedder,
)


class Lengths(Embedder):
    """The length of a text and its number of spaces, which is all that the tests need to know of it."""

    batch_size = 3

    def __init__(self, name: str = "lengths") -> None:
        super().__init__(name=name, dimensions=2)
        self.batches_seen: list[list[str]] = []

    def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.batches_seen.append(list(texts))
        return [[len(text), text.count(" ") + 1] for text in texts]


class Broken(Lengths):
    def __init__(self, vectors: Sequence[Sequence[float]]) -> None:
        super().__init__()
        self.vectors = vectors

    def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.vectors


def test_texts_go_in_batches_and_come_back_in_order():
    embedder = Lengths()
    vectors = embedder.embed(["a", "bb", "ccc", "dddd", "e e"])
    assert embedder.batches_seen == [["a", "bb", "ccc"], ["dddd", "e e"]]
    np.testing.assert_allclose(vectors[3], np.array([4, 1]) / np.sqrt(17), rtol=1e-6)


def test_rows_have_length_one_and_are_float32():
    vectors = Lengths().embed(["a", "bb"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_no_texts_make_an_empty_matrix_and_no_call():
    embedder = Lengths()
    assert embedder.embed([]).shape == (0, 2)
    assert embedder.batches_seen == []


def test_the_same_question_is_embedded_once_however_it_is_spaced():
    embedder = Lengths()
    one, other = embedder.embed_one("how  long?"), embedder.embed_one(" how\nlong? ")
    assert embedder.batches_seen == [["how long?"]]
    assert one is other


def test_a_remembered_vector_cannot_be_changed_by_a_caller():
    with pytest.raises(ValueError, match="read-only"):
        Lengths().embed_one("how long?")[0] = 5


def test_very_long_texts_are_not_remembered():
    embedder = Lengths()
    embedder.embed_one("x" * 5000)
    embedder.embed_one("x" * 5000)
    assert len(embedder.batches_seen) == 2


def test_a_failure_is_not_remembered():
    class Flaky(Lengths):
        def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            if not self.batches_seen:
                self.batches_seen.append([])
                raise EmbedderUnavailable
            return super().embed_batch(texts)

    embedder = Flaky()
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_one("how long?")
    assert embedder.embed_one("how long?").shape == (2,)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0, 3.0]], "of 2 dimensions, and returned 3"),
        ([[1.0]], "of 2 dimensions, and returned 1"),
        ([], "0 vectors for 1 texts"),
        ([[1.0, 2.0], [1.0, 2.0]], "2 vectors for 1 texts"),
        ([[float("nan"), 1.0]], "not finite"),
        ([[float("inf"), 1.0]], "not finite"),
        ([[0.0, 0.0]], "all zeros"),
    ],
)
def test_what_is_no_embedding_is_rejected_at_once(vectors, message):
    with pytest.raises(EmbedderRejected, match=message) as caught:
        Broken(vectors).embed(["text"])
    assert caught.value.retryable is False
    assert caught.value.status == 502


def test_huge_numbers_are_brought_to_length_one():
    np.testing.assert_allclose(Broken([[3e30, 4e30]]).embed(["text"])[0], [0.6, 0.8], rtol=1e-6)


def test_a_lone_surrogate_reaches_no_embedder():
    embedder = Lengths()
    embedder.embed(["bad \ud800 text"])
    assert embedder.batches_seen == [["bad ? text"]]


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(UnknownEmbedder, match="there are: local, openai") as caught:
        get_embedder("word2vec:big")
    assert caught.value.status == 400
    assert caught.value.code == "unknown_embedder"


def test_a_name_stands_for_one_instance_until_forgotten():
    embedder = get_embedder("openai")
    assert get_embedder("openai") is embedder
    clear_embedders()
    assert get_embedder("openai") is not embedder


def test_a_new_embedder_needs_a_prefix_and_one_method(monkeypatch):
    monkeypatch.setitem(EMBEDDERS, "lengths", Lengths)
    assert get_embedder("lengths:short").name == "lengths:short"
    clear_embedders()


def test_embedders_say_what_they_can():
    local = LocalEmbedder()
    assert (local.name, local.dimensions, local.is_offline) == ("local", 384, True)
    assert not Lengths().is_offline
