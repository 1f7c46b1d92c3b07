"""Turns of a conversation that ask nothing, such as "Hello" and "Thanks, that's exactly what I needed".

Those that consist of known phrases are told by these, in each language that has some. Others in English are told by a
linear classifier over MiniLM, which `benchmarks/courtesies.py` learns from the phrases and from questions.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder
from language.courtesies import ENGLISH, Courtesy, find_courtesy
from language.negation import has_negation

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("greeting", "thanks", "farewell", "agreement")
# Measured on the questions of the repository, none of which lies above (docs/evaluation.md, "Courtesies").
_MIN_SCORE = 0.4
# One or two words are what people type into a search box ("happy hour"): of these the known phrases alone count.
_MIN_WORDS, _MAX_WORDS, _MAX_CHARACTERS = 3, 10, 120
_ASKS = re.compile(r"[?\d\n]")


def courtesy_of(text: str) -> Courtesy | None:
    """The courtesy that the text is, and nothing else; None for anything that may ask for something."""
    return find_courtesy(text) or (_classified(text) if _may_be_in_other_words(text) else None)


def may_be_courtesy(text: str) -> bool:
    """Whether the text has to be read to know; nothing is loaded to tell that a question is one."""
    return find_courtesy(text) is not None or _may_be_in_other_words(text)


def _may_be_in_other_words(text: str) -> bool:
    is_short = len(text) <= _MAX_CHARACTERS and _MIN_WORDS <= len(text.split()) <= _MAX_WORDS
    # "That did not help" is a complaint.
    return is_short and text.isascii() and not _ASKS.search(text) and not has_negation(text)


def _classified(text: str) -> Courtesy | None:
    """By the weights: the first column says whether it is a courtesy, the others which one."""
    scores = features(local_embedder().embed_one(text)) @ _weights()
    if scores[0] < _MIN_SCORE:
        return None
    return Courtesy(kind=KINDS[int(np.argmax(scores[1:]))], language=ENGLISH)


def features(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The embedding and a constant, of one text or of a row for each."""
    return np.concatenate([vectors, np.ones((*vectors.shape[:-1], 1), np.float32)], axis=-1)


@cache
def _weights() -> NDArray[np.float32]:
    with np.load(Path(__file__).with_name("courtesies.npz")) as file:
        return file["weights"].astype(np.float32)
