"""Hybrid search over knowledge bases, each as it was at a revision.

A chunk's score is half its cosine and half the share of the question's weight that its words carry; that share alone
where the embedder does not understand the question. Both are absolute, so scores compare across bases and say how good
the evidence is, and nothing is normalised per question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection
from numpy.typing import NDArray

from knowledge.search import replica
from knowledge.search.bm25 import FloatArray
from knowledge.search.candidates import (
    DOCUMENT_CONDITION_SLOT,
    BaseSearch,
    Candidate,
    ScoredChunks,
    document_condition,
)
from knowledge.search.filters import Filters
from knowledge.search.inflections import forms_in_bases
from knowledge.search.passages import Passage, spans_of
from knowledge.search.query_words import NO_SYNONYMS, QueryWord, dedupe_by_weight
from knowledge.search.revision_statistics import BaseRevision, StatisticsCache
from knowledge.search.wording import Forms
from lexic.postgresql.base import prepared_cursor
from lexic.sql_files import read_sql

__all__ = ["BaseRevision", "search"]

# A chunk that is not near enough in meaning stays when its words carry this share of the question's weight. A word
# that occurs once carries about half of its weight, so four tenths of the words, by weight, are enough.
MIN_LEXICAL_SUPPORT = 0.2
# For a chunk of the numbered clause that the question names: about what divides the first passage from the tenth.
_CLAUSE_SCORE_BONUS = 0.15
# What `passages_of_chunks.sql` gives behind the id of a chunk.
_STORED_FIELDS = (
    "document_id",
    "page_id",
    "start",
    "end",
    "content",
    "section_path",
    "document_title",
    "source_type",
    "page_number",
    "page_label",
    "is_ocr",
    "unsure_spans",
    "first_line",
    "path",
    "file_hash",
    "commit",
    "has_validity_dates",
    "is_verbatim",
)


def search(
    *,
    knowledge_bases: Sequence[BaseRevision],
    text: str | Sequence[QueryWord],
    embedding: Mapping[str, np.ndarray],
    filters: Filters | None = None,
    limit: int = 8,
    threshold: float | None = None,
    clauses: tuple[str, ...] = (),
    statistics: StatisticsCache | None = None,
    forms: Forms | None = None,
) -> list[Passage]:
    """The passages that answer the text best, best first; equal scores in the order of their ids.

    Words in place of the text may weigh less than others, or have synonyms. Chunks of the numbered `clauses` go before
    others that are as good. `forms` are those that the bases have of the words (`forms_in_bases`), looked up where they
    are not given.
    `embedding` holds the text's unit vector by name of embedder. Without a threshold exactly
    `min(limit, chunks alive under the filters)` passages come back. With one, only those whose cosine is greater,
    or whose words support them. A base whose embedder has no vector here is searched by words alone. `statistics` may
    know figures already, and keeps those that are loaded. A replica of the database is asked where there is one that
    has all of it. Raises `VectorMismatch`.
    """
    if limit < 1 or not knowledge_bases:
        return []
    bases = list(dict.fromkeys(knowledge_bases))
    best = partial(
        _best_candidates,
        bases,
        words=dedupe_by_weight(NO_SYNONYMS.words(text) if isinstance(text, str) else text),
        embedding=embedding,
        filters=filters,
        limit=limit,
        threshold=threshold,
        clauses=clauses,
        known=statistics or StatisticsCache(),
        forms=forms,
    )
    if replica.can_answer(bases):
        try:
            candidates = best(using=replica.REPLICA)
        except DatabaseError as error:
            replica.mark_unavailable(error)
        else:
            passages = load_passages(candidates, filters=filters, bases=bases)
            # Fewer, when something was deleted or got another label since: then others may take its place.
            if len(passages) == len(candidates):
                return passages
    return load_passages(best(using=DEFAULT_DB_ALIAS))


def _best_candidates(
    bases: Sequence[BaseRevision],
    *,
    words: Sequence[QueryWord],
    embedding: Mapping[str, np.ndarray],
    limit: int,
    threshold: float | None,
    filters: Filters | None,
    clauses: tuple[str, ...],
    known: StatisticsCache,
    forms: Forms | None,
    using: str,
) -> list[Candidate]:
    """The candidates of all bases with the highest scores, from one database."""
    asked = {term for word in words for term in word.terms}
    forms = forms_in_bases(asked, bases, using=using) if forms is None else forms
    asked |= {form for term in asked for form in forms.get(term, ())}
    found = [
        BaseSearch(
            statistics=statistics,
            words=words,
            vector=embedding.get(statistics.base.embedder),
            filters=filters,
            limit=limit,
            clauses=clauses,
            forms=forms,
            using=using,
        )
        for statistics in known.load(bases, asked, using=using)
    ]
    return _best_of_bases(found, limit=limit, threshold=threshold)


def _best_of_bases(searches: Sequence[BaseSearch], *, limit: int, threshold: float | None) -> list[Candidate]:
    """The chunks with the highest scores of those that pass the threshold; of equal scores those with the lower ids."""
    if not searches:
        return []
    each = [search.scored_chunks() for search in searches]
    bases = np.repeat([one.statistics.base.knowledge_base_id for one in searches], [len(one.chunk_ids) for one in each])
    found = ScoredChunks(*map(np.concatenate, zip(*each, strict=True)))
    kept = np.arange(len(bases))
    if threshold is not None:
        kept = np.flatnonzero(_passes(found.cosines, found.lexical, found.matches_clause, threshold=threshold))
    if len(each) > 1:  # of a base at two revisions, what the later search says of a chunk
        _, last = np.unique(found.chunk_ids[kept][::-1], return_index=True)
        kept = kept[len(kept) - 1 - last]
    scores = _hybrid_scores(found.cosines[kept], found.lexical[kept], found.matches_clause[kept])
    best = kept[np.lexsort((found.chunk_ids[kept], -scores))[:limit]]
    columns = (column[best].tolist() for column in (found.chunk_ids, bases, *found[1:]))
    return [
        Candidate(
            chunk_id=chunk_id,
            knowledge_base_id=base,
            cosine=None if math.isnan(cosine) else cosine,
            lexical=lexical,
            matches_clause=matches_clause,
        )
        for chunk_id, base, cosine, lexical, matches_clause in zip(*columns, strict=True)
    ]


def _hybrid_scores(cosines: FloatArray, lexical: FloatArray, matches_clause: NDArray[np.bool_]) -> FloatArray:
    """[chunks]. A cosine is NaN where there is none."""
    scores = np.where(np.isnan(cosines), lexical, 0.5 * cosines + 0.5 * lexical)
    return np.where(matches_clause, np.minimum(1.0, scores + _CLAUSE_SCORE_BONUS), scores)


def passes_threshold(found: Candidate | Passage, threshold: float | None) -> bool:
    """Whether the candidate is near enough in meaning (its cosine is greater), or is supported by its words or by a
    named clause. A candidate that was found by words alone has no cosine, and passes."""
    cosine = np.nan if found.cosine is None else found.cosine
    return threshold is None or bool(_passes(cosine, found.lexical, found.matches_clause, threshold=threshold))


def _passes(cosines: Any, lexical: Any, matches_clause: Any, *, threshold: float) -> Any:
    """The same, of one chunk or of arrays. A cosine is NaN where there is none."""
    return matches_clause | (lexical >= MIN_LEXICAL_SUPPORT) | np.logical_not(cosines <= threshold)


def load_passages(
    candidates: Sequence[Candidate], *, filters: Filters | None = None, bases: Sequence[BaseRevision] = ()
) -> list[Passage]:
    """Loads the passages that still exist; with filters, only those that the filters allow now."""
    condition, values = document_condition(filters, [base.knowledge_base_id for base in bases])
    query = read_sql("knowledge", "passages_of_chunks").replace(DOCUMENT_CONDITION_SLOT, condition)
    # What filters come to is of Django, which writes values into the text of a statement.
    with connection.cursor() if filters else prepared_cursor() as cursor:
        cursor.execute(query, {**values, "chunks": [one.chunk_id for one in candidates]})
        rows = {row[0]: row for row in cursor.fetchall()}
    scores = _hybrid_scores(
        np.array([one.cosine for one in candidates], dtype=np.float64),
        np.array([one.lexical for one in candidates]),
        np.array([one.matches_clause for one in candidates], dtype=np.bool_),
    )
    return [
        _build_passage(one, score, *rows[one.chunk_id])
        for one, score in zip(candidates, scores.tolist(), strict=True)
        if one.chunk_id in rows
    ]


def _build_passage(candidate: Candidate, score: float, chunk_id: int, *stored: Any) -> Passage:
    """`stored` are the columns of `passages_of_chunks.sql`, in their order."""
    values = dict(zip(_STORED_FIELDS, stored, strict=True))
    return Passage(
        **values | {"section_path": tuple(values["section_path"]), "unsure_spans": spans_of(values["unsure_spans"])},
        chunk_id=chunk_id,
        cosine=candidate.cosine,
        lexical=candidate.lexical,
        score=score,
        knowledge_base_id=candidate.knowledge_base_id,
        matches_clause=candidate.matches_clause,
    )
