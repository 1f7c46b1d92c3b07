"""Names of people in a text: a small network over the states that MiniLM gives its words.

Read are letters of the Latin script; a name in another script is not found. The weights are learnt by
`training/person_names.py` from made-up names in sentences; docs/security.md says how many it finds.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Span = tuple[int, int]

WEIGHTS = Path(__file__).with_name("person_names.npz")
# Log odds above which a word is taken for a part of a name, and above which it is when the word beside it is one.
THRESHOLD, THRESHOLD_BESIDE = 0.0, -2.5
_WORD = re.compile(r"[^\W\d_]+")
# What stands between the parts of one name: a space, a dot after an initial, a hyphen, an apostrophe.
_INNER_GAP = re.compile(r"\.? |[.'’-]")
# The model reads 256 tokens at once; a longer text is read in pieces of so many words.
_WORDS_AT_ONCE = 100


def find_person_names(text: str) -> list[Span]:
    """The spans (start, end) of people's names in the text, in order. A title before a name is not included.

    Raises `EmbedderRejected` where the files of the local model are not installed.
    """
    words = find_words(text)
    if not words:
        return []
    scores = score_words(word_features(text, words), _weights())
    return list(_join_parts(text, [words[index] for index in _parts_of_names(text, words, scores)]))


def find_words(text: str) -> list[Span]:
    """The runs of letters in the text."""
    return [found.span() for found in _WORD.finditer(text)]


def score_words(features: Matrix, weights: Mapping[str, Matrix]) -> Matrix:
    """Log odds, float32 [words], that each word is a part of a name."""
    hidden = np.maximum(features @ weights["inner"] + weights["inner_bias"], 0)
    scores: Matrix = hidden @ weights["outer"] + weights["outer_bias"]
    return scores


def word_features(text: str, words: Sequence[Span]) -> Matrix:
    """Float32 [words, 3 * 384 + shapes]: the mean state of each word's tokens, of the word before and of the one after,
    and how it is written."""
    pieces = [words[start : start + _WORDS_AT_ONCE] for start in range(0, len(words), _WORDS_AT_ONCE)]
    states = np.concatenate([_mean_states(text, piece) for piece in pieces])
    around = np.pad(states, ((1, 1), (0, 0)))
    return np.concatenate([around[:-2], states, around[2:], _shapes(text, words)], axis=1)


def _mean_states(text: str, words: Sequence[Span]) -> Matrix:
    """Float32 [words, 384], unit rows; zeros for a word that the model did not read."""
    first = words[0][0]
    ((states, offsets),) = local_embedder().token_states([text[first : words[-1][1]]])
    means, token = np.zeros((len(words), states.shape[1]), np.float32), 0
    for index, (start, end) in enumerate(words):
        while token < len(states) and first + offsets[token][1] <= start:
            token += 1
        after = token
        while after < len(states) and first + offsets[after][0] < end:
            after += 1
        if after > token:
            mean = states[token:after].mean(axis=0)
            means[index] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return means


def _shapes(text: str, words: Sequence[Span]) -> Matrix:
    """Float32 [words, 10]: how each word is written, and what stands before and after it."""
    has_capitals = text != text.lower()
    return np.array([_shape(text, start, end, has_capitals) for start, end in words], np.float32)


def _shape(text: str, start: int, end: int, has_capitals: bool) -> list[bool]:
    word, before, after = text[start:end], text[max(0, start - 2) : start], text[end : end + 2]
    is_first = (not before.strip() and start < 2) or before[:1] in (".", "?", "!", ":")
    is_capital = word[0].isupper()
    return [
        is_capital and not is_first,
        is_capital and is_first,
        word.isupper() and len(word) > 1,
        len(word) == 1,
        has_capitals,
        text.isupper(),
        before[-1:] in ("'", "’", "-"),
        after[:2] in ("'s", "’s"),
        after[:1] in (",", "."),
        True,
    ]


def _parts_of_names(text: str, words: Sequence[Span], scores: Matrix) -> list[int]:
    """The indices of the words that are parts of names: sure ones, and those that follow on from one."""
    is_part = [bool(score > THRESHOLD) for score in scores]
    forwards = range(1, len(words))
    for order, step in ((forwards, -1), (range(len(words) - 2, -1, -1), 1)):
        for index in order:
            first, second = sorted((words[index], words[index + step]))
            if is_part[index + step] and scores[index] > THRESHOLD_BESIDE:
                is_part[index] |= _INNER_GAP.fullmatch(text, first[1], second[0]) is not None
    return [index for index, is_one in enumerate(is_part) if is_one]


def _join_parts(text: str, parts: Sequence[Span]) -> Iterator[Span]:
    """One span for parts that follow each other, such as a first name and a surname."""
    if not parts:
        return
    start = parts[0][0]
    for (_, end), (following, _) in pairwise(parts):
        if not _INNER_GAP.fullmatch(text, end, following):
            yield start, end
            start = following
    yield start, parts[-1][1]


@cache
def _weights() -> dict[str, Matrix]:
    with np.load(WEIGHTS) as saved:
        return {name: saved[name].astype(np.float32) for name in saved.files}
