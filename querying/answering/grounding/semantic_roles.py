"""Compares who does what to whom: "A pays B" is not "B pays A", though they have every word in common."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations

from language.cache_sizes import CACHED_SENTENCES
from language.figures.figure_extraction import extract_figures
from language.terms import terms

_TOKEN = re.compile(r"[^\W\d_][\w'’-]{0,40}|[,;:.!?()|\n]")
# Small words that stand before a noun whatever its part in the sentence, and auxiliaries.
_SKIPPED_WORDS = """
the a an its their his her our your this these that each any every all some no not also then both such said own
shall must may will can should would could does do did is are was were be been being has have had to
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
# What opens a clause: the word behind it is most likely its subject.
_CLAUSE_OPENING_WORDS = """
because if when while whilst whereas as although though since until unless that which where who
"""
_CLAUSE_OPENERS = frozenset(_CLAUSE_OPENING_WORDS.split())
_CLAUSE_START, _COORDINATED = "^", "&"
_COORDINATORS = frozenset(["and", "or", "nor", "but"])

# Pairs are compared, so their number is bounded; no sentence has so many words out of place.
_MAX_PAIRED_WORDS = 60


def swaps_roles(claim: str, source: str) -> bool:
    """Two words have changed places: each stands behind what the source has the other behind, and never itself."""
    mine, theirs = _preceding_words(claim), _preceding_words(source)
    moved = {
        word: new
        for word, places in mine.items()
        if word in theirs and (new := places - theirs[word] - {_COORDINATED}) and len(places) == 1
    }
    return any(
        moved[one] <= theirs[other] and moved[other] <= theirs[one]
        for one, other in combinations(list(moved)[:_MAX_PAIRED_WORDS], 2)
    )


@lru_cache(maxsize=CACHED_SENTENCES)
def _preceding_words(text: str) -> dict[str, frozenset[str]]:
    """Each content word with what it stands behind: a word, the beginning of a clause, an "and"."""
    found: dict[str, frozenset[str]] = {}
    before = _CLAUSE_START
    for token in _TOKEN.findall(extract_figures(text).words.lower()):
        if token in _SKIPPED or token.endswith("ly"):
            continue
        if token in _CLAUSE_OPENERS or not token[0].isalnum():
            before = _CLAUSE_START
        elif token in _COORDINATORS:
            before = _COORDINATED
        elif stems := terms(token):
            found[stems[-1]] = found.get(stems[-1], frozenset()) | {before}
            before = stems[-1]
        else:
            before = token
    return found
