"""The one writer of what a knowledge base holds: pages, chunks, their words and their vectors.

There are two ways into a knowledge base. An upload or a prepared copy is staged (`added_in` is null, so no search sees
it) in small committed batches, and `open_staged` makes it visible. Small documents, texts in bulk and notes are
prepared in memory, and `write_documents` and `write_texts` write them visible at once. On both ways `close_versions`
ends the version that answered before, and `advance_revision` makes the next revision, all in one transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction

from knowledge.chunking.title_path import title_path
from knowledge.embedders.base import EmbeddedChunk
from knowledge.lease import confirm_held
from knowledge.models import Chunk, ChunkTerms, Document, Embedding, KnowledgeBase, Page
from knowledge.readers.types import PageText
from knowledge.recognised_text import recognised_columns
from knowledge.search import term_statistics
from knowledge.versions import embeddings
from knowledge.versions.chunk_plan import PlannedChunk, PlannedDocument, PlannedText, RepositoryFile
from knowledge.versions.document_languages import record_languages

_INSERT_BATCH_SIZE = 2000
_NO_FILES: Mapping[int, RepositoryFile] = {}
# Rows that point at others stand before them, so that they can be deleted in this order.
_REVISIONED_MODELS = (Embedding, ChunkTerms, Chunk, Page)


# --- Staged, batch by batch -----------------------------------------------------------------------------------


@transaction.atomic
def insert_staged_pages(
    document: Document, pages: Sequence[tuple[PageText, str]], *, files: Mapping[int, RepositoryFile] = _NO_FILES
) -> dict[int, int]:
    """Stage new pages, each given with the hash of the bytes it was read from. Gives their rows by number. `files` says
    by number which of them are files of a repository."""
    confirm_held()
    rows = [_page_row(document, page, sha256, **_file_columns(files.get(page.number))) for page, sha256 in pages]
    return {row.number: row.pk for row in Page.objects.bulk_create(rows)}


@transaction.atomic
def insert_staged_chunks(
    document: Document, chunks: Sequence[PlannedChunk], *, texts: Mapping[int, str], title: str, is_paged: bool
) -> None:
    """Stage chunks with their words. `texts` has the text of each page by its row."""
    confirm_held()
    shown = {"document_title": title, "source_type": document.source_type, "is_paged": is_paged}
    rows = [_chunk_row(document, chunk, texts[chunk.page_id], **shown) for chunk in chunks]
    _insert_chunks(rows, titles={document.pk: title})


@transaction.atomic
def discard_staged(*document_ids: UUID) -> None:
    """Delete everything that is staged for these documents."""
    for model in _REVISIONED_MODELS:
        model.objects.staged().filter(document__in=document_ids).delete()


@transaction.atomic
def discard_staged_chunks(document_id: UUID) -> None:
    """Delete the staged chunks with their words and vectors; the staged pages stay."""
    for model in (Embedding, ChunkTerms, Chunk):
        model.objects.staged().filter(document=document_id).delete()


@transaction.atomic
def discard_staged_pages(page_ids: Collection[int]) -> None:
    """Delete staged pages and all that was staged from them."""
    for model, page in ((Embedding, "chunk__page"), (ChunkTerms, "chunk__page"), (Chunk, "page"), (Page, "pk")):
        model.objects.staged().filter(**{f"{page}__in": page_ids}).delete()


def open_staged(base: KnowledgeBase, document: Document, *, revision: int) -> list[int]:
    """Make what is staged for the document visible from this revision of its locked base on. Gives the ids of its
    chunks."""
    chunks = list(document.chunks.staged().order_by("index").only("pk", "document_id"))
    for model in _REVISIONED_MODELS:
        columns = {"reader_state": None} if model is Page else {}
        model.objects.staged().filter(document=document).update(added_in=revision, **columns)
    record_languages(base, chunks)
    return [chunk.pk for chunk in chunks]


# --- Written at once ------------------------------------------------------------------------------------------


def write_texts(
    base: KnowledgeBase,
    texts: Sequence[PlannedText],
    *,
    vectors: Mapping[bytes, EmbeddedChunk],
    revision: int,
    remembers_title: bool,
) -> list[int]:
    """Write new versions of documents whose rows are saved, visible from this revision on. Gives the ids of the chunks.

    `vectors` has those of each chunk by its content hash; what is not there is copied from a chunk of the knowledge
    base that says the same. `remembers_title`: the chunks keep how their document is called now. Raises
    `EmbedderChanged` when a chunk gets no vectors.
    """
    pages = Page.objects.bulk_create(
        Page(
            document=one.document,
            number=1,
            text=one.text,
            source_sha256=one.document.sha256,
            **_file_columns(one.file),
            added_in=revision,
        )
        for one in texts
    )
    rows: list[Chunk] = []
    for one, page in zip(texts, pages, strict=True):
        document = one.document
        shown = {"document_title": document.title, "source_type": document.source_type, "is_paged": False}
        columns = {"added_in": revision, **(shown if remembers_title else {})}
        rows += [_chunk_row(document, replace(chunk, page_id=page.pk), one.text, **columns) for chunk in one.chunks]
    _insert_chunks(rows, titles={one.document.pk: one.document.title for one in texts}, revision=revision)
    _insert_embeddings(rows, vectors, space=base.space)
    record_languages(base, rows)
    return [row.pk for row in rows]


def write_documents(
    base: KnowledgeBase, planned: Sequence[PlannedDocument], *, vectors: Mapping[bytes, EmbeddedChunk], revision: int
) -> list[int]:
    """As `write_texts`, for documents that were read and are new to the base. Their chunks keep how they are called."""
    read = [(one, page) for one in planned for page in one.reading.pages]
    pages = Page.objects.bulk_create(
        _page_row(one.document, page, one.document.sha256, added_in=revision) for one, page in read
    )
    page_ids = {(row.document_id, row.number): row.pk for row in pages}
    rows: list[Chunk] = []
    for one in planned:
        document, texts = one.document, {page.number: page.text for page in one.reading.pages}
        columns = {"document_title": one.title, "source_type": document.source_type, "is_paged": one.reading.is_paged}
        for chunk in one.chunks:
            placed = replace(chunk, page_id=page_ids[document.pk, chunk.page_id])
            rows.append(_chunk_row(document, placed, texts[chunk.page_id], added_in=revision, **columns))
    _insert_chunks(rows, titles={one.document.pk: one.title for one in planned}, revision=revision)
    _insert_embeddings(rows, vectors, space=base.space)
    record_languages(base, rows)
    return [row.pk for row in rows]


def _insert_embeddings(rows: Sequence[Chunk], vectors: Mapping[bytes, EmbeddedChunk], *, space: int) -> None:
    fresh = [row for row in rows if bytes(row.content_hash) in vectors]
    embeddings.store_embeddings(fresh, [vectors[bytes(row.content_hash)] for row in fresh], space=space)
    if len(fresh) < len(rows):
        written = Chunk.objects.filter(pk__in=[row.pk for row in rows])
        embeddings.copy_known_embeddings(written, space=space)
        embeddings.check_fully_embedded(written, space=space)


# --- Both ways ------------------------------------------------------------------------------------------------


def close_versions(document_ids: Collection[UUID], *, revision: int, kept_pages: Collection[int] = ()) -> list[int]:
    """End what these documents answer with, except the `kept_pages`. Gives the ids of the chunks that left."""
    live = {"document__in": document_ids, "added_in__isnull": False, "removed_in": None}
    removed = list(Chunk.objects.filter(**live).values_list("pk", flat=True))
    for model in (Embedding, ChunkTerms, Chunk):
        model.objects.filter(**live).update(removed_in=revision)
    Page.objects.filter(**live).exclude(pk__in=kept_pages).update(removed_in=revision)
    return removed


def advance_revision(
    base: KnowledgeBase, *, added: Collection[int] = (), removed: Collection[int] = (), **columns: Any
) -> None:
    """Make the next revision of a locked knowledge base: its statistics after these chunks came and went.

    `columns` are other columns of the knowledge base that change with it.
    """
    base.revision += 1
    term_statistics.record_revision_statistics(base, revision=base.revision, added=added, removed=removed)
    KnowledgeBase.objects.filter(pk=base.pk).update(revision=base.revision, **columns)


def _file_columns(file: RepositoryFile | None) -> dict[str, str]:
    return {"repository_path": file.path, "commit": file.commit} if file else {}


def _page_row(document: Document, page: PageText, sha256: str, **columns: Any) -> Page:
    row = Page(
        document=document,
        number=page.number,
        text=page.text,
        label=page.label,
        headings=[[one.start, one.level, one.title] for one in page.headings],
        reader_state=page.state,
        source_sha256=sha256,
        **recognised_columns(page.ocr),
        **columns,
    )
    row.word_boxes = page.words
    return row


def _chunk_row(document: Document, chunk: PlannedChunk, page_text: str, **columns: Any) -> Chunk:
    return Chunk(
        knowledge_base_id=document.knowledge_base_id,
        document=document,
        page_id=chunk.page_id,
        index=chunk.index,
        start=chunk.start,
        end=chunk.end,
        section_path=list(chunk.section_path),
        content=page_text[chunk.start : chunk.end],
        content_hash=chunk.content_hash,
        **columns,
    )


def _insert_chunks(rows: Sequence[Chunk], *, titles: Mapping[UUID, str], revision: int | None = None) -> None:
    """Store chunks with their words, which include those of the title path."""
    Chunk.objects.bulk_create(rows, batch_size=_INSERT_BATCH_SIZE)
    words = [
        (row.pk, row.document_id, f"{title_path(titles[row.document_id], row.section_path)}\n{row.content}")
        for row in rows
    ]
    if rows:
        term_statistics.store_chunk_terms(rows[0].knowledge_base_id, words, revision=revision)
