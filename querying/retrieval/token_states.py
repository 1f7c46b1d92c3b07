"""Token states of what is weighed: kept with a passage since it was embedded, or read by the model now.

Those that the model reads are remembered: popular passages are read again and again, and reading is the slow part.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders.local import LocalEmbedder
from knowledge.embedders.packed_states import PackedStates, ProjectedStates, joined

# A window of 250 tokens is 192 kB in half precision, so this is at most some 75 MB a process.
MAX_CACHED_TEXTS = 400

States = tuple[NDArray[np.float32], Any]
# Where tokens stand in a text: [tokens, 2] of (start, end).
Places = NDArray[np.intp]
_cached_states: OrderedDict[str, tuple[NDArray[np.float16], Any]] = OrderedDict()
_lock = threading.Lock()


class Words(Protocol):
    """Words of a question: unit rows [rows, 384], and the same as they are compared with packed states."""

    @property
    def states(self) -> NDArray[np.float32]: ...

    @property
    def projected(self) -> ProjectedStates: ...


class WindowStates(Protocol):
    """The states of the tokens of a window, and where each of them stands in its text."""

    @property
    def places(self) -> Places: ...

    def cosines(self, words: Words) -> NDArray[np.float32]:
        """[rows of the words, tokens]."""
        ...


@dataclass(frozen=True, kw_only=True)
class ReadStates:
    """Those that the model has read: unit rows [tokens, 384]."""

    rows: NDArray[np.float32]
    places: Places

    def cosines(self, words: Words) -> NDArray[np.float32]:
        return np.asarray(words.states @ self.rows.T)


@dataclass(frozen=True, kw_only=True)
class KeptStates:
    """Those that were kept with the passage."""

    packed: PackedStates
    places: Places

    def cosines(self, words: Words) -> NDArray[np.float32]:
        return self.packed.cosines(words.projected)


def read_states(embedder: LocalEmbedder, texts: Sequence[str]) -> list[ReadStates]:
    """For each text those that the model reads in it."""
    return [
        ReadStates(rows=rows, places=np.asarray(places, dtype=np.intp).reshape(-1, 2))
        for rows, places in token_states(embedder, texts)
    ]


def kept_states(packed: PackedStates, parts: Sequence[tuple[tuple[int, int], int]]) -> KeptStates:
    """Those of a window. `parts` are the spans of the passage that it consists of, in order, each with what is added to
    an offset in the passage to get the one in the window's text."""
    found = [(packed.within(span), shift) for span, shift in parts]
    return KeptStates(
        packed=joined([part for part, _ in found]),
        places=np.concatenate([part.places + shift for part, shift in found]),
    )


def token_states(embedder: LocalEmbedder, texts: Sequence[str]) -> list[States]:
    """As `embedder.token_states`, with unit rows. Texts not seen lately go through the model in one batch."""
    with _lock:
        found = {text: _cached_states[text] for text in texts if text in _cached_states}
    missing = [text for text in dict.fromkeys(texts) if text not in found]
    for text, (states, offsets) in zip(missing, embedder.token_states(missing) if missing else [], strict=True):
        unit_rows = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
        found[text] = (unit_rows.astype(np.float16), offsets)
    _cache_states({text: found[text] for text in texts})
    return [(found[text][0].astype(np.float32), found[text][1]) for text in texts]


def _cache_states(states: dict[str, tuple[NDArray[np.float16], Any]]) -> None:
    with _lock:
        for text, value in states.items():
            _cached_states[text] = value
            _cached_states.move_to_end(text)
        while len(_cached_states) > MAX_CACHED_TEXTS:
            _cached_states.popitem(last=False)
