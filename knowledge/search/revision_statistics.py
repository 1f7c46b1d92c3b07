"""Statistics of a knowledge base at one of its revisions: chunks, words, and how common a word was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db import DEFAULT_DB_ALIAS

from lexic.postgresql.base import prepared_cursor
from lexic.sql_files import read_sql


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


class StatisticsCache:
    """What the steps of one question have loaded, so that each figure is asked for once: those of a revision never
    change. `searched` are the bases that were searched last."""

    def __init__(self) -> None:
        self.searched: list[BaseRevision] = []
        # By bases and database: the figures, and the terms that were asked for.
        self._loaded: dict[tuple[tuple[BaseRevision, ...], str], tuple[list[BaseStatistics], set[str]]] = {}

    def load(
        self, bases: Sequence[BaseRevision], terms: Collection[str], *, using: str = DEFAULT_DB_ALIAS
    ) -> list[BaseStatistics]:
        """What `load_statistics` gives, with further terms where these were asked for before."""
        found, asked = self._loaded.get((tuple(bases), using), (None, set[str]()))
        missing = set(terms) - asked
        if found is None or missing:
            before = {one.base: one.terms for one in found or ()}
            found = load_statistics(bases, missing, using=using)
            for one in found:
                one.terms.update(before.get(one.base, {}))
            self._loaded[tuple(bases), using] = (found, asked | missing)
        return found


def load_statistics(
    bases: Sequence[BaseRevision], terms: Collection[str], *, using: str = DEFAULT_DB_ALIAS
) -> list[BaseStatistics]:
    """The figures of each base and of those terms, in the order of the bases. A base that is gone is left out.

    One statement, however many bases. `using` names the database that is asked.
    """
    found: dict[int, BaseStatistics] = {}
    values: dict[str, list[int] | list[str]] = {
        "knowledge_bases": [base.knowledge_base_id for base in bases],
        "revisions": [base.revision for base in bases],
        "terms": sorted(terms),
    }
    with prepared_cursor(using) as cursor:
        cursor.execute(read_sql("knowledge", "revision_statistics"), values)
        for position, *figures, text, term_id, frequency in cursor.fetchall():
            if position not in found:
                found[position] = _build_statistics(bases[position - 1], *figures)
            if text is not None:
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
