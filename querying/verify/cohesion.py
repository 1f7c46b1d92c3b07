"""Do the words of a claim stand together in its source as they do in the claim?

A long span has many words, and a claim could borrow one of them from far away and change what is said. Each
content word must have in the span, near by, one of the words that it stands beside in the claim.
"""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.terms import terms
from querying.verify.generic import content
from querying.verify.quantities import figures, without_list_mark
from querying.verify.synonyms import synonyms_of

# So many content words apart count as near by.
_NEAR = 5

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_GOES_ON = re.compile(
    r"^(?:This|These|Such|Those|Both|The\s+same)\b|\b(?:it|its|they|them|their|he|she|his|her)\b", re.I
)


def is_scattered(claim: str, span: str) -> bool:
    """Whether some word of the claim stands in the span only far from both its neighbours in the claim."""
    said = _places(span)
    row = [places for word in _row(claim) if (places := _found(word, said))]
    return len(row) > 2 and any(not _is_near(places, row, at) for at, places in enumerate(row))


def _is_near(places: frozenset[int], row: list[frozenset[int]], at: int) -> bool:
    beside = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    return any(abs(place - other) <= _NEAR for others in beside for other in others for place in places)


def _row(claim: str) -> list[str]:
    return _content_row(figures(without_list_mark(claim)).words)


def _content_row(text: str) -> list[str]:
    text = text.replace("-", " ")
    kept = content(text)
    return [stem for stem in terms(text) if stem in kept]


def goes_on(span: str) -> bool:
    """Whether every sentence after the first goes on about the same: "It …", "They …"."""
    return all(_GOES_ON.search(sentence) for sentence in _SENTENCE.split(span)[1:])


@lru_cache(maxsize=4096)
def _places(span: str) -> dict[str, frozenset[int]]:
    """Where each stem stands, counted in content words. What one sentence says is not near what the next one says,
    unless that goes on about the same."""
    places: dict[str, set[int]] = {}
    at = 0
    for sentence in _SENTENCE.split(figures(span).words):
        at += 0 if _GOES_ON.search(sentence) else _NEAR
        for stem in _content_row(sentence):
            places.setdefault(stem, set()).add(at)
            at += 1
    return {stem: frozenset(found) for stem, found in places.items()}


def _found(word: str, said: dict[str, frozenset[int]]) -> frozenset[int]:
    """The places of the word, and of what may stand for it; empty where only a heading or nothing has it."""
    found = said.get(word, frozenset())
    for other in synonyms_of(word):
        found |= said.get(other, frozenset())
    return found
