"""The chunks of a document, planned from its pages and staged. What an earlier attempt staged is used again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from knowledge.chunking.chunker import ChunkSpan, chunk_pages, title_path
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, Document, RevisionQuerySet
from knowledge.search import term_statistics
from knowledge.versions.staged_pages import ParsedSource
from knowledge.versions.staging import batched, discard_staged_chunks
from plugins.models import ChunkStrategy

CHUNKS_PER_BATCH = 500
MAX_SECTION_LENGTH = 200
TOKEN_CHUNK_SIZE, TOKEN_CHUNK_OVERLAP = 512, 64


@dataclass(frozen=True, kw_only=True)
class PlannedChunk:
    """A chunk as it should be. Two that are equal are the same chunk."""

    index: int
    page_id: int
    start: int
    end: int
    section_path: tuple[str, ...]
    content_hash: bytes


def plan_chunks(document: Document, reading: ParsedSource, *, title: str, embedder: Embedder) -> list[PlannedChunk]:
    """How the document is to be cut, as its plugin wants it (the plugin that owns the knowledge base)."""
    spans = [span for span in _chunk_spans(document, reading, embedder) if span.start < span.end]
    texts = {page.number: page.text for page in reading.pages}
    return [
        _planned_chunk(span, index=index, text=texts[span.page_number], title=title, page_ids=reading.page_ids)
        for index, span in enumerate(spans)
    ]


def _chunk_spans(document: Document, reading: ParsedSource, embedder: Embedder) -> list[ChunkSpan]:
    plugin = document.knowledge_base.plugin
    if plugin and plugin.chunk_strategy == ChunkStrategy.TOKENS:
        return chunk_pages(
            reading.pages,
            reading.headings,
            strategy="tokens",
            size=TOKEN_CHUNK_SIZE,
            overlap=TOKEN_CHUNK_OVERLAP,
            count_tokens=embedder.count_tokens,
        )
    size = plugin.chunk_size if plugin else 1500
    return chunk_pages(reading.pages, reading.headings, size=size, overlap=size * 2 // 15)


def _planned_chunk(span: ChunkSpan, *, index: int, text: str, title: str, page_ids: dict[int, int]) -> PlannedChunk:
    section_path = tuple(section[:MAX_SECTION_LENGTH] for section in span.section_path)
    return PlannedChunk(
        index=index,
        page_id=page_ids[span.page_number],
        start=span.start,
        end=span.end,
        section_path=section_path,
        content_hash=content_hash(title_path(title, section_path), text[span.start : span.end]),
    )


def content_hash(path: str, content: str) -> bytes:
    """Names what is embedded: equal hashes, equal vectors (within one knowledge base)."""
    return hashlib.sha256(f"{path}\n{content}".encode()).digest()


def is_unchanged(document: Document, planned: Sequence[PlannedChunk], reading: ParsedSource) -> bool:
    """Whether the version that answers now has exactly these chunks and pages."""
    alive = document.pages.filter(added_in__isnull=False, removed_in=None)
    if set(alive.values_list("pk", flat=True)) != set(reading.page_ids.values()):
        return False
    return _stored_chunks(document.chunks.filter(added_in__isnull=False, removed_in=None)) == list(planned)


def stage_chunks(document: Document, planned: Sequence[PlannedChunk], reading: ParsedSource, *, title: str) -> None:
    """Store the planned chunks and their words, beginning where an earlier attempt stopped."""
    staged = _stored_chunks(document.chunks.staged())
    if staged != list(planned[: len(staged)]):
        discard_staged_chunks(document.pk)
        staged = []
    texts = {reading.page_ids[page.number]: page.text for page in reading.pages}
    for batch in batched(planned[len(staged) :], CHUNKS_PER_BATCH):
        _store_chunk_batch(document, batch, texts=texts, title=title, is_paged=reading.is_paged)


def _stored_chunks(chunks: RevisionQuerySet) -> list[PlannedChunk]:
    rows = chunks.order_by("index").values_list("index", "page_id", "start", "end", "section_path", "content_hash")
    return [
        PlannedChunk(
            index=index,
            page_id=page_id,
            start=start,
            end=end,
            section_path=tuple(section_path),
            content_hash=bytes(digest),
        )
        for index, page_id, start, end, section_path, digest in rows
    ]


def _store_chunk_batch(
    document: Document, batch: Sequence[PlannedChunk], *, texts: dict[int, str], title: str, is_paged: bool
) -> None:
    rows = [
        Chunk(
            knowledge_base_id=document.knowledge_base_id,
            document=document,
            page_id=chunk.page_id,
            index=chunk.index,
            start=chunk.start,
            end=chunk.end,
            section_path=list(chunk.section_path),
            content=texts[chunk.page_id][chunk.start : chunk.end],
            content_hash=chunk.content_hash,
            document_title=title,
            source_type=document.source_type,
            is_paged=is_paged,
        )
        for chunk in batch
    ]
    with transaction.atomic():
        Chunk.objects.bulk_create(rows)
        term_statistics.stage_chunk_terms(
            document.knowledge_base_id, [_chunk_term_row(row, title=title) for row in rows]
        )


def _chunk_term_row(row: Chunk, *, title: str) -> tuple[int, UUID, str]:
    return row.pk, row.document_id, f"{title_path(title, row.section_path)}\n{row.content}"
