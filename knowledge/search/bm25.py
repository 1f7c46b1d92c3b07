"""BM25 as a share from 0 to 1: how much of the weight of a question's words is found in a chunk.

A word weighs its inverse document frequency; a word that occurs nowhere weighs most, as evidence that is missing.
Of phrases that mean the same the best one found counts. Forms of one word are one word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from knowledge.search.query_words import Phrase, QueryWord
from knowledge.search.revision_statistics import BaseStatistics
from knowledge.search.term_statistics import inverse_document_frequency

BM25_K1, BM25_B = 0.9, 0.4

NO_FORMS: Mapping[str, Collection[str]] = {}

FloatArray = NDArray[np.float64]


class LexicalScorer:
    """Scores chunks of one knowledge base. `known_terms` are the terms that it holds, in the order of the columns;
    `forms` has for a term of the question the others that are forms of the same word."""

    def __init__(
        self,
        words: Sequence[QueryWord],
        *,
        statistics: BaseStatistics,
        known_terms: Sequence[str],
        forms: Mapping[str, Collection[str]] = NO_FORMS,
    ) -> None:
        self._words = words
        self._statistics = statistics
        self._forms = forms
        positions = {term: position for position, term in enumerate(known_terms)}
        # Of each term of the question that is known in some form: where its forms stand among the known terms.
        self._positions = {
            term: found
            for term in dict.fromkeys(term for word in words for term in word.terms)
            if (found := [positions[form] for form in self._forms_of(term) if form in positions])
        }
        self._known_term_count = len(known_terms)
        self._weights: dict[str, float] = {}

    def scores(self, counts: FloatArray, *, lengths: FloatArray) -> FloatArray:
        """[chunks], given how often each known term stands in each chunk [chunks, terms], and their lengths."""
        total = np.zeros(len(counts))
        if not self._positions:
            return total
        norms = BM25_K1 * (1 - BM25_B + BM25_B * lengths / self._statistics.mean_length)
        of_terms = self._counts_of_terms(counts)
        saturated = dict(zip(self._positions, of_terms / (of_terms + norms), strict=True))
        for word, most in zip(self._words, self._max_weights, strict=True):
            if most > 0:
                total += word.weight * self._word_scores(word, most, saturated)
        return total / max(
            1e-9, sum(word.weight * most for word, most in zip(self._words, self._max_weights, strict=True))
        )

    def _counts_of_terms(self, counts: FloatArray) -> FloatArray:
        """[terms, chunks]: how often each known term of the question stands there, in all its forms."""
        forms = list(self._positions.values())
        starts = [0, *accumulate(map(len, forms[:-1]))]
        return np.add.reduceat(counts.T[list(chain.from_iterable(forms))], starts, axis=0)

    @cached_property
    def rough_term_weights(self) -> list[float]:
        """The weight of each single known term, in their order, for a first rough ranking."""
        weights = [0.0] * self._known_term_count
        for word in self._words:
            for term in word.terms:
                for position in self._positions.get(term, ()):
                    weights[position] = max(weights[position], word.weight * self._weight(term))
        return weights

    def _forms_of(self, term: str) -> Iterator[str]:
        yield term
        yield from self._forms.get(term, ())

    @cached_property
    def _max_weights(self) -> list[float]:
        """What each word may give at most, before its own weight."""
        return [self._max_weight(word) for word in self._words]

    def _max_weight(self, word: QueryWord) -> float:
        """The weight of the word as asked; where the documents only use a synonym, at most that of the synonym."""
        original = self._phrase_weight(word.original)
        others = [self._phrase_weight(phrase) for phrase in word.phrases[1:] if self._is_known(phrase)]
        return original if not others or self._is_known(word.original) else min(original, max(others))

    def _word_scores(self, word: QueryWord, most: float, saturated: Mapping[str, FloatArray]) -> FloatArray | float:
        """[chunks]: what the best of its phrases gives."""
        best: FloatArray | float = 0.0
        for phrase in word.phrases:
            known = [self._weight(term) * saturated[term] for term in phrase if term in saturated]
            if not known:
                continue
            found = known[0] if len(known) == 1 else reduce(np.add, known)
            # A rarer synonym must not outweigh what was asked.
            if (whole := self._phrase_weight(phrase)) > most:
                found = found * (most / whole)
            best = found if isinstance(best, float) else np.maximum(best, found)
        return best

    def _is_known(self, phrase: Phrase) -> bool:
        return all(term in self._positions for term in phrase)

    def _phrase_weight(self, phrase: Phrase) -> float:
        return sum(map(self._weight, phrase))

    def _weight(self, term: str) -> float:
        if (known := self._weights.get(term)) is not None:
            return known
        chunks = self._statistics.chunk_count
        # A chunk that has two forms is counted twice: that is at most a little less weight.
        containing = min(chunks, sum(map(self._statistics.document_frequency, self._forms_of(term))))
        self._weights[term] = weight = inverse_document_frequency(chunks=chunks, containing=containing)
        return weight
