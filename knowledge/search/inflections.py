"""The forms in which documents in other languages than English use a word.

The index keeps English stems of Latin letters, so it has "kündigung" and "kündigungen" as two terms. For a document in
German, `TermStem` says that both have the stem "kundig"; a question that has one of them is then searched by both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Sequence
from dataclasses import replace

from django.db import DEFAULT_DB_ALIAS, connection, connections

from knowledge.models import TermStem
from knowledge.search.query_words import QueryWord
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import Wording
from language.stemming import STEMMED_LANGUAGES, german_verb_stems, stem_in
from lexic.sql_files import read_sql

# Shorter words are articles and the like.
_MIN_LETTERS = 3
_MAX_FORMS = 16
_BATCH_SIZE = 5000

# A language and a stem in it.
_LanguageStem = tuple[str, str]


def record_stems(knowledge_base_id: int, *, chunks: Collection[int], language: str) -> None:
    """Record the stems that the terms of these chunks have in a language; none where the index has the same ones.

    Call with the row of the knowledge base locked.
    """
    if language not in STEMMED_LANGUAGES:
        return
    with connection.cursor() as cursor:
        cursor.execute(read_sql("knowledge", "terms_without_stem"), {"chunks": list(chunks), "language": language})
        terms = cursor.fetchall()
    TermStem.objects.bulk_create(
        (
            TermStem(knowledge_base_id=knowledge_base_id, term_id=pk, language=language, stem=stem_in(text, language))
            for pk, text in terms
            if _is_inflected(text)
        ),
        batch_size=_BATCH_SIZE,
    )


def forms_in_bases(
    terms: Collection[str],
    bases: Sequence[BaseRevision],
    *,
    verbs: Container[str] = (),
    using: str = DEFAULT_DB_ALIAS,
) -> dict[str, list[str]]:
    """For each of the terms, which other terms of the bases are forms of the same word; `verbs` are those that may be
    German verbs. No statement where all documents are in English."""
    languages = sorted({language for base in bases for language in base.languages} & STEMMED_LANGUAGES)
    inflected = [term for term in terms if _is_inflected(term)]
    if not (languages and inflected):
        return {}
    stems = {
        term: [(one, stem) for one in languages for stem in _stems_of(term, one, may_be_verb=term in verbs)]
        for term in inflected
    }
    known = _terms_by_stem({pair for pairs in stems.values() for pair in pairs}, bases, using=using)
    forms = {term: {form for pair in pairs for form in known[pair]} - {term} for term, pairs in stems.items()}
    return {term: sorted(found)[:_MAX_FORMS] for term, found in forms.items() if found}


def without_stop_words(words: Sequence[QueryWord], wording: Wording) -> list[QueryWord]:
    """The words that are no stop words of the question's language; all of them where nothing else is left, and in
    English, whose stop words the index does not have."""
    if not wording.language:
        return list(words)
    weighed = [(word, max(map(wording.weight_of, word.original), default=0.0)) for word in words]
    kept = [replace(word, weight=word.weight * share) for word, share in weighed if share] or list(words)
    return [_with_parts(word, wording) for word in kept]


def _with_parts(word: QueryWord, wording: Wording) -> QueryWord:
    """The word, also found by the parts of its compound."""
    parts = [wording.parts[phrase[0]] for phrase in word.phrases if len(phrase) == 1 and phrase[0] in wording.parts]
    return replace(word, phrases=(*word.phrases, *parts)) if parts else word


def _terms_by_stem(
    stems: Collection[_LanguageStem], bases: Sequence[BaseRevision], *, using: str
) -> defaultdict[_LanguageStem, set[str]]:
    asked = sorted(stems)
    values: dict[str, list[int] | list[str]] = {
        "knowledge_bases": [base.knowledge_base_id for base in bases],
        "languages": [language for language, _ in asked],
        "stems": [stem for _, stem in asked],
    }
    found: defaultdict[_LanguageStem, set[str]] = defaultdict(set)
    with connections[using].cursor() as cursor:
        cursor.execute(read_sql("knowledge", "terms_of_stems"), values)
        for language, stem, text in cursor.fetchall():
            found[language, stem].add(text)
    return found


def _stems_of(term: str, language: str, *, may_be_verb: bool) -> set[str]:
    return german_verb_stems(term) if may_be_verb and language == "de" else {stem_in(term, language)}


def _is_inflected(term: str) -> bool:
    return len(term) >= _MIN_LETTERS and term.isalpha()
