"""A vector index for each large knowledge base.

Below the limit an exact scan takes a few milliseconds and finds everything. Above it, the base gets a partial HNSW
index of its own, because one index over all bases silently loses neighbours under a filter. A base that moves to
another embedder has one index for each of its two embedding spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.db import connection

from knowledge.embedders.base import MAX_DIMENSIONS
from knowledge.lease import try_lease
from knowledge.models import Embedding, KnowledgeBase
from lexic.errors import LexicError

MIN_INDEXED_VECTORS = 10_000

IndexOutcome = Literal["built", "kept", "dropped", "none", "busy"]


class IndexInTransaction(LexicError):
    """A vector index cannot be built or dropped inside a transaction."""

    code = "index_in_transaction"


def index_name(knowledge_base_id: int, space: int = 0) -> str:
    return f"embedding_vector_of_base_{knowledge_base_id:d}_{space:d}"


def ensure_index(knowledge_base: KnowledgeBase, *, indexed_from: int = MIN_INDEXED_VECTORS) -> IndexOutcome:
    """Builds the index of the base if it holds enough vectors, and drops it if it holds less than half of that.

    Does the same for each other embedding space of the base; the result is that of the space in which the base is
    searched. The index is built concurrently, so searches and ingestion continue. Several processes may call this at
    once: all but one return `busy`. An index that a crash left unfinished is built again. Raises `IndexInTransaction`.
    """
    if connection.in_atomic_block:
        raise IndexInTransaction
    for space in knowledge_base.spaces.exclude(number=knowledge_base.space):
        _SpaceIndex(knowledge_base.pk, space.number, space.dimensions).ensure(indexed_from)
    return _SpaceIndex(knowledge_base.pk, knowledge_base.space, knowledge_base.dimensions).ensure(indexed_from)


def drop_index(knowledge_base_id: int) -> IndexOutcome:
    """Drops the indexes of a base, also of one that has been deleted. Not inside a transaction."""
    with connection.cursor() as cursor:
        pattern = rf"^{index_name(knowledge_base_id, 0)[:-1]}\d+$"
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname ~ %s ORDER BY 1", [pattern])
        for (name,) in cursor.fetchall():
            _drop_by_name(name)
    return "dropped"


@dataclass(frozen=True)
class _SpaceIndex:
    """The index of one embedding space of a knowledge base."""

    knowledge_base_id: int
    space: int
    dimensions: int

    @property
    def name(self) -> str:
        return index_name(self.knowledge_base_id, self.space)

    def ensure(self, indexed_from: int) -> IndexOutcome:
        # Do not wait for the lock: a waiting statement holds a snapshot, and a concurrent build waits for all
        # snapshots.
        with try_lease(self.name) as is_ours:
            if not is_ours:
                return "busy"
            state = _index_state(self.name)
            if state == "broken":
                _drop_by_name(self.name)
            held = self._vectors(up_to=indexed_from)
            if held >= indexed_from and self.dimensions <= MAX_DIMENSIONS:
                return "kept" if state == "valid" else self._build()
            if state == "valid" and held < indexed_from // 2:
                return _drop_by_name(self.name)
        return "kept" if state == "valid" else "none"

    def _build(self) -> IndexOutcome:
        # Each part is a number or is made of one. The definition of an index cannot take parameters.
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE INDEX CONCURRENTLY {self.name} ON knowledge_embedding"
                f" USING hnsw ((vector::halfvec({self.dimensions:d})) halfvec_ip_ops)"
                f" WITH (m = 16, ef_construction = 64)"
                f" WHERE knowledge_base_id = {self.knowledge_base_id:d} AND space = {self.space:d}"
            )
        return "built"

    def _vectors(self, *, up_to: int) -> int:
        """The number of vectors that the index would hold, of all revisions, counted only up to the limit."""
        rows = Embedding.objects.filter(knowledge_base=self.knowledge_base_id, space=self.space)
        return rows.order_by()[:up_to].count()


def _drop_by_name(name: str) -> IndexOutcome:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    return "dropped"


def _index_state(name: str) -> Literal["valid", "broken", "absent"]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        row = cursor.fetchone()
    return "absent" if row is None else "valid" if row[0] else "broken"
