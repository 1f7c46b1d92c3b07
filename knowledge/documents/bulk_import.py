"""Many short texts at once: the rows of a corpus, the articles of a wiki export.

One document a text, and one revision for them all. Plain text needs no parser, so nothing here starts a reader.
Everything is planned and embedded in memory first; then one transaction writes it, so that searches see all of
it or nothing, and an interrupted import leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from knowledge import lease
from knowledge.chunking.chunker import title_path
from knowledge.documents import file_store, metadata_columns
from knowledge.embedders import get_embedder
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, ChunkTerms, Document, DocumentStatus, KnowledgeBase, Page, SourceType
from knowledge.readers.text_cleaning import clean_text as readable
from knowledge.readers.types import PageText
from knowledge.search import term_statistics
from knowledge.versions import embeddings, staged_chunks
from knowledge.versions.staged_chunks import PlannedChunk
from knowledge.versions.staged_pages import ParsedSource
from knowledge.versions.staging import batched, replace_unstorable
from lexic.errors import Conflict

# Documents that are embedded, and written, together: a few thousand windows.
DOCUMENTS_PER_BATCH = 500
_INSERT_BATCH_SIZE = 2000
_PAGE_ID_PLACEHOLDER = 0

OnProgress = Callable[[int, int], None]


class NameTaken(Conflict):
    """The knowledge base has another text under one of these names."""

    code = "name_taken"
    hint = "A bulk import only adds: replace that document by itself, or give the text another name."


@dataclass(frozen=True, kw_only=True)
class NewText:
    """A text to be added. `name` is its own within the knowledge base; `title` may be empty, and is searched."""

    name: str
    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BulkImportResult:
    """The document of every name, texts of equal bytes sharing one; and what was new, and had nothing to cite."""

    documents: Mapping[str, UUID]
    added: int
    chunks: int
    empty: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _EmbeddedText:
    document: Document
    text: str
    planned: Sequence[PlannedChunk]
    windows: Sequence[embeddings.WindowVectors]  # for each planned chunk


def add_texts(
    *,
    knowledge_base: KnowledgeBase,
    texts: Iterable[NewText],
    embedder: Embedder | None = None,
    on_progress: OnProgress | None = None,
) -> BulkImportResult:
    """Add the texts as documents that answer at once, in one revision; none when there is nothing new.

    Bytes that the knowledge base holds already are not added again. `on_progress` hears how many of the new texts
    are embedded. Raises `NameTaken`, `WrongDimensions`, `EmbedderChanged`, `InvalidMetadata` and `EmbedderError`;
    nothing is added then.
    """
    embedder = embedder or get_embedder(knowledge_base.embedder)
    cleaned = {one.name: (one, _clean_plain_text(one.text)) for one in texts}
    hashes = {name: _text_sha256(text) for name, (_, text) in cleaned.items() if any(map(str.isalnum, text))}
    known = _documents_by_hash(knowledge_base)
    fresh = {digest: name for name, digest in reversed(hashes.items()) if digest not in known}
    rows = [(*cleaned[name], digest) for digest, name in reversed(fresh.items())]
    _check_names_free(knowledge_base, [one.name for one, _, _ in rows])
    prepared = list(_embed_batches(knowledge_base, rows, embedder=embedder, on_progress=on_progress))
    added = _write_revision(knowledge_base, prepared, dimensions=embedder.dimensions) if prepared else {}
    known |= added
    return BulkImportResult(
        documents={name: known[digest] for name, digest in hashes.items() if digest in known},
        added=len(added),
        chunks=sum(len(one.planned) for one in prepared),
        empty=tuple(name for name in cleaned if name not in hashes),
    )


def _clean_plain_text(text: str) -> str:
    # As the reader of plain text leaves it, so that reading the stored bytes again changes nothing.
    return replace_unstorable(readable(text).replace("\f", "\n"))


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _documents_by_hash(base: KnowledgeBase) -> dict[str, UUID]:
    present = Document.objects.present().filter(knowledge_base=base).exclude(sha256="")
    return dict(present.values_list("sha256", "pk"))


def _check_names_free(base: KnowledgeBase, names: Sequence[str]) -> None:
    present = set(Document.objects.present().filter(knowledge_base=base).values_list("file_name", flat=True))
    if not present.isdisjoint(names):
        raise NameTaken


# --- Before anything is written -----------------------------------------------------------------------------


def _embed_batches(
    base: KnowledgeBase,
    rows: Sequence[tuple[NewText, str, str]],
    *,
    embedder: Embedder,
    on_progress: OnProgress | None,
) -> Iterator[_EmbeddedText]:
    done = 0
    for batch in batched(rows, DOCUMENTS_PER_BATCH):
        documents = [(_new_document(base, one, digest), text) for one, text, digest in batch]
        plans = [_plan_text_chunks(document, text, embedder) for document, text in documents]
        found = iter(embeddings.embed_windows(_chunk_texts(documents, plans), embedder=embedder))
        for (document, text), planned in zip(documents, plans, strict=True):
            windows = [next(found) for _ in planned]
            yield _EmbeddedText(document=document, text=text, planned=planned, windows=windows)
        done += len(batch)
        if on_progress:
            on_progress(done, len(rows))


def _new_document(base: KnowledgeBase, new: NewText, digest: str) -> Document:
    return Document(
        knowledge_base=base,
        title=" ".join(replace_unstorable(new.title).split())[:300],
        file_name=replace_unstorable(new.name)[-300:],
        source_type=SourceType.TEXT,
        sha256=digest,
        ready_sha256=digest,
        status=DocumentStatus.READY,
        pages_total=1,
        pages_done=1,
        **metadata_columns.split_metadata(new.metadata),
    )


def _plan_text_chunks(document: Document, text: str, embedder: Embedder) -> list[PlannedChunk]:
    reading = ParsedSource(pages=[PageText(number=1, text=text)], page_ids={1: _PAGE_ID_PLACEHOLDER})
    planned = staged_chunks.plan_chunks(document, reading, title=document.title, embedder=embedder)
    document.chunks_total = document.chunks_done = len(planned)
    return planned


def _chunk_texts(
    documents: Sequence[tuple[Document, str]], plans: Sequence[Sequence[PlannedChunk]]
) -> list[tuple[str, str]]:
    """Title path and content of every planned chunk, in order."""
    return [
        (title_path(document.title, chunk.section_path), text[chunk.start : chunk.end])
        for (document, text), planned in zip(documents, plans, strict=True)
        for chunk in planned
    ]


# --- One transaction ----------------------------------------------------------------------------------------


@transaction.atomic
def _write_revision(base: KnowledgeBase, prepared: Sequence[_EmbeddedText], *, dimensions: int) -> dict[str, UUID]:
    lease.lock_in_transaction(f"add:{base.pk}")
    locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
    embeddings.check_same_space(locked, base)
    embeddings.ensure_dimensions(locked, dimensions)
    revision = locked.revision + 1
    # Somebody may have added one of them meanwhile.
    known = _documents_by_hash(base)
    new = [one for one in prepared if one.document.sha256 not in known]
    added: list[int] = []
    for batch in batched(new, DOCUMENTS_PER_BATCH):
        added += _write_batch(locked, batch, revision=revision)
    term_statistics.record_revision_statistics(locked, revision=revision, added=added, removed=[])
    locked.revision = revision
    locked.save(update_fields=["revision"])
    base.revision, base.dimensions = revision, dimensions
    return {one.document.sha256: known.get(one.document.sha256, one.document.pk) for one in prepared}


def _write_batch(base: KnowledgeBase, batch: Sequence[_EmbeddedText], *, revision: int) -> list[int]:
    for one in batch:
        file_store.store_file(io.BytesIO(one.text.encode()), max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
        one.document.added_in = revision
    Document.objects.bulk_create([one.document for one in batch])
    pages = Page.objects.bulk_create(_page_row(one, revision) for one in batch)
    rows = [
        _chunk_row(base, one, page, planned, revision)
        for one, page in zip(batch, pages, strict=True)
        for planned in one.planned
    ]
    Chunk.objects.bulk_create(rows, batch_size=_INSERT_BATCH_SIZE)
    titles = {one.document.pk: one.document.title for one in batch}
    term_statistics.stage_chunk_terms(base.pk, [_chunk_term_row(row, titles[row.document_id]) for row in rows])
    ChunkTerms.objects.filter(document__in=titles.keys()).update(added_in=revision)
    windows = [window for one in batch for window in one.windows]
    embeddings.store_embeddings(rows, windows, space=base.space)
    return [row.pk for row in rows]


def _page_row(one: _EmbeddedText, revision: int) -> Page:
    digest = one.document.sha256
    return Page(document=one.document, number=1, text=one.text, source_sha256=digest, added_in=revision)


def _chunk_row(base: KnowledgeBase, one: _EmbeddedText, page: Page, planned: PlannedChunk, revision: int) -> Chunk:
    return Chunk(
        knowledge_base=base,
        document=one.document,
        page=page,
        index=planned.index,
        start=planned.start,
        end=planned.end,
        section_path=list(planned.section_path),
        content=one.text[planned.start : planned.end],
        content_hash=planned.content_hash,
        added_in=revision,
    )


def _chunk_term_row(row: Chunk, title: str) -> tuple[int, UUID, str]:
    return row.pk, row.document_id, f"{title_path(title, row.section_path)}\n{row.content}"
