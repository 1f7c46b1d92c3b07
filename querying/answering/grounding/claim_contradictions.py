"""Opposites: words by which two sentences that look alike say different things.

Each check finds a claim that says one where its source says only the other. Where the source says both, or
neither, nothing is found.
"""

from __future__ import annotations

import re
from functools import lru_cache

from language.antonyms import opposite_words
from language.cache_sizes import CACHED_SENTENCES
from language.figures.bounds import find_bounds
from language.figures.figure_extraction import extract_figures
from querying.answering.grounding.noun_modifiers import described_nouns, describes_another, words_for

_LOWERCASE_WORD = re.compile(r"[a-z]{2,30}")
_NEGATING_PREFIXES = ("un", "non", "dis")


@lru_cache(maxsize=CACHED_SENTENCES)
def lowercase_words(text: str) -> frozenset[str]:
    return frozenset(_LOWERCASE_WORD.findall(text.lower()))


def find_opposite(word: str, said: frozenset[str]) -> str:
    """A word of the source that is the contrary of this one, or of its class (Monday, Friday); "" when none is."""
    known = sorted(opposite_words(word) & said)
    return next((other for other in (*known, *_affix_variants(word)) if other in said), "")


def contradicts(claim: str, source: str) -> bool:
    """Whether the claim has a word of which the source has only the contrary, or a bound in the other direction."""
    mine, theirs = ({bound.is_upward for bound in find_bounds(text)} for text in (claim, source))
    if mine and theirs and not mine & theirs:
        return True
    return has_opposite_word(claim, source) or _describes_noun_otherwise(claim, source)


def has_opposite_word(claim: str, source: str) -> bool:
    """Whether the claim has a word that the source lacks, and the source only the contrary of it."""
    mine, theirs = lowercase_words(extract_figures(claim).words), lowercase_words(extract_figures(source).words)
    contrary = _with_singulars(theirs) - _with_singulars(mine)
    return any(find_opposite(word, contrary) for word in mine - theirs)


def _with_singulars(words: frozenset[str]) -> frozenset[str]:
    return words.union(word.removesuffix("s") for word in words)


def _describes_noun_otherwise(claim: str, source: str) -> bool:
    """Whether the claim describes a noun with a word that the source has for another noun only, and the source this one
    with the contrary: "severe exposure", where the source says "severe rain" and "moderate exposure"."""
    mine, theirs = described_nouns(claim), described_nouns(source)
    return any(
        describes_another(word, noun, source)
        for word, noun in mine - theirs
        if any(one in words_for(noun) and find_opposite(word, frozenset([other])) for other, one in theirs - mine)
    )


@lru_cache(maxsize=16_384)
def _affix_variants(word: str) -> list[str]:
    """What the word would be with or without what turns it round: "safe" and "unsafe", "harmless" and "harmful"."""
    found = [word.removeprefix(prefix) for prefix in _NEGATING_PREFIXES if len(word) > len(prefix) + 3]
    found += [prefix + word for prefix in _NEGATING_PREFIXES if len(word) > 3]
    found += [word.removesuffix(one) + other for one, other in (("less", "ful"), ("ful", "less")) if word.endswith(one)]
    return [other for other in found if other != word]
