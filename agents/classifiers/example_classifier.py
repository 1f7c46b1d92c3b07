"""Classifies sentences by a page of examples: ridge regression on MiniLM, one class against the rest.

It learns from nothing else: to improve it, add a line to the JSON file, which has a list of sentences for each class.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# How much the weights are held down. Of 0.1, 0.3, 1 and 3 this one erred least on examples that were left out.
_RIDGE = 0.3
_MAX_CHARACTERS = 600


class ExampleClassifier:
    """`weights` float64 [385, classes]: for each class those of the embedding, and its bias."""

    def __init__(self, examples: Mapping[str, Sequence[str]]) -> None:
        self.classes = list(examples)
        texts = [text for name in self.classes for text in examples[name]]
        labels = np.array([number for number, name in enumerate(self.classes) for _ in examples[name]])
        targets = np.where(labels[:, None] == np.arange(len(self.classes)), 1.0, -1.0)
        counts = np.bincount(labels)
        share = 1.0 / counts[labels]  # a class with more examples weighs no more
        share = share / share.mean()
        seen = _features(texts)
        inner = seen.T @ (share[:, None] * seen) + _RIDGE * np.eye(seen.shape[1])
        self.weights: Matrix = np.linalg.solve(inner, seen.T @ (share[:, None] * targets))

    def scores(self, texts: Sequence[str]) -> Matrix:
        """float64 [texts, classes], -1 to 1 and somewhat beyond: how much each text is of each class."""
        return _features(texts) @ self.weights

    def classify(self, text: str) -> str:
        """The class that the text is most of."""
        return self.likeliest(text)[0]

    def likeliest(self, text: str) -> tuple[str, float]:
        """The class that the text is most of, and its score."""
        scores = self.scores([text])[0]
        best = int(scores.argmax())
        return self.classes[best], float(scores[best])


@cache
def example_classifier(name: str) -> ExampleClassifier:
    """The one that is learnt from `NAME.json` beside this module, once a process. It takes about a second."""
    return ExampleClassifier(json.loads(Path(__file__).with_name(f"{name}.json").read_text()))


def _features(texts: Sequence[str]) -> Matrix:
    vectors = local_embedder().embed([text[:_MAX_CHARACTERS] for text in texts])
    return np.hstack([np.asarray(vectors, np.float64), np.ones((len(texts), 1))])
