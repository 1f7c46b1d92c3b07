"""How fast hybrid search is here: `python -m benchmarks.search` (under a minute).

For a small, a medium and a large knowledge base in one table, the last with its own vector index: milliseconds of a
whole search, of the barest possible statement (the eight nearest vectors by exact scan, their ids only), and the
ratio of the two, medians of interleaved rounds. Also the share of the exact eight nearest that the index finds. All
data are made up and live in a throw-away PostgreSQL. `--json` prints the figures for programs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._figures import database, report

if TYPE_CHECKING:
    from knowledge.models import KnowledgeBase
    from knowledge.search import BaseAt

SIZES = {"small": 700, "medium": 6_000, "large": 16_000}
DIMENSIONS = 384
VOCABULARY = 8_000
WORDS_OF_A_CHUNK = 100
WORDS_OF_A_QUESTION = 6
QUESTIONS = 40
BAREST = """
    SELECT chunk_id FROM knowledge_embedding
    WHERE knowledge_base_id = %s ORDER BY vector <#> %s::halfvec LIMIT 8
"""


def main() -> None:
    report(__doc__, in_a_database)


def in_a_database() -> dict[str, float]:
    with database():
        return measured()


def measured() -> dict[str, float]:
    from knowledge.vector_index import ensure_index

    dice = np.random.default_rng(1)
    bases = {name: filled_base(name, size, dice) for name, size in SIZES.items()}
    questions = [(asked_words(dice), unit_rows(1, dice)[0]) for _ in range(QUESTIONS)]
    exact = [exact_nearest(bases["large"], vector) for _, vector in questions]
    built = seconds(lambda: ensure_index(bases["large"], indexed_from=SIZES["large"]))
    found = [indexed_nearest(bases["large"], vector) for _, vector in questions]
    figures = {"index of the large base, s": built, "share of the nearest it finds": shared(exact, found)}
    for name, base in bases.items():
        figures |= compared(f"{name} ({SIZES[name]})", base, questions)
    return figures


def compared(name: str, base: KnowledgeBase, questions: list[tuple[str, np.ndarray]]) -> dict[str, float]:
    whole, barest = [], []
    for text, vector in questions:
        whole.append(seconds(lambda text=text, vector=vector: searched(base, text, vector)) * 1000)
        barest.append(seconds(lambda vector=vector: exact_nearest(base, vector)) * 1000)
    medians = statistics.median(whole), statistics.median(barest)
    return {
        f"{name}, search, ms": medians[0],
        f"{name}, barest exact, ms": medians[1],
        f"{name}, ratio": medians[0] / medians[1],
    }


def searched(base: KnowledgeBase, text: str, vector: np.ndarray) -> list[int]:
    from knowledge.search import search

    passages = search(knowledge_bases=[current(base)], text=text, embedding={base.embedder: vector})
    return [passage.chunk_id for passage in passages]


def indexed_nearest(base: KnowledgeBase, vector: np.ndarray) -> list[int]:
    """A question without words ranks by meaning alone."""
    return searched(base, "", vector)


def exact_nearest(base: KnowledgeBase, vector: np.ndarray) -> list[int]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(BAREST, [base.pk, str(vector.tolist())])
        return [chunk_id for (chunk_id,) in cursor.fetchall()]


def shared(exact: list[list[int]], found: list[list[int]]) -> float:
    return statistics.mean(len(set(one) & set(two)) / len(one) for one, two in zip(exact, found, strict=True))


def current(base: KnowledgeBase) -> BaseAt:
    from knowledge.search import BaseAt

    return BaseAt(knowledge_base_id=base.pk, revision=base.revision, embedder=base.embedder)


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Data


def filled_base(name: str, size: int, dice: np.random.Generator) -> KnowledgeBase:
    from accounts.models import User
    from knowledge.lexicon import record_revision
    from knowledge.models import Document, KnowledgeBase, Page, Term

    owner, _ = User.objects.get_or_create(email="bench@example.org")
    base = KnowledgeBase.objects.create(owner=owner, name=name, dimensions=DIMENSIONS, revision=1)
    document = Document.objects.create(knowledge_base=base, title=name, source_type="pdf", page_count=1, added_in=1)
    page = Page.objects.create(document=document, number=1, text="", source_sha256="", added_in=1)
    terms = Term.objects.bulk_create(Term(knowledge_base=base, text=word) for word in vocabulary())
    chunk_ids = insert_chunks(base, document, page, size)
    copy_vectors(base, document, chunk_ids, dice)
    copy_words(base, document, chunk_ids, [term.pk for term in terms], dice)
    record_revision(base, revision=1, added=chunk_ids, removed=[])
    analyse()
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
    vectors = unit_rows(len(chunk_ids), dice).round(5)
    rows = zip(chunk_ids, vectors, strict=True)
    copy(
        "knowledge_embedding", columns, ((base.pk, document.pk, 1, key, 0, str(row.tolist())) for key, row in rows)
    )


def copy_words(
    base: KnowledgeBase, document: Any, chunk_ids: list[int], term_ids: list[int], dice: np.random.Generator
) -> None:
    columns = "knowledge_base_id, document_id, added_in, chunk_id, terms, counts, length"
    words = zipf(dice, len(chunk_ids) * WORDS_OF_A_CHUNK).reshape(len(chunk_ids), -1)

    def row(chunk_id: int, numbers: np.ndarray) -> tuple[Any, ...]:
        distinct, counts = np.unique(numbers, return_counts=True)
        ids = [term_ids[number] for number in distinct]
        return base.pk, document.pk, 1, chunk_id, ids, counts.tolist(), WORDS_OF_A_CHUNK

    copy("knowledge_chunkterms", columns, map(row, chunk_ids, words))


def copy(table: str, columns: str, rows: Any) -> None:
    from django.db import connection

    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as target:
        for row in rows:
            target.write_row(row)


def analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE knowledge_embedding, knowledge_chunkterms, knowledge_chunk, knowledge_term")


def unit_rows(count: int, dice: np.random.Generator) -> np.ndarray:
    """Unit vectors around a hundred topics, so that near ones exist."""
    topics = np.random.default_rng(7).standard_normal((100, DIMENSIONS))
    mixed = topics[dice.integers(0, 100, count)] + 0.5 * topics[dice.integers(0, 100, count)]
    rows = (mixed + 0.6 * dice.standard_normal((count, DIMENSIONS))).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def zipf(dice: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of words, each as common as its rank makes it in any language, without the hundred stop words."""
    shares = 1 / np.arange(100, VOCABULARY + 100)
    return dice.choice(VOCABULARY, size=count, p=shares / shares.sum())


def vocabulary() -> list[str]:
    """Made-up words that no stemmer changes."""
    vowels, consonants = "ao", "bdfgkmnprt"
    syllables = [consonant + vowel for consonant in consonants for vowel in vowels]
    words = [a + b + c + d for a in syllables for b in syllables for c in syllables for d in ("k", "m")]
    return words[:VOCABULARY]


def asked_words(dice: np.random.Generator) -> str:
    words = vocabulary()
    return " ".join(words[number] for number in zipf(dice, WORDS_OF_A_QUESTION))


if __name__ == "__main__":
    sys.exit(main())
