"""The chunks of a document, planned from its pages and staged. What an earlier attempt staged is used again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from knowledge import lexicon
from knowledge.chunking import ChunkSpan, chunk_pages, title_path
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, Document, RevisionQuerySet
from knowledge.pages import Reading
from knowledge.staging import batched, discard_chunks
from plugins.models import ChunkStrategy

CHUNKS_AT_ONCE = 500
SECTION_LENGTH = 200
TOKENS, TOKENS_SHARED = 512, 64


@dataclass(frozen=True, kw_only=True)
class PlannedChunk:
    """A chunk as it should be. Two that are equal are the same chunk."""

    index: int
    page_id: int
    start: int
    end: int
    section_path: tuple[str, ...]
    content_hash: bytes


def plan_chunks(document: Document, reading: Reading, *, title: str, embedder: Embedder) -> list[PlannedChunk]:
    """How the document is to be cut, as its plugin wants it (the plugin that owns the knowledge base)."""
    spans = [span for span in _spans(document, reading, embedder) if span.start < span.end]
    texts = {page.number: page.text for page in reading.pages}
    return [
        _planned(span, index=index, text=texts[span.page_number], title=title, page_ids=reading.page_ids)
        for index, span in enumerate(spans)
    ]


def _spans(document: Document, reading: Reading, embedder: Embedder) -> list[ChunkSpan]:
    plugin = document.knowledge_base.plugin
    if plugin and plugin.chunk_strategy == ChunkStrategy.TOKENS:
        return chunk_pages(
            reading.pages,
            reading.headings,
            strategy="tokens",
            size=TOKENS,
            overlap=TOKENS_SHARED,
            count_tokens=embedder.count_tokens,
        )
    size = plugin.chunk_size if plugin else 1500
    return chunk_pages(reading.pages, reading.headings, size=size, overlap=size * 2 // 15)


def _planned(span: ChunkSpan, *, index: int, text: str, title: str, page_ids: dict[int, int]) -> PlannedChunk:
    section_path = tuple(section[:SECTION_LENGTH] for section in span.section_path)
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


def is_as_before(document: Document, planned: Sequence[PlannedChunk], reading: Reading) -> bool:
    """Whether the version that answers now has exactly these chunks and pages."""
    alive = document.pages.filter(added_in__isnull=False, removed_in=None)
    if set(alive.values_list("pk", flat=True)) != set(reading.page_ids.values()):
        return False
    return _stored(document.chunks.filter(added_in__isnull=False, removed_in=None)) == list(planned)


def stage_chunks(document: Document, planned: Sequence[PlannedChunk], reading: Reading, *, title: str) -> None:
    """Store the planned chunks and their words, beginning where an earlier attempt stopped."""
    staged = _stored(document.chunks.staged())
    if staged != list(planned[: len(staged)]):
        discard_chunks(document.pk)
        staged = []
    texts = {reading.page_ids[page.number]: page.text for page in reading.pages}
    for batch in batched(planned[len(staged) :], CHUNKS_AT_ONCE):
        _store(document, batch, texts=texts, title=title, is_paged=reading.is_paged)


def _stored(chunks: RevisionQuerySet) -> list[PlannedChunk]:
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


def _store(
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
        lexicon.write_terms(document.knowledge_base_id, [_words(row, title=title) for row in rows])


def _words(row: Chunk, *, title: str) -> tuple[int, UUID, str]:
    return row.pk, row.document_id, f"{title_path(title, row.section_path)}\n{row.content}"
