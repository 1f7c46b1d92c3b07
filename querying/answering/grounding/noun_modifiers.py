"""Which word describes which noun: of "moderate exposure, sheltered from severe rain" the exposure is not severe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from language.antonyms import opposite_words
from language.cache_sizes import CACHED_SENTENCES
from language.content_words import content_stems
from language.synonyms import synonyms_of
from language.terms import terms, word_spans

# Between a noun and the word that is said of it: "the exposure is severe".
_LINKS = frozenset(["is", "are", "was", "were"])
_GAPS = " \t\n*_"
# "Hot meals and drinks": both are hot.
_JOINING = frozenset(["and", "or"])
_MOST_NOUNS_BEHIND = 6
# Words in small letters between which nothing but a space stands.
Run = Sequence[str]


@lru_cache(maxsize=CACHED_SENTENCES)
def described_nouns(text: str) -> frozenset[tuple[str, str]]:
    """Words in small letters, each with the stem of the noun right behind it, or of the one that it is said of. What
    is "severely exposed" has "severe" exposure."""
    pairs = (pair for run in _adjoining_words(text) for pair in (*_before_noun(run), *_said_of_noun(run)))
    return frozenset((_adjective(word), noun) for word, noun in pairs)


def words_for(noun: str) -> frozenset[str]:
    """The stem and those of words that stand for it."""
    return synonyms_of(noun) | {noun}


def describes_another(word: str, noun: str, text: str) -> bool:
    """Whether the word stands in the text, always with a noun behind it, and never with this one or a word for it."""
    found = [(run, at) for run in _content_runs(text) for at, one in enumerate(run) if _adjective(one) == word]
    nouns = [frozenset(map(_stem, run[at + 1 : at + 1 + _MOST_NOUNS_BEHIND])) for run, at in found]
    return bool(nouns) and all(stems and not stems & words_for(noun) for stems in nouns)


def _before_noun(run: Run) -> Iterator[tuple[str, str]]:
    return ((word, _stem(noun)) for word, noun in pairwise(run) if _stem(word) and _stem(noun))


def _said_of_noun(run: Run) -> Iterator[tuple[str, str]]:
    parts = zip(run, run[1:], run[2:], strict=False)
    return ((word, _stem(noun)) for noun, link, word in parts if link in _LINKS and _stem(noun) and _stem(word))


def _adjoining_words(text: str) -> list[list[str]]:
    runs: list[list[str]] = []
    read_to = 0
    for start, end in word_spans(text):
        if not runs or text[read_to:start].strip(_GAPS):
            runs.append([])
        runs[-1].append(text[start:end].lower())
        read_to = end
    return runs


@lru_cache(maxsize=CACHED_SENTENCES)
def _content_runs(text: str) -> Sequence[Run]:
    """The runs, parted where a word stands that says nothing of its own and joins nothing."""
    found: list[list[str]] = []
    for run in _adjoining_words(text):
        found.append([])
        for word in run:
            if _stem(word):
                found[-1].append(word)
            elif word not in _JOINING:
                found.append([])
    return [run for run in found if run]


def _adjective(word: str) -> str:
    bare = word.removesuffix("ly")
    return bare if opposite_words(bare) and not opposite_words(word) else word


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """The stem of a word of substance; "" of another word."""
    return terms(word)[-1] if content_stems(word) else ""
