"""Token states for chunks whose vectors came without: from an earlier Lexic, or with a file of another site.

Until a chunk has them, the model reads it for every question anew, so nothing waits for this.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from django.db import connection, transaction
from django.db.models import BinaryField, Exists, OuterRef, QuerySet
from django.db.models.functions import Substr

from knowledge.embedders import get_embedder
from knowledge.embedders.packed_states import OLDER_FORMAT, repack
from knowledge.lease import confirm_held, try_lease
from knowledge.models import Chunk, Embedding, KnowledgeBase
from knowledge.versions.batches import OnDamaged, OnProgress, batched, id_batches
from knowledge.versions.embeddings import CHUNKS_PER_BATCH, keeps_states
from lexic.sql_files import read_sql

# What is stored of a chunk whose windows are others today than those of its vectors: it is not tried again.
_UNREADABLE = b""
# How many windows are packed anew in one transaction.
_WINDOWS = 200


def add_missing_states(
    base: KnowledgeBase, *, seconds: float | None = None, on_progress: OnProgress = lambda _done, _total: None
) -> int:
    """Give the live chunks of the base the token states that they lack, committed batch by batch; how many still lack
    theirs. After so many `seconds` no further batch is begun.

    Nothing happens, and 0 comes back, where the base is searched by an embedder that has none, where it is too large
    for them, or while another process does the same. Raises `EmbedderError`.
    """
    if not (get_embedder(base.embedder).has_token_states and keeps_states(base.pk)):
        return 0
    with try_lease(f"token-states:{base.pk}") as ours:
        if not ours:
            return 0
        begun, done = time.monotonic(), 0
        lacking = list(_without_states(base).order_by("pk").values_list("pk", flat=True))
        for batch in batched(lacking, CHUNKS_PER_BATCH):
            if seconds is not None and time.monotonic() - begun > seconds:
                break
            _add_states(batch, base)
            done += len(batch)
            on_progress(done, len(lacking))
        return len(lacking) - done


def copy_states(sources: Iterable[KnowledgeBase], targets: Iterable[KnowledgeBase]) -> None:
    """Give the chunks of the targets the token states of chunks of the sources that say the same. A target that is too
    large for them gets none."""
    bases = {
        "sources": [base.pk for base in sources],
        "targets": [base.pk for base in targets if keeps_states(base.pk)],
    }
    with connection.cursor() as cursor:
        cursor.execute(read_sql("knowledge", "copy_token_states"), bases)


def count_missing_states(base: KnowledgeBase) -> int:
    """How many live chunks of the base have none."""
    return _without_states(base).count()


def count_older_states() -> int:
    """How many windows have the states that an earlier version has packed."""
    return _of_older_version().count()


def repack_older_states(on_damaged: OnDamaged) -> Iterator[int]:
    """Pack them as this version does, batch by batch, each committed by itself; gives the number of windows of each.
    Rows that somebody else writes are left for the next run, and those that cannot be read stay."""
    return (_repack(ids, on_damaged) for ids in id_batches(_of_older_version(), _WINDOWS))


def _of_older_version() -> QuerySet[Embedding]:
    # Of a value that lies apart, its first byte is all that is read.
    first = Substr("token_states", 1, 1, output_field=BinaryField())
    return Embedding.objects.annotate(packing=first).filter(packing=OLDER_FORMAT)


@transaction.atomic
def _repack(ids: Sequence[int], on_damaged: OnDamaged) -> int:
    free = Embedding.objects.select_for_update(skip_locked=True, no_key=True, of=("self",)).filter(pk__in=ids)
    packed = []
    for row in free.select_related("chunk").only("token_states", "chunk__content"):
        row.token_states = repack(row.token_states or b"", row.chunk.content)
        if row.token_states[:1] == OLDER_FORMAT:
            on_damaged(f"window {row.pk} of chunk {row.chunk_id}")
        else:
            packed.append(row)
    Embedding.objects.bulk_update(packed, ["token_states"])
    return len(packed)


def _without_states(base: KnowledgeBase) -> QuerySet[Chunk]:
    own = Embedding.objects.filter(chunk=OuterRef("pk"), space=base.space, token_states=None)
    return Chunk.objects.live().filter(Exists(own), knowledge_base=base)


def _add_states(chunk_ids: Sequence[int], base: KnowledgeBase) -> None:
    chunks = Chunk.objects.filter(pk__in=chunk_ids).select_related("document").order_by("pk")
    texts = {chunk.pk: chunk.embedded_text for chunk in chunks}
    read = get_embedder(base.embedder).embed_chunks([*texts.values()], keeps_states=True)
    states = {pk: embedded.states for pk, embedded in zip(texts, read, strict=True)}
    with transaction.atomic():
        # Whoever publishes holds this lock too, and changes the same rows.
        if KnowledgeBase.objects.select_for_update(no_key=True).filter(pk=base.pk).first():
            confirm_held()
            _write_states(states, space=base.space)


def _write_states(states: Mapping[int, Sequence[bytes]], *, space: int) -> None:
    rows = Embedding.objects.filter(chunk__in=states, space=space).only("chunk_id", "window")
    changed = []
    for chunk_id, windows in groupby(rows.order_by("chunk", "window"), key=lambda row: row.chunk_id):
        of_chunk, own = list(windows), states[chunk_id]
        fits = len(own) == len(of_chunk)
        for number, row in enumerate(of_chunk):
            row.token_states = own[number] if fits else _UNREADABLE
        changed += of_chunk
    Embedding.objects.bulk_update(changed, ["token_states"])
