"""Generic words ("require", "typically"): a sentence may use them even where its source does not."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from language.number_words import SMALL_NUMBERS
from language.terms import terms

_GENERIC_WORDS = Path(__file__).with_name("generic_words.txt")


@cache
def generic_stems() -> frozenset[str]:
    """The stems of the generic words, and of small numbers."""
    generic = _GENERIC_WORDS.read_text(encoding="utf-8")
    return frozenset(terms(f"{generic} {' '.join(SMALL_NUMBERS[1:11])}"))


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """The stems that say what a text is about."""
    # The parts of "in-network" say enough; the parts joined would only be missed where it is spelt in another way.
    text = text.replace("-", " ")
    generic = generic_stems()
    return frozenset(stem for stem in terms(text) if stem not in generic and not stem[0].isdigit())
