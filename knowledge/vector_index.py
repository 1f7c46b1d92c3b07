"""A vector index of its own for every large knowledge base.

Below the limit an exact scan takes a few milliseconds and finds everything. Above it, the base gets a partial HNSW
index: one over all bases would lose neighbours under a filter without saying so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from django.db import connection

from knowledge.lease import key_of
from knowledge.models import Embedding, KnowledgeBase
from lexic.errors import LexicError

INDEXED_FROM = 10_000
# pgvector's limit for an index on half-precision vectors.
_MOST_DIMENSIONS = 4_000

Outcome = Literal["built", "kept", "dropped", "none", "busy"]


class IndexInTransaction(LexicError):
    """A vector index cannot be built or dropped inside a transaction."""

    code = "index_in_transaction"


def index_name(knowledge_base_id: int) -> str:
    return f"embedding_vector_of_base_{knowledge_base_id:d}"


def ensure_index(knowledge_base: KnowledgeBase, *, indexed_from: int = INDEXED_FROM) -> Outcome:
    """Give the base its index when it holds so many vectors, and take it away when it holds less than half.

    Builds concurrently: searches and ingestions go on. May be called at any time, by several at once; all but one
    return `busy`. What a crashed build left behind is built again. Raises `IndexInTransaction`.
    """
    if connection.in_atomic_block:
        raise IndexInTransaction
    name = index_name(knowledge_base.pk)
    with _alone(name) as is_alone:
        if not is_alone:
            return "busy"
        state = _state(name)
        if state == "broken":
            drop_index(knowledge_base.pk)
        held = _vectors(knowledge_base, up_to=indexed_from)
        if held >= indexed_from and knowledge_base.dimensions <= _MOST_DIMENSIONS:
            return "kept" if state == "valid" else _build(knowledge_base)
        if state == "valid" and held < indexed_from // 2:
            return drop_index(knowledge_base.pk)
    return "kept" if state == "valid" else "none"


def drop_index(knowledge_base_id: int) -> Outcome:
    """Drop the index if there is one; also for a base that is gone. Not inside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(knowledge_base_id)}")
    return "dropped"


def _build(knowledge_base: KnowledgeBase) -> Outcome:
    # Every part is a number or made of one; an index definition takes no parameters.
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX CONCURRENTLY {index_name(knowledge_base.pk)} ON knowledge_embedding"
            f" USING hnsw ((vector::halfvec({knowledge_base.dimensions:d})) halfvec_ip_ops)"
            f" WITH (m = 16, ef_construction = 64) WHERE knowledge_base_id = {knowledge_base.pk:d}"
        )
    return "built"


def _vectors(knowledge_base: KnowledgeBase, *, up_to: int) -> int:
    """How many vectors the base holds, of all revisions, counted no further than needed."""
    return Embedding.objects.filter(knowledge_base=knowledge_base).order_by()[:up_to].count()


def _state(name: str) -> Literal["valid", "broken", "absent"]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        row = cursor.fetchone()
    return "absent" if row is None else "valid" if row[0] else "broken"


@contextmanager
def _alone(name: str) -> Iterator[bool]:
    """Whether this session alone may touch the index. It tries and does not wait: a waiting statement would hold
    a snapshot, and a concurrent build waits for snapshots."""
    key = key_of(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (is_alone,) = cursor.fetchone()
        try:
            yield is_alone
        finally:
            if is_alone:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
