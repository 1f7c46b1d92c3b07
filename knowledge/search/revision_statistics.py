"""What a knowledge base held at one of its revisions, in figures: chunks, words, and how common a word was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db import DEFAULT_DB_ALIAS, connections

from knowledge.sql import statement


@dataclass(frozen=True, kw_only=True)
class BaseRevision:
    """A knowledge base as it was at a revision, the name of the embedder of its vectors, and the languages
    other than English that its documents are in."""

    knowledge_base_id: int
    revision: int
    embedder: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class KnownTerm:
    """A term that the knowledge base has an id for, and the number of chunks it occurred in."""

    id: int
    document_frequency: int


@dataclass(frozen=True, kw_only=True)
class BaseStatistics:
    base: BaseRevision
    space: int  # in which its vectors were made at that revision
    dimensions: int
    has_vector_index: bool
    chunk_count: int
    mean_length: float  # of a chunk, in words; 1 where there is none
    terms: dict[str, KnownTerm] = field(default_factory=dict)

    def document_frequency(self, term: str) -> int:
        known = self.terms.get(term)
        return known.document_frequency if known else 0


def load_statistics(
    bases: Sequence[BaseRevision], terms: Collection[str], *, using: str = DEFAULT_DB_ALIAS
) -> list[BaseStatistics]:
    """The figures of each base and of those terms, in the order of the bases. A base that is gone is left out.

    Two statements, however many bases. `using` names the database that is asked.
    """
    found: dict[int, BaseStatistics] = {}
    positions = {
        "knowledge_bases": [base.knowledge_base_id for base in bases],
        "revisions": [base.revision for base in bases],
    }
    with connections[using].cursor() as cursor:
        cursor.execute(statement("base_statistics"), positions)
        for position, *figures in cursor.fetchall():
            found[position] = _build_statistics(bases[position - 1], *figures)
        if terms and found:
            cursor.execute(statement("term_statistics"), {**positions, "terms": sorted(terms)})
            for position, text, term_id, frequency in cursor.fetchall():
                found[position].terms[text] = KnownTerm(id=term_id, document_frequency=frequency)
    return list(found.values())


def _build_statistics(
    base: BaseRevision, space: int, dimensions: int, has_vector_index: bool, chunk_count: int, term_total: int
) -> BaseStatistics:
    return BaseStatistics(
        base=base,
        space=space,
        dimensions=dimensions,
        has_vector_index=has_vector_index,
        chunk_count=chunk_count,
        mean_length=max(1.0, term_total / max(1, chunk_count)),
    )
