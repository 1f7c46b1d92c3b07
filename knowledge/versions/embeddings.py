"""The vectors of chunks: copied where the same text was embedded before, computed otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from knowledge.embedders.base import EmbeddedChunk, Embedder
from knowledge.lease import confirm_held
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase, Revision
from knowledge.versions.batches import OnProgress, batched
from knowledge.versions.chunk_plan import PlannedDocument, PlannedText
from knowledge.versions.progress import VersionProgress
from lexic.errors import Conflict
from lexic.sql_files import read_sql

CHUNKS_PER_BATCH = 64
_INSERT_BATCH_SIZE = 2_000


class WrongDimensions(Conflict):
    """The embedder makes vectors of another length than this knowledge base holds."""

    code = "wrong_dimensions"
    hint = "Set the embedder back, or embed the knowledge base again with `manage.py reembed`."


class EmbedderChanged(Conflict):
    """The knowledge base was moved to another embedder in the meantime."""

    code = "embedder_changed"
    hint = "Try again: it will be embedded with the new one."


def ensure_dimensions(base: KnowledgeBase, dimensions: int) -> None:
    """The first vectors fix their length. Raises `WrongDimensions` afterwards."""
    if base.dimensions == dimensions:
        return
    if base.spaces.exists() or Embedding.objects.filter(knowledge_base=base).exists():
        raise WrongDimensions
    KnowledgeBase.objects.filter(pk=base.pk).update(dimensions=dimensions)
    base.dimensions = dimensions


def check_same_space(locked: KnowledgeBase, base: KnowledgeBase) -> None:
    """Raises `EmbedderChanged` when the base has moved to another space since `base` was loaded."""
    if locked.space != base.space:
        raise EmbedderChanged


def check_fully_embedded(chunks: QuerySet[Chunk], *, space: int) -> None:
    """Raises `EmbedderChanged` when one of the chunks has no vectors in this space."""
    if chunks_without_embeddings(chunks, space=space).exists():
        raise EmbedderChanged


def keeps_states(knowledge_base_id: int, *, added: int = 0) -> bool:
    """Whether token states are stored with the next vectors of the base: while it holds no more chunks than the setting
    says, with so many that are `added` and not part of it yet."""
    most = settings.LEXIC_TOKEN_STATES_MAX_CHUNKS
    if not most:
        return False
    latest = Revision.objects.filter(knowledge_base=knowledge_base_id).order_by("-number")
    return (latest.values_list("chunk_count", flat=True).first() or 0) + added <= most


def embed_texts(
    texts: Sequence[PlannedText | PlannedDocument],
    *,
    embedder: Embedder,
    keeps_states: bool,
    embedded: Collection[bytes] = (),
) -> dict[bytes, EmbeddedChunk]:
    """The vectors of all chunks by content hash, except for the hashes that are `embedded`. Raises `EmbedderError`."""
    missing = {digest: text for one in texts for digest, text in one.chunk_texts() if digest not in embedded}
    read = embedder.embed_chunks([*missing.values()], keeps_states=keeps_states)
    return dict(zip(missing, read, strict=True))


def embedded_hashes(base: KnowledgeBase, texts: Sequence[PlannedText | PlannedDocument]) -> set[bytes]:
    """The content hashes among those of the texts that a chunk of this knowledge base, live or removed, has vectors
    for."""
    hashes = {chunk.content_hash for one in texts for chunk in one.chunks}
    known = Chunk.objects.filter(knowledge_base=base, content_hash__in=hashes)
    embedded = known.filter(Exists(Embedding.objects.filter(chunk=OuterRef("pk"), space=base.space)))
    return {bytes(digest) for digest in embedded.order_by().values_list("content_hash", flat=True).distinct()}


@transaction.atomic
def store_embeddings(chunks: Sequence[Chunk], embedded: Sequence[EmbeddedChunk], *, space: int) -> None:
    """Store the vectors of these chunks in that space: staged where the chunk is staged, live where it is live."""
    confirm_held()
    Embedding.objects.bulk_create(_embedding_rows(chunks, embedded, space), batch_size=_INSERT_BATCH_SIZE)


def embed_staged_chunks(document: Document, *, embedder: Embedder, progress: VersionProgress) -> None:
    """Give the staged chunks of the document the vectors they lack. Raises `EmbedderError`, `Superseded`."""
    space = document.knowledge_base.space
    embed_missing(document.chunks.staged(), space=space, embedder=embedder, on_progress=progress.report_chunks)


def embed_missing(chunks: QuerySet[Chunk], *, space: int, embedder: Embedder, on_progress: OnProgress) -> None:
    """Give the chunks the vectors they lack in this space, committed batch by batch. Raises `EmbedderError`.

    A text that occurs twice is embedded once, and copied at the end. `on_progress` is called with how many of the
    chunks have their vectors.
    """
    copy_known_embeddings(chunks, space=space)
    total, missing = chunks.count(), chunks_without_embeddings(chunks, space=space)
    done = total - missing.count()
    on_progress(done, total)
    once = list(missing.order_by("content_hash", "pk").distinct("content_hash").values_list("pk", flat=True))
    for batch in batched(once, CHUNKS_PER_BATCH):
        _embed_batch(
            list(Chunk.objects.filter(pk__in=batch).select_related("document").order_by("pk")),
            space=space,
            embedder=embedder,
        )
        done += len(batch)
        on_progress(done, total)
    copy_known_embeddings(chunks, space=space)
    on_progress(total, total)


def copy_known_embeddings(chunks: QuerySet[Chunk], *, space: int) -> None:
    """Give the chunks the vectors of any chunk of their knowledge base, alive or dead, with the same hash."""
    lacking = list(chunks_without_embeddings(chunks, space=space).order_by().values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(read_sql("knowledge", "copy_known_vectors"), {"chunks": lacking, "space": space})


def chunks_without_embeddings(chunks: QuerySet[Chunk], *, space: int) -> QuerySet[Chunk]:
    """The chunks that have no vectors in this space."""
    return chunks.exclude(Exists(Embedding.objects.filter(chunk=OuterRef("pk"), space=space)))


def _embed_batch(chunks: Sequence[Chunk], *, space: int, embedder: Embedder) -> None:
    texts = [chunk.embedded_text for chunk in chunks]
    embedded = embedder.embed_chunks(texts, keeps_states=keeps_states(chunks[0].knowledge_base_id))
    store_embeddings(chunks, embedded, space=space)


def _embedding_rows(chunks: Sequence[Chunk], embedded: Sequence[EmbeddedChunk], space: int) -> Iterator[Embedding]:
    for chunk, windows in zip(chunks, embedded, strict=True):
        for number, (vector, states) in enumerate(zip_longest(windows.vectors, windows.states)):
            yield Embedding(
                chunk=chunk,
                knowledge_base_id=chunk.knowledge_base_id,
                document_id=chunk.document_id,
                window=number,
                space=space,
                vector=vector,
                token_states=states,
                added_in=chunk.added_in,
                removed_in=chunk.removed_in,
            )
