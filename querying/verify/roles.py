"""Who does what to whom: "A pays B" is not "B pays A", though they have every word in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from knowledge.terms import terms

_TOKEN = re.compile(r"[^\W\d_]{1,40}")
_BETWEEN_ACTIVE_WORDS = """
the a an its their his her our your shall must may will can should would could does do did to than that not
each any every all
"""
_BETWEEN_ACTIVE = frozenset(_BETWEEN_ACTIVE_WORDS.split())
_BE = frozenset(["is", "are", "was", "were", "be", "been", "being"])


def swaps_roles(claim: str, source: str) -> bool:
    """ "A pays B" where the source says "B pays A", and "steel is stronger than concrete" turned round."""
    mine, theirs = set(_triples(claim)), set(_triples(source))
    said, stated = Counter(terms(claim)), Counter(terms(source))
    return any(
        (c, verb, a) in theirs and all(said[word] == stated[word] == 1 for word in (a, verb, c))
        for a, verb, c in mine
    )


def _triples(text: str) -> Iterator[tuple[str, str, str]]:
    """(subject, verb, object) guessed from three content words in a row with only small words between them."""
    content: list[tuple[str, list[str]]] = []  # the stem, and the small words before it
    small: list[str] = []
    for word in _TOKEN.findall(text.lower()):
        if stems := terms(word):
            content.append((stems[-1], small))
            small = []
        else:
            small.append(word)
    for (a, _), (verb, first), (b, second) in zip(content, content[1:], content[2:], strict=False):
        is_passive = bool(_BE & set(first)) and second[:1] == ["by"]
        allowed = _BETWEEN_ACTIVE | _BE | {"by"}
        if a != b and set(first) <= allowed and set(second) <= allowed:
            yield (b, verb, a) if is_passive else (a, verb, b)
