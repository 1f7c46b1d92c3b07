"""Do the words of a claim stand together in its source as they do in the claim?

A span may have several sentences, and a claim could borrow a word from one of them and change what another says.
Each content word must share a sentence with one of the words that it stands beside in the claim. Rows of a table stand
on lines of their own: each part of a claim ("310 for a dog and 260 for a cat") takes its words from one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from language.cache_sizes import CACHED_SENTENCES
from language.clauses import has_predicate, text_before_predicate
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures, strip_list_mark
from language.synonyms import synonyms_of
from language.terms import terms
from querying.answering.grounding.linked_sentences import linked_sentences, numbers_in

_CLAIM_PARTS = re.compile(r"[;,]\s+|[()]|\s(?:and|or|as well as|but|while|whereas)\s")


def is_scattered(claim: str, span: str) -> bool:
    """Whether some word of the claim stands in the span only apart from both its neighbours in the claim."""
    if "\n" in span and any(_is_spread_over_rows(words, span) for words in _words_of_parts(claim)):
        return True
    said = _sentence_positions(span)
    words = _content_sequence(extract_figures(strip_list_mark(claim)).words)
    places = {word: _positions_of(word, said) for word in dict.fromkeys(words)}
    found = [at for at in places.values() if at]
    return sum(bool(places[word]) for word in words) > 1 and not frozenset.intersection(*found)


def _words_of_parts(claim: str) -> Iterator[list[str]]:
    """The words of each part of the claim; where the next part says what is said of this one ("a beam or a column has
    30 mm"), the words and numbers of that."""
    predicate = ""
    for part in reversed(_CLAIM_PARTS.split(claim)):
        words = [*_content_sequence(extract_figures(part).words), *numbers_in(part)]
        if has_predicate(part):
            predicate = part[len(text_before_predicate(part)) :]
        elif not numbers_in(part):
            words += [*_content_sequence(predicate), *numbers_in(predicate)]
        yield words


def _is_spread_over_rows(words: Sequence[str], span: str) -> bool:
    """Whether no row of the span has all of these words that its rows have."""
    rows = _row_positions(span)
    found = [at for word in words if (at := _positions_of(word, rows))]
    return bool(found) and not frozenset.intersection(*found)


def _positions_of(word: str, said: Mapping[str, frozenset[int]]) -> frozenset[int]:
    """The places of a word, and of what may stand for it; none where only a heading or nothing has it."""
    return frozenset().union(*(said.get(other, frozenset()) for other in (word, *synonyms_of(word))))


@lru_cache(maxsize=CACHED_SENTENCES)
def _row_positions(span: str) -> Mapping[str, frozenset[int]]:
    """The rows that each stem stands in, by number."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for at, row in enumerate(span.split("\n")):
        for stem in terms(row):
            places[stem].add(at)
    return {stem: frozenset(at) for stem, at in places.items()}


def _content_sequence(text: str) -> list[str]:
    text = text.replace("-", " ")
    kept = content_stems(text)
    return [stem for stem in terms(text) if stem in kept]


@lru_cache(maxsize=CACHED_SENTENCES)
def _sentence_positions(span: str) -> dict[str, frozenset[int]]:
    """The sentences that each stem stands in, by number."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for at, (_, sentence) in enumerate(linked_sentences(span)):
        for stem in _content_sequence(sentence):
            places[stem].add(at)
    return {stem: frozenset(at) for stem, at in places.items()}
