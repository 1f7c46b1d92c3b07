"""Finds the words that a text shares with a question, as lexical search compares them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from language.terms import terms

# What may be a word, or several joined ones; `terms` decides what it counts as.
_WORD_CANDIDATE = re.compile(r"[^\s|()\[\]{}<>\"“”„;!?]+")

TextSpan = tuple[int, int]


def terms_by_word(text: str) -> dict[str, set[str]]:
    """Every word of the text as it is written, without the marks around it, and the terms it counts as."""
    found: dict[str, set[str]] = {}
    for start, end in _word_spans(text):
        if counted := set(terms(text[start:end])):
            found.setdefault(text[start:end], counted)
    return found


def matching_spans(text: str, wanted: Collection[str]) -> list[TextSpan]:
    """`(start, end)` of every word that counts as one of the wanted terms, in order."""
    asked = set(wanted)
    return [(start, end) for start, end in _word_spans(text) if not asked.isdisjoint(terms(text[start:end]))]


def split_at_matches(text: str, wanted: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a word that counts as one of the wanted terms."""
    at = 0
    for start, end in matching_spans(text, wanted):
        if at < start:
            yield text[at:start], False
        yield text[start:end], True
        at = end
    if at < len(text):
        yield text[at:], False


def _word_spans(text: str) -> Iterator[TextSpan]:
    for match in _WORD_CANDIDATE.finditer(text):
        word = match[0]
        bare = word.strip(".,:'’‘*_#`-–—/")
        if bare:
            start = match.start() + word.index(bare)
            yield start, start + len(bare)
