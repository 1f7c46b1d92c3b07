"""Does this span support this claim? Figures, quotations, denials and contrasts may rule it out; words, and where
they leave a doubt nearness in meaning, must speak for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from language.antonyms import opposite_words
from language.cache_sizes import CACHED_SENTENCES
from language.capitalised_words import capitalised_words
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures, strip_list_mark, unsupported_figures
from language.negation import reverses_polarity
from language.synonyms import synonyms_of
from language.terms import terms
from querying.answering.grounding.claim_contradictions import (
    contradicts,
    find_opposite,
)
from querying.answering.grounding.cohesion import is_scattered
from querying.answering.grounding.figure_association import misattributes_figure
from querying.answering.grounding.imperatives import is_only_instructed
from querying.answering.grounding.modality import overstates
from querying.answering.grounding.quotations import find_quotations, is_verbatim, normalize_quote
from querying.answering.grounding.semantic_roles import swaps_roles
from querying.answering.grounding.semantic_similarity import cache_vectors, most_similar, similarities
from querying.sanitize import sanitize

# A word this near in meaning stands for the other: cost and price, travel and trip.
_SYNONYM_SIMILARITY = 0.72
_MIN_SIMILARITY = 0.6
# One word of its own in a sentence that otherwise says just the same.
_SURE_SIMILARITY, _MIN_MATCHED_WORDS, _FAINT_SIMILARITY = 0.9, 4, 0.3
# A bullet, a heading's marks, or the letter that tells an answer from its question: "A: Yes."
_LINE_MARKER = re.compile(r"^\s{0,8}(?:(?:[-*+•●▪◦‣–—]|#{1,6})\s{1,8}|[A-Z]:\s{1,4})")
_IMPLICATIONS = (
    (re.compile(r"[$€£₹¥]\s?\d"), frozenset(terms("cost costs price priced charge charged fee pay worth"))),
    (
        re.compile(r"\b(?:may|can)\b(?!\s+not)"),
        frozenset(terms("allow permit able entitle possible free right option")),
    ),
    (re.compile(r"\b(?:must|shall)\b(?!\s+not)"), frozenset(terms("oblige obligation obligatory duty mandatory"))),
)
_SPELLED_WORD = re.compile(r"[^\W\d_][\w'’-]{1,40}")


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What stands around a span: headings and the title above it, and its whole passage."""

    heading: str
    passage: str


@dataclass(frozen=True, kw_only=True)
class WordOverlap:
    """How the claim's content words meet the span's: the share of all its words that it has, and those it lacks."""

    share: float
    matched: frozenset[str]
    missing: frozenset[str]
    unused: frozenset[str]  # content words of the span that the claim has not


def is_same_sentence(claim: str, span: str) -> bool:
    """The same sentence, but for spaces, bullets, the first letter's case and the punctuation at the end."""
    return _bare_sentence(claim) == _bare_sentence(span)


@lru_cache(maxsize=CACHED_SENTENCES)
def _bare_sentence(text: str) -> str:
    return normalize_quote(_LINE_MARKER.sub("", sanitize(text))).strip(" .,;:!?").casefold()


@lru_cache(maxsize=CACHED_SENTENCES)
def stem_set(text: str) -> frozenset[str]:
    """Every stem of the text. Cached, because every claim is compared with the same sentences."""
    return frozenset(terms(text))


def compare_words(claim: str, span: str, around: Surroundings) -> WordOverlap:
    mine, theirs = content_stems(extract_figures(strip_list_mark(claim)).words), content_stems(span)
    above = content_stems(around.heading)
    said = stem_set(span)
    # Words that the span says without them: a sum of money is a cost, and who may do it is allowed to.
    implied = frozenset[str]().union(*(stems for pattern, stems in _IMPLICATIONS if pattern.search(span)))
    matched = {word for word in mine if word in theirs or word in implied or synonyms_of(word) & said}
    unused = frozenset(word for word in theirs - mine if not synonyms_of(word) & mine)
    missing = mine - matched
    # A heading says what its sentences are about, unless this one speaks of something else that the heading names.
    if not unused & above:
        missing -= above
    wanted = stem_set(claim)
    share = len(wanted & (said | matched)) / len(wanted) if wanted else 0.0
    return WordOverlap(share=share, matched=frozenset(matched), missing=frozenset(missing), unused=unused)


def is_ruled_out(claim: str, span: str, around: Surroundings) -> bool:
    """Something in the claim goes against the span, or is stated as a figure or a quotation that it lacks."""
    return (
        bool(unsupported_figures(claim, span, context=around.passage))
        or not all(is_verbatim(quote, span) for quote in find_quotations(claim))
        or is_contradicted(claim, span)
        or misattributes_figure(claim, span)
        or is_scattered(claim, span)
        or is_only_instructed(claim, span)
    )


def is_contradicted(claim: str, span: str) -> bool:
    """The span says the contrary, denies it, or has it the other way round."""
    return (
        contradicts(claim, span)
        or overstates(claim, span)
        or reverses_polarity(claim, span)
        or swaps_roles(claim, span)
    )


def semantic_support(claim: str, span: str, words: WordOverlap) -> float:
    """How nearly the span says the claim where words are missing; 0 where it does not."""
    (sense,) = similarities(claim, [span])
    worst = _weakest_similarity(claim, span, words) if sense >= _MIN_SIMILARITY else 0.0
    if worst >= _SYNONYM_SIMILARITY:
        return max(sense, words.share)
    # One word of the claim's own among many that it shares, and no word that would turn the sentence round.
    has_harmless_gap = (
        len(words.missing) == 1
        and len(words.matched) >= _MIN_MATCHED_WORDS
        and not any(map(opposite_words, words_with_stems(claim, words.missing)))
    )
    if sense >= _SURE_SIMILARITY and worst >= _FAINT_SIMILARITY and has_harmless_gap:
        return sense
    return 0.0


def _weakest_similarity(claim: str, span: str, words: WordOverlap) -> float:
    """How near the span comes to that word of the claim which it lacks most; 0 where it has its opposite."""
    missing, others = words_with_stems(claim, words.missing), words_with_stems(span, words.unused)
    # One name never stands for another, however near they are in meaning.
    if any(word.lower() in missing for word in capitalised_words(claim)):
        return 0.0
    cache_vectors([*missing, *others])
    found = [(word, *most_similar(word, others)) for word in missing]
    if any(find_opposite(word, frozenset({other})) for word, _, other in found):
        return 0.0
    return min((near for _, near, _ in found), default=1.0)


def words_with_stems(text: str, stems: frozenset[str]) -> list[str]:
    """The words of the text with one of these stems, as written, in small letters."""
    found = dict.fromkeys(match.group().lower() for match in _SPELLED_WORD.finditer(extract_figures(text).words))
    return [word for word in found if content_stems(word) & stems]
