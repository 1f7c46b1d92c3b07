"""The vectors of a document's staged chunks: copied where the same text was embedded before, computed otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from knowledge.chunking import title_path
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, Document, Embedding
from knowledge.progress import Progress
from knowledge.staging import batched

CHUNKS_AT_ONCE = 64

# One statement, so that a chunk gets all windows of its donor or none.
COPY_KNOWN = """
INSERT INTO knowledge_embedding (chunk_id, knowledge_base_id, document_id, "window", vector)
SELECT wanting.id, wanting.knowledge_base_id, wanting.document_id, known."window", known.vector
FROM knowledge_chunk wanting
CROSS JOIN LATERAL (
    SELECT chunk.id FROM knowledge_chunk chunk
    WHERE chunk.knowledge_base_id = wanting.knowledge_base_id AND chunk.content_hash = wanting.content_hash
      AND EXISTS (SELECT 1 FROM knowledge_embedding WHERE chunk_id = chunk.id)
    LIMIT 1
) donor
JOIN knowledge_embedding known ON known.chunk_id = donor.id
WHERE wanting.document_id = %s AND wanting.added_in IS NULL
  AND NOT EXISTS (SELECT 1 FROM knowledge_embedding WHERE chunk_id = wanting.id)
"""


def copy_known_vectors(document: Document) -> None:
    """Give staged chunks the vectors of any chunk of this knowledge base, alive or dead, with the same hash."""
    with connection.cursor() as cursor:
        cursor.execute(COPY_KNOWN, [document.pk])


def embed_missing(document: Document, *, title: str, embedder: Embedder, progress: Progress) -> None:
    """Compute the vectors that are still missing, committed batch by batch. Raises `EmbedderError`."""
    copy_known_vectors(document)
    total, missing = document.chunks.staged().count(), _missing(document)
    done = total - missing.count()
    progress.chunks(done, total)
    # A text that occurs twice in the document is embedded once, and copied at the end.
    once = list(missing.order_by("content_hash", "index").distinct("content_hash").values_list("pk", flat=True))
    for batch in batched(once, CHUNKS_AT_ONCE):
        _embed(Chunk.objects.filter(pk__in=batch).order_by("index"), title=title, embedder=embedder)
        done += len(batch)
        progress.chunks(done, total)
    copy_known_vectors(document)
    progress.chunks(total, total)


def _missing(document: Document) -> QuerySet[Chunk]:
    return document.chunks.staged().exclude(Exists(Embedding.objects.filter(chunk=OuterRef("pk"))))


def _embed(chunks: QuerySet[Chunk], *, title: str, embedder: Embedder) -> None:
    windows = [
        (chunk, number, text)
        for chunk in chunks
        for number, text in enumerate(_windows(chunk, title=title, embedder=embedder))
    ]
    vectors = embedder.embed([text for _, _, text in windows])
    Embedding.objects.bulk_create(
        Embedding(
            chunk=chunk,
            knowledge_base_id=chunk.knowledge_base_id,
            document_id=chunk.document_id,
            window=number,
            vector=vector,
        )
        for (chunk, number, _), vector in zip(windows, vectors, strict=True)
    )


def _windows(chunk: Chunk, *, title: str, embedder: Embedder) -> Sequence[str]:
    return embedder.windows(title_path=title_path(title, chunk.section_path), text=chunk.content)
