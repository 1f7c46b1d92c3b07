"""The stem of a word: "beams" and "beam" have the same one."""

from __future__ import annotations

import threading
from functools import lru_cache

from snowballstemmer import stemmer

_MAX_WORD_LENGTH = 64
_english = stemmer("english")
_lock = threading.Lock()  # the stemmer keeps the word it works on in itself


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English stem of a word in small letters; words in other alphabets and very long ones stay as they are."""
    # Letters up to U+024F are Latin.
    if len(word) > _MAX_WORD_LENGTH or max(word, default="") > "\u024f":
        return word
    with _lock:
        return str(_english.stemWord(word))
