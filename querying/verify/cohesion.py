"""Do the words of a claim stand together in its source as they do in the claim?

A span may have several sentences, and a claim could borrow a word from one of them and change what another says.
Each content word must share a sentence with one of the words that it stands beside in the claim.
"""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.terms import terms
from querying.verify.generic import content
from querying.verify.quantities import figures, without_list_mark
from querying.verify.synonyms import synonyms_of

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_GOES_ON = re.compile(
    r"^(?:This|These|Such|Those|Both|The\s+same)\b|\b(?:it|its|they|them|their|he|she|his|her)\b", re.I
)


def is_scattered(claim: str, span: str) -> bool:
    """Whether some word of the claim stands in the span only apart from both its neighbours in the claim."""
    said = _places(span)
    row = [places for word in _row(figures(without_list_mark(claim)).words) if (places := _found(word, said))]
    return len(row) > 2 and not frozenset.intersection(*row)


def _row(text: str) -> list[str]:
    text = text.replace("-", " ")
    kept = content(text)
    return [stem for stem in terms(text) if stem in kept]


def goes_on(span: str) -> bool:
    """Whether every sentence after the first goes on about the same: "It …", "They …"."""
    return all(_GOES_ON.search(sentence) for sentence in _SENTENCE.split(span)[1:])


@lru_cache(maxsize=4096)
def _places(span: str) -> dict[str, frozenset[int]]:
    """The sentences that each stem stands in, by number; one that goes on about the same has the number of the one
    before it."""
    places: dict[str, frozenset[int]] = {}
    at = 0
    for sentence in _SENTENCE.split(figures(span).words):
        at += 0 if _GOES_ON.search(sentence) else 1
        for stem in _row(sentence):
            places[stem] = places.get(stem, frozenset()) | {at}
    return places


def _found(word: str, said: dict[str, frozenset[int]]) -> frozenset[int]:
    """The places of the word, and of what may stand for it; empty where only a heading or nothing has it."""
    return said.get(word, frozenset()).union(*(said.get(other, frozenset()) for other in synonyms_of(word)))
