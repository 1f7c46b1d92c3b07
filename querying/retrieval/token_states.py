"""Token states of texts, remembered: popular passages are read again and again, and reading them is the slow part."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders.local import LocalEmbedder

# A window of 250 tokens is 192 kB in half precision, so this is at most some 75 MB a process.
MAX_CACHED_TEXTS = 400

States = tuple[NDArray[np.float32], Any]
_cached_states: OrderedDict[str, tuple[NDArray[np.float16], Any]] = OrderedDict()
_lock = threading.Lock()


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
