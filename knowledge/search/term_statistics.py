"""The words that chunks hold, and how common each word is: what lexical ranking counts with.

Document frequencies are kept per revision: a row says in how many chunks a term occurs from that revision on.
Ranking at an old revision therefore gives the scores that it gave then.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import connection

from knowledge.models import ChunkTerms, KnowledgeBase, Term
from knowledge.search.revision_statistics import BaseRevision, StatisticsCache
from knowledge.search.wording import ENGLISH_WORDING, Wording
from language.terms import terms as terms_of
from lexic.sql_files import read_sql

_TERM_BATCH_SIZE = 500
_MAX_COUNT = 32_767  # of a smallint; no score changes when a word occurs more often than this


def store_chunk_terms(
    knowledge_base_id: int, rows: Sequence[tuple[int, UUID, str]], *, revision: int | None = None
) -> None:
    """Store the words of chunks, given as `(chunk_id, document_id, text)`, live from this revision on.

    Without a revision they are staged: no search sees them yet. The text of a chunk is its title path and its content.
    May run in many processes at once, inside a transaction or outside.
    """
    counted = [(chunk_id, document_id, Counter(terms_of(text))) for chunk_id, document_id, text in rows]
    ids = _get_or_create_term_ids(knowledge_base_id, {term for _, _, counts in counted for term in counts})
    ChunkTerms.objects.bulk_create(
        (
            ChunkTerms(
                chunk_id=chunk_id,
                knowledge_base_id=knowledge_base_id,
                document_id=document_id,
                added_in=revision,
                length=counts.total(),
                **_term_columns({ids[term]: count for term, count in counts.items()}),
            )
            for chunk_id, document_id, counts in counted
        ),
        batch_size=_TERM_BATCH_SIZE,
    )


def record_revision_statistics(
    knowledge_base: KnowledgeBase, *, revision: int, added: Collection[int], removed: Collection[int]
) -> None:
    """Write the statistics of the knowledge base from this revision on, given the chunks that came and went with it.

    Call once per revision, in order, with the row of the knowledge base locked.
    """
    values: dict[str, Any] = {
        "knowledge_base": knowledge_base.pk,
        "revision": revision,
        "added": list(added),
        "removed": list(removed),
    }
    with connection.cursor() as cursor:
        cursor.execute(read_sql("knowledge", "record_revision"), values)
        cursor.execute(read_sql("knowledge", "record_term_counts"), values)


def inverse_document_frequency(*, chunks: int, containing: int) -> float:
    """How much a term that occurs in so many of the chunks tells: 0 for one in every chunk, more for a rare one."""
    return math.log1p((chunks - containing + 0.5) / (containing + 0.5))


def term_weights(
    *,
    knowledge_bases: Sequence[BaseRevision],
    terms: Collection[str],
    wording: Wording = ENGLISH_WORDING,
    statistics: StatisticsCache | None = None,
) -> dict[str, float]:
    """The inverse document frequency of each term, in all its forms, over all these knowledge bases together, at their
    revisions; 0 for stop words. `statistics` may know figures already."""
    forms = {term: tuple(wording.forms_of(term)) for term in terms}
    found = (statistics or StatisticsCache()).load(knowledge_bases, set(chain.from_iterable(forms.values())))
    chunks = sum(one.chunk_count for one in found)

    def weight(term: str) -> float:
        containing = sum(one.document_frequency(form) for one in found for form in forms[term])
        whole = inverse_document_frequency(chunks=chunks, containing=min(chunks, containing))
        return whole * wording.weight_of(term)

    return {term: weight(term) for term in terms}


def _get_or_create_term_ids(knowledge_base_id: int, words: Collection[str]) -> dict[str, int]:
    """The id of each word, new ones for words that the knowledge base did not hold before."""
    with connection.cursor() as cursor:
        cursor.execute(
            read_sql("knowledge", "add_terms"), {"knowledge_base": knowledge_base_id, "words": sorted(words)}
        )
    known = Term.objects.filter(knowledge_base_id=knowledge_base_id, text__in=words)
    return dict(known.values_list("text", "pk"))


def _term_columns(counts: Mapping[int, int]) -> dict[str, list[int]]:
    ids = sorted(counts)
    return {"terms": ids, "counts": [min(counts[term_id], _MAX_COUNT) for term_id in ids]}
