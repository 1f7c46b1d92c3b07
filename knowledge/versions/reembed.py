"""Moves a knowledge base to another embedder, while it goes on answering.

The new vectors are made beside the old ones, in an `EmbeddingSpace` of their own that no search reads yet. When no
chunk lacks one any more, one short transaction makes the next revision, which is searched by them. Releases that pinned
an earlier revision go on with the vectors and the embedder they were made with, until they are gone and `prune` takes
the old vectors away.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, OuterRef, QuerySet, Subquery

from knowledge import lease
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, Embedding, EmbeddingSpace, KnowledgeBase
from knowledge.versions import embeddings, writer
from knowledge.versions.batches import OnProgress
from lexic.errors import Conflict


class AlreadyReembedding(Conflict):
    """This knowledge base is being embedded again just now, by somebody else."""

    code = "already_reembedding"
    hint = "Wait until that is done; interrupted work is taken up by the next run."


@dataclass(frozen=True, kw_only=True)
class ReembedResult:
    """What the base is searched by now. `embedded` is how many chunks this run gave new vectors."""

    embedder: str
    dimensions: int
    chunks: int
    embedded: int
    revision: int


def reembed_base(base: KnowledgeBase, *, embedder: Embedder, on_progress: OnProgress | None = None) -> ReembedResult:
    """Move the base to this embedder. What an earlier run has embedded with it is used; with another one, dropped.

    A base that is searched by it already stays as it is. Raises `AlreadyReembedding` and `EmbedderError`, after which
    the base answers as before.
    """
    with lease.try_lease(f"reembed:{base.pk}") as ours:
        if not ours:
            raise AlreadyReembedding
        base.refresh_from_db()
        embedded = 0
        if base.embedder != embedder.name:
            # Before anything is written: a server that is not there, or gives vectors of another length.
            embedder.embed(["A sentence to see whether it answers."])
            embedded = _embed_and_switch(
                base, _get_or_create_space(base, embedder), embedder=embedder, on_progress=on_progress
            )
            base.refresh_from_db()
        return ReembedResult(
            embedder=base.embedder,
            dimensions=base.dimensions,
            chunks=_live_chunks(base).count(),
            embedded=embedded,
            revision=base.revision,
        )


def count_missing(base: KnowledgeBase, *, embedder: Embedder) -> int:
    """How many chunks a move to this embedder would have to embed."""
    if base.embedder == embedder.name:
        return 0
    space = base.spaces.filter(since=None, embedder=embedder.name, dimensions=embedder.dimensions).first()
    return (
        embeddings.chunks_without_embeddings(_live_chunks(base), space=space.number).count()
        if space
        else _live_chunks(base).count()
    )


def _embed_and_switch(
    base: KnowledgeBase, space: EmbeddingSpace, *, embedder: Embedder, on_progress: OnProgress | None
) -> int:
    embedded = 0
    while True:
        embedded += embeddings.chunks_without_embeddings(_live_chunks(base), space=space.number).count()
        embeddings.embed_missing(
            _live_chunks(base),
            space=space.number,
            embedder=embedder,
            on_progress=on_progress or (lambda _done, _total: None),
        )
        # Documents may have come meanwhile: then there is some more to do.
        if _try_switch(base, space):
            return embedded


def _live_chunks(base: KnowledgeBase) -> QuerySet[Chunk]:
    return Chunk.objects.live().filter(knowledge_base=base)


@transaction.atomic
def _get_or_create_space(base: KnowledgeBase, embedder: Embedder) -> EmbeddingSpace:
    in_making = base.spaces.filter(since=None).first()
    if in_making and (in_making.embedder, in_making.dimensions) == (embedder.name, embedder.dimensions):
        return in_making
    if in_making:
        Embedding.objects.filter(knowledge_base=base, space=in_making.number).delete()
        in_making.delete()
    if not base.spaces.exists():
        base.spaces.create(number=base.space, embedder=base.embedder, dimensions=base.dimensions, since=0)
    last = base.spaces.aggregate(last=Max("number"))["last"]
    return base.spaces.create(number=last + 1, embedder=embedder.name, dimensions=embedder.dimensions, since=None)


@transaction.atomic
def _try_switch(base: KnowledgeBase, space: EmbeddingSpace) -> bool:
    """Make the revision from which on the space is searched. False where a chunk still lacks a vector."""
    lease.confirm_held()
    locked = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=base.pk)
    if embeddings.chunks_without_embeddings(_live_chunks(base), space=space.number).exists():
        return False
    _close_late_embeddings(base, space)
    writer.advance_revision(locked, space=space.number, embedder=space.embedder, dimensions=space.dimensions)
    EmbeddingSpace.objects.filter(pk=space.pk).update(since=locked.revision)
    return True


def _close_late_embeddings(base: KnowledgeBase, space: EmbeddingSpace) -> None:
    """A chunk may have left the base at the very moment in which its new vectors were stored."""
    late = Embedding.objects.filter(knowledge_base=base, space=space.number, removed_in=None)
    left = Chunk.objects.filter(pk=OuterRef("chunk")).values("removed_in")[:1]
    late.filter(chunk__removed_in__isnull=False).update(removed_in=Subquery(left))
