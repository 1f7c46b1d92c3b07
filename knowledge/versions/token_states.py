"""Token states for chunks whose vectors came without: from an earlier Lexic, or with a file of another site.

Until a chunk has them, the model reads it for every question anew, so nothing waits for this.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from knowledge.chunking.chunker import title_path
from knowledge.embedders import get_embedder
from knowledge.lease import try_lease
from knowledge.models import Chunk, Embedding, KnowledgeBase
from knowledge.versions.batches import OnProgress, batched
from knowledge.versions.embeddings import CHUNKS_PER_BATCH, keeps_states
from lexic.sql_files import read_sql


def add_missing_states(base: KnowledgeBase, *, on_progress: OnProgress = lambda _done, _total: None) -> int:
    """Give the live chunks of the base the token states that they lack, committed batch by batch; how many got some.

    Nothing happens where the base is searched by an embedder that has none, where it is too large for them, or while
    another process does the same. Raises `EmbedderError`.
    """
    embedder = get_embedder(base.embedder)
    if not (embedder.has_token_states and keeps_states(base.pk)):
        return 0
    with try_lease(f"token-states:{base.pk}") as ours:
        if not ours:
            return 0
        lacking = list(_without_states(base).order_by("pk").values_list("pk", flat=True))
        done = 0
        for batch in batched(lacking, CHUNKS_PER_BATCH):
            _add_states(Chunk.objects.filter(pk__in=batch).order_by("pk"), base)
            done += len(batch)
            on_progress(done, len(lacking))
        return done


def copy_states(sources: Iterable[KnowledgeBase], targets: Iterable[KnowledgeBase]) -> None:
    """Give the chunks of the targets the token states of chunks of the sources that say the same."""
    bases = {"sources": [base.pk for base in sources], "targets": [base.pk for base in targets]}
    with connection.cursor() as cursor:
        cursor.execute(read_sql("knowledge", "copy_token_states"), bases)


def count_missing_states(base: KnowledgeBase) -> int:
    """How many live chunks of the base have none."""
    return _without_states(base).count()


def _without_states(base: KnowledgeBase) -> QuerySet[Chunk]:
    own = Embedding.objects.filter(chunk=OuterRef("pk"), space=base.space, token_states=None)
    return Chunk.objects.live().filter(Exists(own), knowledge_base=base)


@transaction.atomic
def _add_states(chunks: QuerySet[Chunk], base: KnowledgeBase) -> None:
    texts = {chunk.pk: (title_path(chunk.document_title, chunk.section_path), chunk.content) for chunk in chunks}
    read = get_embedder(base.embedder).embed_chunks([*texts.values()], keeps_states=True)
    states = {pk: embedded.states for pk, embedded in zip(texts, read, strict=True)}
    rows = Embedding.objects.filter(chunk__in=texts, space=base.space).only("chunk_id", "window")
    with_states = [row for row in rows if row.window < len(states[row.chunk_id])]
    for row in with_states:
        row.token_states = states[row.chunk_id][row.window]
    Embedding.objects.bulk_update(with_states, ["token_states"])
