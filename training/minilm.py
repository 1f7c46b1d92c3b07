"""The published files of all-MiniLM-L6-v2, as the training reads them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load_file

from knowledge.embedders.local import model_folder
from knowledge.embedders.wordpiece import WordPiece

if TYPE_CHECKING:
    from numpy.typing import NDArray


@cache
def tokenizer() -> WordPiece:
    return WordPiece(model_folder() / "tokenizer.json")


@cache
def vocabulary() -> dict[str, int]:
    """The number of each token."""
    tokens = (model_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return {token: number for number, token in enumerate(tokens)}


@cache
def weights() -> dict[str, NDArray[np.float32]]:
    return load_file(model_folder() / "model.safetensors")


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """float32 [words, 384]: unit rows of the embedding table. Raises KeyError for what is no token."""
    known = vocabulary()
    rows = weights()["embeddings.word_embeddings.weight"][[known[word] for word in words]]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
