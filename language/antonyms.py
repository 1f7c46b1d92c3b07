"""Antonyms: words by which two sentences that look alike say different things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from language.month_names import MONTHS, WEEKDAYS
from language.number_words import ORDINALS

# One a line, in any of their forms: "accept" and "reject", so "accepted" and "rejects" too.
_OPPOSITE_PAIRS = Path(__file__).with_name("opposite_words.txt")
# Whoever says one of a row does not say another of it.
_EXCLUSIVE_CLASSES = [
    " ".join(MONTHS),
    " ".join(WEEKDAYS),
    f"{' '.join(ORDINALS)} last",
    "spring summer autumn winter",
    "red orange yellow green blue violet purple black white grey brown pink",
    "north south east west northern southern eastern western",
    "daily weekly fortnightly monthly quarterly yearly annually hourly",
    "annual monthly weekly daily quarterly",
    "once twice thrice",
    "hour day week fortnight month quarter year",
    "double triple quadruple",
    "steel timber wood aluminium copper plastic",
]


def _others_by_word(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    """Each word with the others of the groups that it is in."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for words in map(frozenset, groups):
        for word in words:
            found[word] |= words - {word}
    return {word: frozenset(others) for word, others in found.items()}


def _inflected(pairs: Iterable[list[str]]) -> Iterator[tuple[str, ...]]:
    """Each pair in its inflections: "increases" is the contrary of "reduces", "increased" of "reduced"."""
    for pair in pairs:
        for ending in ("s", "ed", "ing"):
            yield tuple(word.removesuffix("" if ending == "s" else "e") + ending for word in pair)


_PAIRS = [pair.split() for pair in _OPPOSITE_PAIRS.read_text(encoding="utf-8").splitlines()]
_WORD_OPPOSITES = _others_by_word([*_PAIRS, *_inflected(_PAIRS), *map(str.split, _EXCLUSIVE_CLASSES)])


def opposite_words(word: str) -> frozenset[str]:
    """Words, as they are written, that are the contrary of this one or exclude it (Monday, Friday)."""
    return _WORD_OPPOSITES.get(word, frozenset())
