"""Recognises the kind of a contract by its title: a non-disclosure agreement, or another one."""

from __future__ import annotations

from itertools import pairwise

from language.terms import terms

_NAMES = [
    tuple(terms(words))
    for words in ("disclosure agreement", "nondisclosure agreement", "confidentiality agreement", "secrecy agreement")
]
_SHORT_NAME = "nda"
# It names itself in its title, in its first lines, or in its first sentence; further down it may name other contracts.
_HEADING_LINES, _HEADING_CHARACTERS, _OPENING_CHARACTERS = 2, 200, 400


def is_nda(title: str, text: str) -> bool:
    """Whether the title, or the beginning of the text, calls it a non-disclosure agreement. A clause on confidentiality
    does not make it one."""
    lines = [line for line in text[:_OPENING_CHARACTERS].splitlines() if line.strip()][:_HEADING_LINES]
    for heading in (title, " ".join(lines)[:_HEADING_CHARACTERS]):
        named = set(terms(heading))
        if _SHORT_NAME in named or any(named.issuperset(name) for name in _NAMES):
            return True
    return any(pair in _NAMES for pair in pairwise(terms(text[:_OPENING_CHARACTERS])))
