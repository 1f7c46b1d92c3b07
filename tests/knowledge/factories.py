"""Knowledge bases with chunks and vectors in them, without reading or embedding anything."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction

from accounts.models import User
from knowledge.chunking.title_path import title_path
from knowledge.models import Chunk, ChunkTerms, Document, Embedding, KnowledgeBase, Page
from knowledge.search import term_statistics
from knowledge.search.hybrid import BaseRevision

DIMENSIONS = 16
CROWD = """
    INSERT INTO knowledge_chunk
        (knowledge_base_id, document_id, page_id, added_in,
         index, start, "end", section_path, content, content_hash)
    SELECT %s, %s, %s, %s, number, 0, 0, '{}', '', '' FROM generate_series(1, %s) AS number
    RETURNING id
"""
COPY_VECTORS = """
    COPY knowledge_embedding (knowledge_base_id, document_id, added_in, chunk_id, "window", vector) FROM STDIN
"""


def make_base(owner: User, **fields: Any) -> KnowledgeBase:
    fields = {"name": "handbook", "embedder": "local", "dimensions": DIMENSIONS, **fields}
    return KnowledgeBase.objects.create(owner=owner, **fields)


def make_document(base: KnowledgeBase, title: str = "Manual", **fields: Any) -> Document:
    fields = {"source_type": "pdf", "page_count": 1, "status": "ready", **fields}
    return Document.objects.create(knowledge_base=base, title=title, **fields)


def store_chunks(
    base: KnowledgeBase, document: Document, texts: Sequence[str], vectors: Any = None, *, path: Sequence[str] = ()
) -> list[Chunk]:
    """One page with these texts as its chunks, alive from a new revision of the base on.

    `vectors` has one row a text, or one matrix of windows a text; without any, each text gets a random one.
    """
    with transaction.atomic():
        chunks = stage_chunks(base, document, texts, vectors, path=path)
        publish(base, added=[chunk.pk for chunk in chunks])
    return chunks


def stage_chunks(
    base: KnowledgeBase, document: Document, texts: Sequence[str], vectors: Any = None, *, path: Sequence[str] = ()
) -> list[Chunk]:
    page = Page.objects.create(document=document, number=1, text="\n".join(texts), source_sha256="0" * 64)
    chunks = Chunk.objects.bulk_create(_chunks(base, document, page, texts, list(path)))
    given = random_vectors(len(texts), dimensions=base.dimensions) if vectors is None else vectors
    windows = ((chunk, number, row) for chunk, rows in zip(chunks, given, strict=True) for number, row in _rows(rows))
    keys = {"knowledge_base": base, "document": document}
    Embedding.objects.bulk_create(
        (Embedding(chunk=chunk, window=number, vector=row, **keys) for chunk, number, row in windows),
        batch_size=2000,
    )
    heading = title_path(document.title, path)
    term_statistics.store_chunk_terms(
        base.pk, [(chunk.pk, document.pk, f"{heading}\n{chunk.content}") for chunk in chunks]
    )
    return chunks


def store_crowd(base: KnowledgeBase, document: Document, vectors: np.ndarray) -> None:
    """A chunk without words for each of very many vectors, in little time, alive from a new revision on."""
    page = Page.objects.create(document=document, number=1, text="", source_sha256="0" * 64)
    revision = publish(base)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(CROWD, [base.pk, document.pk, page.pk, revision, len(vectors)])
        rows = zip([chunk_id for (chunk_id,) in cursor.fetchall()], vectors.tolist(), strict=True)
        with cursor.copy(COPY_VECTORS) as copy:
            for chunk_id, vector in rows:
                copy.write_row((base.pk, document.pk, revision, chunk_id, 0, str(vector)))
        cursor.execute("ANALYZE knowledge_embedding")


def publish(base: KnowledgeBase, *, added: Sequence[int] = (), removed: Sequence[int] = ()) -> int:
    """Make staged chunks part of the base and take others out, as one new revision; returns its number."""
    revision = base.revision + 1
    for model, key in ((Chunk, "pk"), (Embedding, "chunk"), (ChunkTerms, "chunk")):
        model.objects.filter(**{f"{key}__in": added}).update(added_in=revision)
        model.objects.filter(**{f"{key}__in": removed}).update(removed_in=revision)
    term_statistics.record_revision_statistics(base, revision=revision, added=added, removed=removed)
    base.revision = revision
    base.save(update_fields=["revision"])
    return revision


def remove_chunks(base: KnowledgeBase, chunks: Sequence[Chunk]) -> int:
    return publish(base, removed=[chunk.pk for chunk in chunks])


def at(base: KnowledgeBase, revision: int | None = None) -> BaseRevision:
    revision = base.revision if revision is None else revision
    return BaseRevision(knowledge_base_id=base.pk, revision=revision, embedder=base.embedder)


def random_vectors(count: int, *, dimensions: int = DIMENSIONS, seed: int = 0) -> np.ndarray:
    """Unit vectors, one a row."""
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _rows(vectors: Any) -> Any:
    return enumerate(np.atleast_2d(vectors))


def _chunks(base: KnowledgeBase, document: Document, page: Page, texts: Sequence[str], path: list[str]) -> list[Chunk]:
    chunks, start = [], 0
    for index, text in enumerate(texts):
        chunk = Chunk(knowledge_base=base, document=document, page=page, index=index, content=text, section_path=path)
        chunk.start, chunk.end = start, start + len(text)
        chunk.content_hash = hashlib.sha256(text.encode()).digest()
        start = chunk.end + 1
        chunks.append(chunk)
    return chunks
