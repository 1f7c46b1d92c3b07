"""The language of each document: told when it is read, and corrected by people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledge.models import Chunk, Document, KnowledgeBase, SourceType
from knowledge.search.inflections import record_stems
from language.language_identification import ENGLISH, LANGUAGE_NAMES, language_of
from lexic.errors import InvalidInput

# The first chunks of a document tell its language; each has a vote.
_SAMPLED_CHUNKS = 8


class UnknownLanguage(InvalidInput):
    """This is no code of a language that Lexic can tell apart."""

    code = "unknown_language"
    hint = f"Use one of: {', '.join(LANGUAGE_NAMES)}. Leave it empty where the documents have several."


def tell_language(texts: Iterable[str]) -> str:
    """The code of the language that most of the texts are in; "" where that cannot be told."""
    votes: dict[str, int] = {}
    for text in texts:
        if language := language_of(text):
            votes[language] = votes.get(language, 0) + 1
    return max(votes, key=lambda one: votes[one], default="")


def record_languages(base: KnowledgeBase, chunks: Iterable[Chunk]) -> None:
    """Tell the languages of the documents of these chunks, where they have none yet, and record the stems of the words.

    Call in the transaction that publishes the chunks, with the row of the knowledge base locked. The chunks come in
    reading order; their texts are read only where a language has to be told.
    """
    chunks_by_document: dict[UUID, list[int]] = {}
    for chunk in chunks:
        chunks_by_document.setdefault(chunk.document_id, []).append(chunk.pk)
    rows = list(_documents(chunks_by_document))
    untold = [pk for pk, language, source_type in rows if not language and source_type != SourceType.CODE]
    samples = _sample_texts([chunks_by_document[pk][:_SAMPLED_CHUNKS] for pk in untold])
    documents_by_language: dict[str, list[UUID]] = {}
    chunks_by_language: dict[str, list[int]] = {}
    told = dict(zip(untold, map(tell_language, samples), strict=True))
    for pk, language in told.items():
        documents_by_language.setdefault(language, []).append(pk)
    for pk, language, _ in rows:
        chunks_by_language.setdefault(told.get(pk, language), []).extend(chunks_by_document[pk])
    for language, documents in documents_by_language.items():
        Document.objects.filter(pk__in=documents).update(language=language)
    for language, ids in chunks_by_language.items():
        record_stems(base.pk, chunks=ids, language=language)
    if not chunks_by_language.keys() - {"", ENGLISH} <= set(base.document_languages):
        _note_languages(base)


@transaction.atomic
def set_language(document: Document, language: str) -> None:
    """Write down the language that a person says the document is in. What is published is searched by it at once.

    Raises `UnknownLanguage`.
    """
    if language and language not in LANGUAGE_NAMES:
        raise UnknownLanguage()
    base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
    Document.objects.filter(pk=document.pk).update(language=language, updated_at=timezone.now())
    document.language = language
    record_stems(base.pk, chunks=list(document.chunks.live().values_list("pk", flat=True)), language=language)
    _note_languages(base)


def _note_languages(base: KnowledgeBase) -> None:
    """Write down in which languages other than English the base has documents. Those that are retired count too: a
    release may read them still."""
    told = Document.objects.filter(knowledge_base=base).exclude(language__in=("", ENGLISH))
    spoken = sorted(set(told.order_by().values_list("language", flat=True).distinct()))
    if spoken != base.document_languages:
        base.document_languages = spoken
        KnowledgeBase.objects.filter(pk=base.pk).update(document_languages=spoken)


def _sample_texts(chunks: Sequence[Sequence[int]]) -> list[list[str]]:
    """The texts of each of these groups of chunks, in one statement; none where there is nothing to read."""
    ids = [pk for group in chunks for pk in group]
    texts = dict(Chunk.objects.filter(pk__in=ids).values_list("pk", "content")) if ids else {}
    return [[texts[pk] for pk in group] for group in chunks]


def _documents(ids: Collection[UUID]) -> Iterable[tuple[UUID, str, str]]:
    """Id, language and source type of each."""
    return Document.objects.filter(pk__in=ids).values_list("pk", "language", "source_type")
