"""Adds many short texts at once, such as the rows of a corpus or the articles of a wiki export.

Each text is a document, and all of them together make one revision. Plain text needs no parser, so no reader is
started. Everything is chunked and embedded in memory first; then one transaction writes it, so that searches see all
of it or nothing, and an interrupted import leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from knowledge import lease, storage_usage
from knowledge.documents import file_store, metadata_columns
from knowledge.embedders import get_embedder
from knowledge.embedders.base import EmbeddedChunk, Embedder
from knowledge.models import Document, DocumentStatus, KnowledgeBase, SourceType
from knowledge.readers.text_cleaning import clean_text, replace_unstorable
from knowledge.versions import embeddings, writer
from knowledge.versions.batches import OnProgress, batched
from knowledge.versions.chunk_plan import PlannedText, plan_text
from lexic.errors import Conflict

# Documents that are embedded, and written, together: a few thousand windows.
DOCUMENTS_PER_BATCH = 500


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


def add_texts(
    *,
    knowledge_base: KnowledgeBase,
    texts: Iterable[NewText],
    embedder: Embedder | None = None,
    on_progress: OnProgress | None = None,
) -> BulkImportResult:
    """Add the texts as documents that answer at once, in one revision; none when there is nothing new.

    Bytes that the knowledge base holds already are not added again. `on_progress` is called with how many of the new
    texts are embedded. Raises `NameTaken`, `WrongDimensions`, `EmbedderChanged`, `InvalidMetadata` and `EmbedderError`;
    nothing is added then.
    """
    embedder = embedder or get_embedder(knowledge_base.embedder)
    # Cleaned as the reader of plain text does it, so that reading the stored bytes again changes nothing.
    cleaned = {one.name: (one, replace_unstorable(clean_text(one.text).replace("\f", "\n"))) for one in texts}
    hashes = {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, (_, text) in cleaned.items()
        if any(map(str.isalnum, text))
    }
    known = _documents_by_hash(knowledge_base)
    fresh = {digest: name for name, digest in reversed(hashes.items()) if digest not in known}
    rows = [(*cleaned[name], digest) for digest, name in reversed(fresh.items())]
    present = Document.objects.present().filter(knowledge_base=knowledge_base)
    if not set(present.values_list("file_name", flat=True)).isdisjoint(new.name for new, _, _ in rows):
        raise NameTaken
    planned, vectors = _plan_and_embed(knowledge_base, rows, embedder=embedder, on_progress=on_progress)
    added = _write_revision(knowledge_base, planned, vectors=vectors, dimensions=embedder.dimensions) if planned else {}
    known |= added
    return BulkImportResult(
        documents={name: known[digest] for name, digest in hashes.items() if digest in known},
        added=len(added),
        chunks=sum(len(one.chunks) for one in planned),
        empty=tuple(name for name in cleaned if name not in hashes),
    )


def _documents_by_hash(base: KnowledgeBase) -> dict[str, UUID]:
    present = Document.objects.present().filter(knowledge_base=base).exclude(sha256="")
    return dict(present.values_list("sha256", "pk"))


# --- Before anything is written -----------------------------------------------------------------------------


def _plan_and_embed(
    base: KnowledgeBase,
    rows: Sequence[tuple[NewText, str, str]],
    *,
    embedder: Embedder,
    on_progress: OnProgress | None,
) -> tuple[list[PlannedText], dict[bytes, EmbeddedChunk]]:
    """The texts as documents, and the vectors of their chunks by content hash."""
    planned: list[PlannedText] = []
    vectors: dict[bytes, EmbeddedChunk] = {}
    for batch in batched(rows, DOCUMENTS_PER_BATCH):
        texts = [plan_text(_new_document(base, new, sha256), text, embedder=embedder) for new, text, sha256 in batch]
        keeps_states = embeddings.keeps_states(base.pk, added=len(vectors))
        vectors |= embeddings.embed_texts(texts, embedder=embedder, keeps_states=keeps_states, embedded=vectors)
        planned += texts
        if on_progress:
            on_progress(len(planned), len(rows))
    return planned, vectors


def _new_document(base: KnowledgeBase, new: NewText, sha256: str) -> Document:
    title = " ".join(replace_unstorable(new.title).split())[:300]
    return Document(
        knowledge_base=base,
        title=title,
        is_named=bool(title),
        file_name=replace_unstorable(new.name)[-300:],
        source_type=SourceType.TEXT,
        sha256=sha256,
        ready_sha256=sha256,
        status=DocumentStatus.READY,
        **metadata_columns.split_metadata(new.metadata),
    )


# --- One transaction ----------------------------------------------------------------------------------------


@transaction.atomic
def _write_revision(
    base: KnowledgeBase, planned: Sequence[PlannedText], *, vectors: Mapping[bytes, EmbeddedChunk], dimensions: int
) -> dict[str, UUID]:
    lease.lock_in_transaction(f"add:{base.pk}")
    locked = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=base.pk)
    embeddings.check_same_space(locked, base)
    embeddings.ensure_dimensions(locked, dimensions)
    revision = locked.revision + 1
    # Somebody may have added one of them meanwhile.
    known = _documents_by_hash(base)
    added: list[int] = []
    for batch in batched((one for one in planned if one.document.sha256 not in known), DOCUMENTS_PER_BATCH):
        for one in batch:
            file_store.store_file(io.BytesIO(one.text.encode()), max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
            one.document.added_in = revision
        Document.objects.bulk_create(one.document for one in batch)
        added += writer.write_texts(locked, batch, vectors=vectors, revision=revision, remembers_title=False)
    storage_usage.check_account(locked.owner, added=sum(one.document.sha256 not in known for one in planned))
    writer.advance_revision(locked, added=added)
    base.revision, base.dimensions = revision, dimensions
    return {one.document.sha256: known.get(one.document.sha256, one.document.pk) for one in planned}
