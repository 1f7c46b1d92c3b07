"""The sentences of a source, each together with those that go on about what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from language.cache_sizes import CACHED_SENTENCES
from language.clauses import text_before_predicate
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures
from language.terms import terms

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SENTENCE_OR_LINE_END = re.compile(r"(?<=[.!?])\s+|\n")
_ANAPHORA = re.compile(
    r"^(?:This|These|Such|Those|Both|The\s+same)\b|\b(?:it|its|they|them|their|he|she|his|her)\b", re.I
)


@lru_cache(maxsize=CACHED_SENTENCES)
def linked_sentences(text: str, *, by_line: bool = False) -> tuple[tuple[int, str], ...]:
    """Where each begins in the text's figures, and its words without the figures. A sentence that goes on about the
    same ("It …") is a part of the one before it. `by_line` parts the rows of a table, and the items of a list, too."""
    words = extract_figures(text).words
    ends = (_SENTENCE_OR_LINE_END if by_line else _SENTENCE_END).finditer(words)
    edges = [0, *(match.end() for match in ends), len(words)]
    starts = [start for start, end in pairwise(edges) if not start or not _ANAPHORA.search(words[start:end])]
    return tuple((start, words[start:end]) for start, end in pairwise([*starts, len(words)]))


def goes_on(sentence: str) -> bool:
    """Whether it speaks of what another sentence names: "It is free"."""
    return _ANAPHORA.search(sentence) is not None


def stems_with_subjects(sentences: Sequence[str]) -> Iterator[frozenset[str]]:
    """The stems and numbers of each sentence, and the subject that it takes from the one before: "It is closed on
    Sundays" speaks of the library that "The library is open from Monday to Friday" names."""
    subject: frozenset[str] = frozenset()
    for at, sentence in enumerate(sentences):
        opening = text_before_predicate(sentence)
        if not (at and _ANAPHORA.search(opening)):
            subject = content_stems(opening)
        yield content_stems(sentence) | numbers_in(sentence) | subject


def numbers_in(text: str) -> frozenset[str]:
    """The numbers in digits, as they are written."""
    return frozenset(term for term in terms(text) if term[0].isdigit())
