from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Embedding, KnowledgeBase, Lease
from knowledge.search.filters import Filters
from knowledge.search.hybrid import search
from knowledge.search.vector_index import IndexInTransaction, drop_index, ensure_index, index_name
from tests.knowledge.bases import CountingEmbedder, add_markdown, registered
from tests.knowledge.bases import make_base as base_of_plugin
from tests.knowledge.factories import (
    at,
    make_base,
    make_document,
    random_vectors,
    remove_chunks,
    store_chunks,
    store_crowd,
)

VECTORS = random_vectors(2100, dimensions=32)
MANY = 2000


@pytest.fixture
def big(transactional_db: None) -> Iterator[KnowledgeBase]:
    owner = User.objects.create_user("alice@example.org", "correct horse battery")
    base = make_base(owner, dimensions=32)
    store_crowd(base, make_document(base), VECTORS[:MANY])
    key = base.pk
    yield base
    drop_index(key)


def built(base: KnowledgeBase) -> KnowledgeBase:
    assert ensure_index(base, indexed_from=1000) == "built"
    return base


def definitions() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'knowledge_embedding' AND indexdef LIKE '%hnsw%'"
        )
        return [definition for (definition,) in cursor.fetchall()]


def nearest(base: KnowledgeBase, vector: np.ndarray, *, limit: int = 8, filters: Filters | None = None) -> list[int]:
    passages = search(
        knowledge_bases=[at(base)], text="", embedding={base.embedder: vector}, limit=limit, filters=filters
    )
    return [passage.chunk_id for passage in passages]


def statements_of(base: KnowledgeBase, vector: np.ndarray) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        nearest(base, vector)
    return [query["sql"] for query in captured]


def explained(base: KnowledgeBase, vector: np.ndarray) -> str:
    """The plan of the statement that a search really sends for this vector."""
    (sql,) = [one for one in statements_of(base, vector) if "<#>" in one and "LIMIT" in one]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + sql.replace("%", "%%"))
        return "\n".join(line for (line,) in cursor.fetchall())


def test_a_large_base_gets_one_index_of_its_own(big: KnowledgeBase) -> None:
    built(big)
    (definition,) = definitions()
    assert index_name(big.pk) in definition
    assert re.search(r"halfvec\(32\)\) halfvec_ip_ops\) WITH \(m='16', ef_construction='64'\)", definition)
    assert f"knowledge_base_id = {big.pk}" in definition


@pytest.mark.django_db(transaction=True)
def test_pk_026_a_note_keeps_its_file_and_heading_and_768_numbers_under_a_cosine_index() -> None:
    """The vectors have length one, so that the inner product, which is faster, is the cosine."""
    embedder = CountingEmbedder("wide", dimensions=768)
    with registered(embedder):
        base = base_of_plugin(embedder="wide")
        note = add_markdown(base, "# Engine\n\n## Oil\n\nOil is drained warm.", name="garage/engine.md")
        ingest(note.pk)
    base.refresh_from_db()
    chunk = base.chunks.get()
    assert (chunk.document.file_name, chunk.section_path[-1]) == ("garage/engine.md", "Oil")
    assert "Oil is drained warm." in chunk.content
    vector = np.asarray(Embedding.objects.get(chunk=chunk).vector, dtype=np.float32)
    assert vector.shape == (768,)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-2)
    assert ensure_index(base, indexed_from=1) == "built"
    (definition,) = definitions()
    assert "hnsw (((vector)::halfvec(768)) halfvec_ip_ops)" in definition
    drop_index(base.pk)


def test_a_search_of_a_large_base_uses_its_index(big: KnowledgeBase) -> None:
    assert index_name(big.pk) not in explained(big, VECTORS[0])
    assert f"Index Scan using {index_name(big.pk)}" in explained(built(big), VECTORS[0])


def test_settings_of_the_index_end_with_the_search(big: KnowledgeBase) -> None:
    assert any("hnsw.ef_search" in sql for sql in statements_of(built(big), VECTORS[0]))
    with connection.cursor() as cursor:
        cursor.execute("SHOW hnsw.ef_search")
        assert cursor.fetchone() == ("40",)


def test_the_index_finds_what_an_exact_search_finds(big: KnowledgeBase) -> None:
    questions = VECTORS[MANY : MANY + 30]
    exact = [nearest(big, question) for question in questions]
    built(big)
    shared = sum(len(set(one) & set(nearest(big, question))) for one, question in zip(exact, questions, strict=True))
    assert shared >= 0.98 * 8 * len(questions)


@pytest.mark.parametrize(("limit", "expected"), [(8, 8), (60, 20)])
def test_a_narrow_filter_on_an_indexed_base_misses_nothing(big: KnowledgeBase, limit: int, expected: int) -> None:
    rare = make_document(big, project="rare")
    chunks = store_chunks(big, rare, [""] * 20, -VECTORS[:20])
    by_hand = np.argsort(VECTORS[:20] @ VECTORS[0])[:expected]
    found = nearest(built(big), VECTORS[0], limit=limit, filters=Filters(projects=("rare",)))
    assert found == [chunks[position].pk for position in by_hand]


def test_an_old_revision_of_an_indexed_base_misses_nothing(big: KnowledgeBase) -> None:
    everything = list(big.chunks.order_by("pk"))
    remove_chunks(big, everything[5:])
    assert sorted(nearest(built(big), VECTORS[0], limit=50)) == [chunk.pk for chunk in everything[:5]]


def test_a_small_base_gets_no_index(big: KnowledgeBase) -> None:
    assert ensure_index(big) == "none"
    assert definitions() == []


def test_asking_again_changes_nothing(big: KnowledgeBase) -> None:
    before = [ensure_index(built(big), indexed_from=1000), definitions()]
    assert [ensure_index(big, indexed_from=1000), definitions()] == before == ["kept", definitions()]


def test_an_index_goes_when_the_base_has_shrunk_to_less_than_half(big: KnowledgeBase) -> None:
    built(big)
    assert ensure_index(big, indexed_from=2 * MANY) == "kept"
    Embedding.objects.filter(pk__in=Embedding.objects.values("pk")[:1]).delete()
    assert ensure_index(big, indexed_from=2 * MANY) == "dropped"
    assert definitions() == []


def test_what_a_crashed_build_left_is_built_again(big: KnowledgeBase) -> None:
    built(big)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [index_name(big.pk)])
    assert len(nearest(big, VECTORS[0])) == 8
    assert index_name(big.pk) not in explained(big, VECTORS[0])
    built(big)
    assert f"Index Scan using {index_name(big.pk)}" in explained(big, VECTORS[0])


def test_only_one_builds(big: KnowledgeBase) -> None:
    assert Lease.objects.take(index_name(big.pk), holder="elsewhere/1/1/a", seconds=60, from_dead="")
    assert ensure_index(big, indexed_from=1000) == "busy"
    Lease.objects.all().delete()
    built(big)


def test_an_index_is_not_built_inside_a_transaction(big: KnowledgeBase) -> None:
    with transaction.atomic(), pytest.raises(IndexInTransaction):
        ensure_index(big, indexed_from=1000)


def test_the_index_of_a_base_that_is_gone_can_be_dropped(big: KnowledgeBase) -> None:
    gone = built(big).pk
    big.delete()
    assert drop_index(gone) == drop_index(gone) == "dropped"
    assert definitions() == []
