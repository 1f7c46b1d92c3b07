"""The words of a question as search counts them: each with a weight of its own, and with the ways in which the
documents may put it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from language.terms import terms, terms_of_old_index
from plugins.synonyms import MAX_PHRASES_PER_GROUP

Phrase = tuple[str, ...]

# Of a question that a search of documents is asked.
MAX_QUERY_CHARACTERS = 1000
# Words of a very long question beyond this are ignored.
MAX_WORDS = 200
# The steps of one question read its words some times over; so many questions are read at once.
_CACHED_TEXTS = 64
# Of as many parts as `terms` puts together; the parts of longer ones are words of their own.
_COMPOUND = re.compile(
    r"(?<![\w'’\u2010\u2011-])(?:[^\W\d_]+(?:[-_\u2010\u2011][^\W\d_]+){1,3}|[A-Za-z][a-z]+(?:[A-Z][a-z]{2,60}){1,3})"
    r"(?![\w'’\u2010\u2011-])"
)


@dataclass(frozen=True, kw_only=True)
class QueryWord:
    """What one word of the question, or one phrase that has synonyms, is found by.

    `phrases` are tuples of terms: first as it was asked, then what means the same. The best found of them counts, and
    never more than what was asked; `weight` is its share beside other words, 1 for the question itself.
    """

    phrases: tuple[Phrase, ...]
    weight: float = 1.0

    @property
    def original(self) -> Phrase:
        return self.phrases[0]

    @property
    def terms(self) -> Iterator[str]:
        return chain.from_iterable(self.phrases)


def canonical_phrase(text: str) -> Phrase:
    """The terms of a phrase, the same with a hyphen as with a space: "water-cement" is "water", "cement"."""
    return tuple(chain.from_iterable(ways[0] for ways in _read_phrase_variants(text)))


class Synonyms:
    """Groups of phrases that mean the same, ready to be looked up in questions."""

    def __init__(self, groups: Iterable[Sequence[str]] = ()) -> None:
        self._spelling_by_phrase: dict[Phrase, dict[Phrase, str]] = {}
        for group in groups:
            phrases = {phrase: each.strip() for each in group if (phrase := canonical_phrase(each))}
            for phrase in phrases:
                self._spelling_by_phrase[phrase] = {**self._spelling_by_phrase.get(phrase, {}), **phrases}
        self.longest = max(map(len, self._spelling_by_phrase), default=0)  # of the phrases, in terms

    def spellings(self, phrase: Phrase) -> tuple[str, ...]:
        """What means the same as the canonical phrase, as it is written; nothing when it has no synonyms."""
        known = self._spelling_by_phrase.get(phrase, {})
        return tuple(spelled for other, spelled in known.items() if other != phrase)

    def expansions(self, text: str) -> list[str]:
        """How else the phrases of a text are put."""
        return [spelled for word in self.words(text) for spelled in self.spellings(word.original)]

    def words(self, text: str, *, weight: float = 1.0) -> list[QueryWord]:
        """The distinct words of a text in order; a phrase that has synonyms is one word with all of them."""
        words = _phrase_variants(text)
        found: dict[frozenset[Phrase], tuple[Phrase, ...]] = {}
        at = 0
        while at < len(words) and len(found) < MAX_WORDS:
            length, phrases = self._longest_phrase_at(words, at)
            found.setdefault(frozenset(phrases), phrases)
            at += length
        return [QueryWord(phrases=phrases, weight=weight) for phrases in found.values()]

    def _longest_phrase_at(self, words: Sequence[tuple[Phrase, ...]], at: int) -> tuple[int, tuple[Phrase, ...]]:
        """How many words from here on make the longest known phrase, and that with its synonyms; else the one word."""
        for length in range(min(self.longest, len(words) - at), 0, -1):
            phrase = tuple(chain.from_iterable(ways[0] for ways in words[at : at + length]))
            if known := self._spelling_by_phrase.get(phrase):
                return length, tuple(dict.fromkeys([phrase, *known]))[:MAX_PHRASES_PER_GROUP]
        return 1, words[at]


@lru_cache(maxsize=_CACHED_TEXTS)
def _phrase_variants(text: str) -> tuple[tuple[Phrase, ...], ...]:
    """Each word as one phrase of one term; a compound as its parts, or in one: "re-use" is also "reuse". An
    identifier is both, and where the documents only have one of them, that."""
    return tuple(_read_phrase_variants(text))


def _read_phrase_variants(text: str) -> Iterator[tuple[Phrase, ...]]:
    end = 0
    for compound in _COMPOUND.finditer(text):
        yield from _single_words(text[end : compound.start()])
        *parts, joined = terms(compound.group()) or [""]
        ways = [tuple(parts), (joined,)] if parts else [(joined,)] if joined else []
        if parts and compound.group().replace("_", "").isalpha():  # an identifier: whole is better than in parts
            ways = [(*parts, joined), *ways]
        yield from [tuple(ways)] if ways else []
        end = compound.end()
    yield from _single_words(text[end:])


def _single_words(text: str) -> Iterator[tuple[Phrase, ...]]:
    """Each word as its term, and as what an older index has of it."""
    for term, old in zip(terms(text), terms_of_old_index(text), strict=True):
        yield ((term,),) if term == old else ((term,), (old,))


def dedupe_by_weight(words: Iterable[QueryWord]) -> list[QueryWord]:
    """Each distinct word once, at the highest of its weights, in the order of first mention."""
    best: dict[frozenset[Phrase], QueryWord] = {}
    for word in words:
        known = best.get(frozenset(word.phrases))
        if known is None or known.weight < word.weight:
            best[frozenset(word.phrases)] = word
    return list(best.values())[:MAX_WORDS]


NO_SYNONYMS = Synonyms()
