"""How a question is worded for a search: its language, and the forms that the documents have of its words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from knowledge.search.compounds import parts_in_bases
from knowledge.search.inflections import forms_in_bases
from knowledge.search.query_words import QueryWord
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import ENGLISH_WORDING, Wording, content_terms
from language.language_identification import language_of
from language.terms import terms as terms_of
from language.terms import word_spans


def wording_of(text: str, *, words: Sequence[QueryWord], bases: Sequence[BaseRevision]) -> Wording:
    """That of a question with these words; the English one, without a statement, where it is in no other language of
    the documents."""
    language = _language_to_search(text, bases)
    if not language:
        return ENGLISH_WORDING
    terms = {term for word in words for term in word.terms}
    parts = parts_in_bases(terms, bases, language)
    return Wording(
        language=language,
        forms=forms_in_bases(terms.union(*parts.values()), bases, verbs=_small_words(text)),
        parts=parts,
        content_terms=content_terms(text, language),
    )


def _small_words(text: str) -> frozenset[str]:
    """The terms of what is written without a capital: in German no nouns."""
    words = (text[start:end] for start, end in word_spans(text))
    return frozenset(chain.from_iterable(terms_of(word) for word in words if word.islower()))


def _language_to_search(text: str, bases: Sequence[BaseRevision]) -> str:
    """The language of the question if documents are in it; where that cannot be told, the only one that documents are
    in. "" for English."""
    spoken = {language for base in bases for language in base.languages}
    if not spoken:
        return ""
    language = language_of(text) or (min(spoken) if len(spoken) == 1 else "")
    return language if language in spoken else ""
