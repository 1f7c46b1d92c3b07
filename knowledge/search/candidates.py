"""The chunks of one knowledge base that may answer a question: the nearest by meaning, and the best by words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from numpy.typing import NDArray

from knowledge.chunking.title_path import title_path
from knowledge.search.bm25 import BM25_B, BM25_K1, FloatArray, LexicalScorer
from knowledge.search.filters import Filters
from knowledge.search.query_words import QueryWord
from knowledge.search.revision_statistics import BaseStatistics, KnownTerm
from language.clause_references import clause_heading_pattern
from language.terms import terms
from lexic.errors import LexicError
from lexic.sql_files import read_sql

# How many chunks each of the two ways may propose; a longer list of results asks for more.
MAX_CANDIDATES = 100
# The words of the title path are in the counts already; counting them again by half tells documents apart that
# resemble one another.
_TITLE_WEIGHT = 0.5
# Windows are ranked before they are gathered into chunks; a chunk has one to three.
_WINDOWS_PER_CHUNK = 3
# At most about so many chunks are scored by their words.
_MAX_SCORED = 2_000
# Unless the rarest word alone occurs in more; but not in more than this.
_MAX_SCORED_FOR_ONE_TERM = 10_000
DOCUMENT_CONDITION_SLOT = "/* documents */"
_NEAREST_SLOT, _MATCHING_SLOT = "/* nearest */", "/* matching */"
# Of few terms, those chunks are read that the index of terms finds; a term is of one base. By the index of the base,
# which the planner likes better, all its chunks are compared with all terms. Of many terms the planner takes the former
# for most of the table, and would read it whole: 1.6 s in place of 16 ms for a hundred in a small base beside a large.
_INDEX_SLOT, _TERMS_INDEX = "/* any index */", "+ 0"
_MAX_TERMS_BY_INDEX = 16
_NO_NEAREST = "SELECT NULL::bigint, NULL::float8, NULL::bigint WHERE false"
_NO_MATCHING = "SELECT NULL::bigint, NULL::float8 WHERE false"
_SIX_DIGITS = "{:.6g}".format
_INDEX_SETTINGS = """
SELECT set_config('hnsw.ef_search', '200', true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('plan_cache_mode', 'force_custom_plan', true)
"""


class _ProposedChunks(NamedTuple):
    """What `candidates.sql` gives, column by column. `windows` is None where only its words propose a chunk, `length`
    where it has none. `counts` are numbers with commas between them, `section_paths` JSON."""

    chunk_ids: Sequence[int] = ()
    windows: Sequence[int | None] = ()
    cosines: Sequence[float | None] = ()
    lengths: Sequence[int | None] = ()
    counts: Sequence[str] = ()
    titles: Sequence[str] = ()
    section_paths: Sequence[str] = ()

    def count_windows(self) -> int:
        return sum(filter(None, self.windows))

    def count_nearest(self) -> int:
        return len(self.windows) - self.windows.count(None)


class VectorMismatch(LexicError):
    """The question's vector does not fit the vectors of this knowledge base."""

    code = "wrong_dimensions"
    status = 409
    hint = "Embed the question with the embedder that the knowledge base names."


@dataclass(kw_only=True, slots=True)
class Candidate:
    """A chunk with both halves of its score. `cosine` is None where the question has no vector for the base.
    `matches_clause` says that it holds, or stands under, a numbered clause that the question names."""

    chunk_id: int
    knowledge_base_id: int
    cosine: float | None
    lexical: float
    matches_clause: bool = False


class ScoredChunks(NamedTuple):
    """What was found in a base, each column an array: both halves of the score of each chunk, and whether it holds, or
    stands under, a named clause. A cosine is NaN where the question has no vector for the base."""

    chunk_ids: NDArray[np.int64]
    cosines: FloatArray
    lexical: FloatArray
    matches_clause: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class BaseSearch:
    """One question to one knowledge base at one revision. `words` are distinct, `forms` has further terms for some of
    theirs (`inflections.forms_in_bases`), `vector` has length one, and `using` names the database that is asked."""

    statistics: BaseStatistics
    words: Sequence[QueryWord]
    vector: np.ndarray | None
    filters: Filters | None
    limit: int
    clauses: tuple[str, ...] = ()
    forms: Mapping[str, Collection[str]] = field(default_factory=dict)
    using: str = DEFAULT_DB_ALIAS

    def scored_chunks(self) -> ScoredChunks:
        """Whatever either way proposes, with both scores: at least `min(limit, alive chunks)` when there is a
        vector, else only chunks that share a word with the question.

        One statement, two when a clause is named; more only where an index found too little under a filter, or where
        the nearest windows all belong to a few very long chunks.
        """
        proposed = self._proposed()
        of_clauses = self._chunks_of_named_clauses(proposed.chunk_ids)
        return ScoredChunks(
            chunk_ids=np.array(proposed.chunk_ids, dtype=np.int64),
            # Half precision may leave a vector's product with itself a little above one.
            cosines=np.clip(np.array(proposed.cosines, dtype=np.float64), -1.0, 1.0),
            lexical=self._lexical_scores(proposed),
            matches_clause=np.fromiter(map(of_clauses.__contains__, proposed.chunk_ids), np.bool_),
        )

    def _proposed(self) -> _ProposedChunks:
        matching = self._rarest_terms()
        if self.vector is None:
            return self._propose("", matching) if matching else _ProposedChunks()
        if self.statistics.has_vector_index and (found := self._propose_by_index(matching)) is not None:
            return found
        windows = self._candidate_limit * _WINDOWS_PER_CHUNK
        found = self._propose("nearest_chunks", matching, windows=windows)
        # Chunks with very many windows each may fill the list by themselves.
        while found.count_nearest() < self.limit and found.count_windows() >= windows:
            windows *= 4
            found = self._propose("nearest_chunks", matching, windows=windows)
        return found

    def _propose_by_index(self, matching: Sequence[int]) -> _ProposedChunks | None:
        """None when the index gave up before it had found enough, as it does under a narrow filter."""
        windows = self._candidate_limit * _WINDOWS_PER_CHUNK
        with transaction.atomic(using=self.using), connections[self.using].cursor() as cursor:
            cursor.execute(_INDEX_SETTINGS)
            found = self._propose("nearest_chunks_by_index", matching, windows=windows)
        nearest = found.count_nearest()
        is_full = found.count_windows() >= windows and nearest >= self.limit
        return found if is_full or nearest >= self._candidate_limit else None

    def _propose(self, nearest: str, matching: Sequence[int], *, windows: int = 0) -> _ProposedChunks:
        """By the statement of this name for the nearest chunks, none without one, and those that hold one of the
        terms of these ids. The order of the latter is rough: it knows nothing of titles and synonyms."""
        query = _candidates_query(nearest, terms=len(matching))
        rows = self._fetch_rows(query, windows=windows, candidates=matching, chunks=self._candidate_limit)
        return _ProposedChunks(*zip(*rows, strict=True))

    def _lexical_scores(self, proposed: _ProposedChunks) -> FloatArray:
        """[chunks]; 0 where the words of a chunk were not counted."""
        if not self._known_terms or not proposed.chunk_ids:
            return np.zeros(len(proposed.chunk_ids))
        counts = np.fromstring(",".join(proposed.counts), dtype=np.int64, sep=",").reshape(-1, len(self._known_terms))
        lengths = np.array(proposed.lengths, dtype=np.float64)
        in_titles = self._counts_in_titles(proposed)
        scores = self._scorer.scores(counts + _TITLE_WEIGHT * in_titles, lengths=lengths)
        scores[np.isnan(lengths)] = 0.0
        return scores

    def _counts_in_titles(self, proposed: _ProposedChunks) -> NDArray[np.int64]:
        """[chunks, terms]: how often each known term stands in the title path. Most titles have few of them."""
        columns = {term: column for column, term in enumerate(self._known_terms)}
        asked = frozenset(columns)
        found: list[tuple[int, int, int]] = []
        for row, in_title in enumerate(map(_title_counts, proposed.titles, proposed.section_paths)):
            found += [(row, columns[term], in_title[term]) for term in asked.intersection(in_title)]
        counts = np.zeros((len(proposed.chunk_ids), len(columns)), dtype=np.int64)
        if found:
            rows, places, values = zip(*found, strict=True)
            counts[rows, places] = values
        return counts

    def _chunks_of_named_clauses(self, chunks: Collection[int]) -> set[int]:
        if not self.clauses or not chunks:
            return set()
        # i: in either case; n: a line is what `^` begins.
        rows = self._fetch_rows(
            read_sql("knowledge", "chunks_of_clauses"),
            chunks=sorted(chunks),
            heading=f"(?in){clause_heading_pattern(self.clauses)}",
        )
        return {chunk_id for (chunk_id,) in rows}

    def _rarest_terms(self) -> list[int]:
        """Ids of the terms that a chunk must hold one of to be scored by its words.

        All of them in a base of up to 2,000 chunks. In a larger one the rarest terms, as long as they occur in no more
        chunks than that together. None are left when each is in more than 10,000. A chunk that holds only the commonest
        words of the question gets a low score anyway, and it is still scored when its meaning is near.
        """
        known_terms = sorted(self._known_terms.values(), key=lambda term: (term.document_frequency, term.id))
        if self.statistics.chunk_count <= _MAX_SCORED:
            return [term.id for term in known_terms]
        sums = accumulate(term.document_frequency for term in known_terms)
        few = [term.id for term, scored in zip(known_terms, sums, strict=True) if scored <= _MAX_SCORED]
        can_scan = self.vector is None or (
            known_terms and known_terms[0].document_frequency <= _MAX_SCORED_FOR_ONE_TERM
        )
        return few or [term.id for term in known_terms[:1] if can_scan]

    @cached_property
    def _known_terms(self) -> dict[str, KnownTerm]:
        known = self.statistics.terms
        asked = dict.fromkeys(
            form for word in self.words for term in word.terms for form in (term, *self.forms.get(term, ()))
        )
        return {term: known[term] for term in asked if term in known and known[term].document_frequency}

    @cached_property
    def _scorer(self) -> LexicalScorer:
        known = list(self._known_terms)
        return LexicalScorer(self.words, statistics=self.statistics, known_terms=known, forms=self.forms)

    # Statements

    @property
    def _candidate_limit(self) -> int:
        return max(MAX_CANDIDATES, self.limit)

    def _fetch_rows(self, query: str, **values: Any) -> list[Any]:
        condition, filter_values = self._document_condition
        # Django's cursor puts the values into the text of the statement, so the planner sees constants: a partial
        # index cannot match a parameter.
        with connections[self.using].cursor() as cursor:
            cursor.execute(
                query.replace(DOCUMENT_CONDITION_SLOT, condition),
                {**self._values, **filter_values, **values},
            )
            return cursor.fetchall()

    @cached_property
    def _values(self) -> dict[str, Any]:
        return {
            "knowledge_base": self.statistics.base.knowledge_base_id,
            "revision": self.statistics.base.revision,
            "space": self.statistics.space,
            "dimensions": self.statistics.dimensions,
            "vector": None if self.vector is None else self._vector_text(self.vector),
            "terms": [known.id for known in self._known_terms.values()],
            "weights": self._scorer.rough_term_weights,
            "damping": BM25_K1 * (1 - BM25_B),
            "damping_by_length": BM25_K1 * BM25_B / self.statistics.mean_length,
        }

    def _vector_text(self, vector: np.ndarray) -> str:
        if vector.shape != (self.statistics.dimensions,) or not np.isfinite(vector).all():
            raise VectorMismatch
        return f"[{','.join(map(_SIX_DIGITS, vector.tolist()))}]"

    @cached_property
    def _document_condition(self) -> tuple[str, dict[str, Any]]:
        return document_condition(self.filters, [self.statistics.base.knowledge_base_id])


def document_condition(filters: Filters | None, knowledge_bases: Collection[int]) -> tuple[str, dict[str, Any]]:
    """SQL about `one.document_id` for what the filters allow of these bases, and the values that it names."""
    if not filters:
        return "", {}
    documents = filters.documents().filter(knowledge_base__in=list(knowledge_bases)).order_by().values("pk")
    try:
        sql, values = documents.query.sql_with_params()
    except EmptyResultSet:
        return "AND false", {}
    # Django numbers its placeholders by position, the statements here name theirs.
    named = {f"filter_{position}": value for position, value in enumerate(values)}
    return f"AND one.document_id IN ({sql % tuple(f'%({name})s' for name in named)})", named


def _candidates_query(nearest: str, *, terms: int) -> str:
    return _build_query(nearest, has_matching=terms > 0, by_terms_index=terms <= _MAX_TERMS_BY_INDEX)


@cache
def _build_query(nearest: str, *, has_matching: bool, by_terms_index: bool) -> str:
    nearest_chunks = read_sql("knowledge", nearest) if nearest else _NO_NEAREST
    matching_chunks = read_sql("knowledge", "matching_chunks") if has_matching else _NO_MATCHING
    matching_chunks = matching_chunks.replace(_INDEX_SLOT, _TERMS_INDEX if by_terms_index else "")
    query = read_sql("knowledge", "candidates")
    return query.replace(_NEAREST_SLOT, nearest_chunks).replace(_MATCHING_SLOT, matching_chunks)


@lru_cache(maxsize=8_192)
def _title_counts(title: str, section_path: str) -> Mapping[str, int]:
    """How often each term stands in the title path; the section path is JSON."""
    return Counter(terms(title_path(title, json.loads(section_path))))
