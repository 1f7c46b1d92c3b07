"""How fast hybrid search is here: `python -m benchmarks.search` (under a minute).

For a small, a medium and a large knowledge base in one table, the last with its own vector index: milliseconds of a
whole search, of the barest possible statement (the eight nearest vectors by exact scan, their ids only), and the
ratio of the two, medians of interleaved rounds. Also the share of the exact eight nearest that the index finds. All
data are made up and live in a throw-away PostgreSQL. `--quick` takes smaller bases. `--json` prints the figures for
programs.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._harness import run_benchmark, temporary_database, time_call

if TYPE_CHECKING:
    from knowledge.models import KnowledgeBase
    from knowledge.search.hybrid import BaseRevision

SIZES = {"small": 700, "medium": 6_000, "large": 16_000}
QUICK_SIZES = {"small": 300, "medium": 1_000, "large": 3_000}
DIMENSIONS = 384
VOCABULARY = 8_000
WORDS_PER_CHUNK = 100
WORDS_PER_QUESTION = 6
QUESTIONS = 40
BASELINE_QUERY = """
    SELECT chunk_id FROM knowledge_embedding
    WHERE knowledge_base_id = %s ORDER BY vector <#> %s::halfvec LIMIT 8
"""


def main() -> None:
    run_benchmark(__doc__, run_with_database, quick=partial(run_with_database, QUICK_SIZES))


def run_with_database(sizes: Mapping[str, int] = SIZES) -> dict[str, float]:
    with temporary_database():
        return measure_search(sizes)


def measure_search(sizes: Mapping[str, int]) -> dict[str, float]:
    from knowledge.search.vector_index import ensure_index

    dice = np.random.default_rng(1)
    bases = {name: create_filled_base(name, size, dice) for name, size in sizes.items()}
    questions = [(random_question_words(dice), clustered_unit_vectors(1, dice)[0]) for _ in range(QUESTIONS)]
    exact = [exact_neighbours(bases["large"], vector) for _, vector in questions]
    built = time_call(lambda: ensure_index(bases["large"], indexed_from=sizes["large"]))
    found = [indexed_neighbours(bases["large"], vector) for _, vector in questions]
    figures = {"index of the large base, s": built, "share of the nearest it finds": mean_recall(exact, found)}
    for name, base in bases.items():
        figures |= compare_searches(f"{name} ({sizes[name]})", base, questions)
    return figures


def compare_searches(name: str, base: KnowledgeBase, questions: list[tuple[str, np.ndarray]]) -> dict[str, float]:
    whole, barest = [], []
    for text, vector in questions:
        whole.append(time_call(partial(search_chunks, base, text, vector)) * 1000)
        barest.append(time_call(partial(exact_neighbours, base, vector)) * 1000)
    medians = statistics.median(whole), statistics.median(barest)
    return {
        f"{name}, search, ms": medians[0],
        f"{name}, barest exact, ms": medians[1],
        f"{name}, ratio": medians[0] / medians[1],
    }


def search_chunks(base: KnowledgeBase, text: str, vector: np.ndarray) -> list[int]:
    from knowledge.search.hybrid import search

    passages = search(knowledge_bases=[current_revision(base)], text=text, embedding={base.embedder: vector})
    return [passage.chunk_id for passage in passages]


def indexed_neighbours(base: KnowledgeBase, vector: np.ndarray) -> list[int]:
    """A question without words ranks by meaning alone."""
    return search_chunks(base, "", vector)


def exact_neighbours(base: KnowledgeBase, vector: np.ndarray) -> list[int]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(BASELINE_QUERY, [base.pk, str(vector.tolist())])
        return [chunk_id for (chunk_id,) in cursor.fetchall()]


def mean_recall(exact: list[list[int]], found: list[list[int]]) -> float:
    return statistics.mean(len(set(one) & set(two)) / len(one) for one, two in zip(exact, found, strict=True))


def current_revision(base: KnowledgeBase) -> BaseRevision:
    from knowledge.search.hybrid import BaseRevision

    return BaseRevision(knowledge_base_id=base.pk, revision=base.revision, embedder=base.embedder)


# Data


def create_filled_base(name: str, size: int, dice: np.random.Generator) -> KnowledgeBase:
    from accounts.models import User
    from knowledge.models import Document, KnowledgeBase, Page, Term
    from knowledge.search.term_statistics import record_revision_statistics

    owner, _ = User.objects.get_or_create(email="bench@example.org")
    base = KnowledgeBase.objects.create(owner=owner, name=name, dimensions=DIMENSIONS, revision=1)
    document = Document.objects.create(knowledge_base=base, title=name, source_type="pdf", page_count=1, added_in=1)
    page = Page.objects.create(document=document, number=1, text="", source_sha256="", added_in=1)
    terms = Term.objects.bulk_create(Term(knowledge_base=base, text=word) for word in made_up_words())
    chunk_ids = insert_chunks(base, document, page, size)
    copy_vectors(base, document, chunk_ids, dice)
    copy_terms(base, document, chunk_ids, [term.pk for term in terms], dice)
    record_revision_statistics(base, revision=1, added=chunk_ids, removed=[])
    analyze_tables()
    return base


def insert_chunks(base: KnowledgeBase, document: Any, page: Any, size: int) -> list[int]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO knowledge_chunk (knowledge_base_id, document_id, page_id, added_in, index, start, "end",'
            " section_path, content, content_hash)"
            " SELECT %s, %s, %s, 1, number, 0, 1500, '{}', repeat('word ', 300), ''"
            " FROM generate_series(1, %s) AS number RETURNING id",
            [base.pk, document.pk, page.pk, size],
        )
        return [chunk_id for (chunk_id,) in cursor.fetchall()]


def copy_vectors(base: KnowledgeBase, document: Any, chunk_ids: list[int], dice: np.random.Generator) -> None:
    columns = 'knowledge_base_id, document_id, added_in, chunk_id, "window", vector'
    vectors = clustered_unit_vectors(len(chunk_ids), dice).round(5)
    rows = zip(chunk_ids, vectors, strict=True)
    copy_rows(
        "knowledge_embedding", columns, ((base.pk, document.pk, 1, key, 0, str(row.tolist())) for key, row in rows)
    )


def copy_terms(
    base: KnowledgeBase, document: Any, chunk_ids: list[int], term_ids: list[int], dice: np.random.Generator
) -> None:
    columns = "knowledge_base_id, document_id, added_in, chunk_id, terms, counts, length"
    words = zipf_sample(dice, len(chunk_ids) * WORDS_PER_CHUNK).reshape(len(chunk_ids), -1)

    def row(chunk_id: int, numbers: np.ndarray) -> tuple[Any, ...]:
        distinct, counts = np.unique(numbers, return_counts=True)
        ids = [term_ids[number] for number in distinct]
        return base.pk, document.pk, 1, chunk_id, ids, counts.tolist(), WORDS_PER_CHUNK

    copy_rows("knowledge_chunkterms", columns, map(row, chunk_ids, words))


def copy_rows(table: str, columns: str, rows: Any) -> None:
    from django.db import connection

    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as target:
        for row in rows:
            target.write_row(row)


def analyze_tables() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE knowledge_embedding, knowledge_chunkterms, knowledge_chunk, knowledge_term")


def clustered_unit_vectors(count: int, dice: np.random.Generator) -> np.ndarray:
    """Unit vectors around a hundred topics, so that near ones exist."""
    topics = np.random.default_rng(7).standard_normal((100, DIMENSIONS))
    mixed = topics[dice.integers(0, 100, count)] + 0.5 * topics[dice.integers(0, 100, count)]
    rows = (mixed + 0.6 * dice.standard_normal((count, DIMENSIONS))).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def zipf_sample(dice: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of words, each as common as its rank makes it in any language, without the hundred stop words."""
    shares = 1 / np.arange(100, VOCABULARY + 100)
    return dice.choice(VOCABULARY, size=count, p=shares / shares.sum())


def made_up_words() -> list[str]:
    """Made-up words that no stemmer changes."""
    vowels, consonants = "ao", "bdfgkmnprt"
    syllables = [consonant + vowel for consonant in consonants for vowel in vowels]
    words = [a + b + c + d for a in syllables for b in syllables for c in syllables for d in ("k", "m")]
    return words[:VOCABULARY]


def random_question_words(dice: np.random.Generator) -> str:
    words = made_up_words()
    return " ".join(words[number] for number in zipf_sample(dice, WORDS_PER_QUESTION))


if __name__ == "__main__":
    main()
