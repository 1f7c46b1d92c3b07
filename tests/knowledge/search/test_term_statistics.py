from __future__ import annotations

from collections import Counter

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from knowledge.models import Chunk, ChunkTerms, KnowledgeBase, Revision, Term, TermCount
from knowledge.search.revision_statistics import load_statistics
from knowledge.search.term_statistics import (
    inverse_document_frequency,
    record_revision_statistics,
    store_chunk_terms,
    term_weights,
)
from language.terms import terms
from tests.knowledge.factories import (
    at,
    make_base,
    make_document,
    publish,
    remove_chunks,
    stage_chunks,
    store_chunks,
)
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

WORDS = ["beam", "wall", "slab", "cover", "26.4.2"]
# What one revision does: texts that come, and the numbers of the alive chunks that go.
CHANGES = st.lists(
    st.tuples(
        st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=3),
        st.sets(st.integers(0, 9), max_size=3),
    ),
    max_size=6,
)


@pytest.fixture
@remembered
def base(alice: User) -> KnowledgeBase:
    return make_base(alice)


def recount(base: KnowledgeBase, revision: int) -> tuple[int, int, Counter[str]]:
    """Chunks, words and document frequencies at a revision, counted from the texts."""
    alive = [
        terms(f"Manual\n{chunk.content}") for chunk in Chunk.objects.alive_at(revision).filter(knowledge_base=base)
    ]
    return len(alive), sum(map(len, alive)), Counter(term for words in alive for term in set(words))


def recorded(base: KnowledgeBase, revision: int) -> tuple[int, int, Counter[str]]:
    (found,) = load_statistics([at(base, revision)], {*WORDS, *terms("Manual " + " ".join(WORDS))})
    row = Revision.objects.filter(knowledge_base=base, number__lte=revision).order_by("-number").first()
    frequencies = {term: known.document_frequency for term, known in found.terms.items() if known.document_frequency}
    assert found.chunk_count == (row.chunk_count if row else 0)
    return found.chunk_count, row.term_total if row else 0, Counter(frequencies)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHANGES)
def test_figures_of_every_revision_equal_a_recount(alice: User, changes: list[tuple[list[str], set[int]]]) -> None:
    base = make_base(alice)
    document = make_document(base)
    for texts, positions in changes:
        alive = list(Chunk.objects.alive_at(base.revision).filter(knowledge_base=base).order_by("pk"))
        gone = [alive[position].pk for position in positions if position < len(alive)]
        publish(base, added=[chunk.pk for chunk in stage_chunks(base, document, texts)], removed=gone)
    for revision in range(base.revision + 1):
        assert recorded(base, revision) == recount(base, revision)


def test_the_words_of_a_chunk_are_sorted_ids_with_their_counts(base: KnowledgeBase) -> None:
    (chunk,) = store_chunks(base, make_document(base, title="Guide"), ["wall beam wall"])
    row = ChunkTerms.objects.get(chunk=chunk)
    texts = dict(Term.objects.values_list("pk", "text"))
    assert row.terms == sorted(row.terms)
    assert {texts[one]: n for one, n in zip(row.terms, row.counts, strict=True)} == {
        "guid": 1,
        "wall": 2,
        "beam": 1,
    }
    assert row.length == 4


def test_a_word_is_stored_once_per_knowledge_base(base: KnowledgeBase, alice: User) -> None:
    other = make_base(alice)
    for one in (base, base, other):
        store_chunks(one, make_document(one), ["wall"])
    assert sorted(Term.objects.values_list("knowledge_base", "text")) == sorted(
        (one.pk, text) for one in (base, other) for text in ("manual", "wall")
    )


def test_words_that_are_known_use_up_no_ids(base: KnowledgeBase) -> None:
    document = make_document(base)
    store_chunks(base, document, ["wall"])
    store_chunks(base, document, ["wall"])
    store_chunks(base, document, ["beam"])
    first, *_, last = Term.objects.order_by("pk").values_list("pk", flat=True)
    assert last - first == 2


def test_a_word_that_occurs_ever_so_often_is_stored(base: KnowledgeBase) -> None:
    (chunk,) = store_chunks(base, make_document(base, title=""), ["wall " * 40_000])
    assert ChunkTerms.objects.get(chunk=chunk).counts == [32_767]


def test_a_chunk_without_words_counts_as_a_chunk(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, title=""), ["…"])
    assert Revision.objects.values_list("chunk_count", "term_total").get() == (1, 0)


def test_staged_words_count_nowhere_until_they_are_recorded(base: KnowledgeBase) -> None:
    chunks = stage_chunks(base, make_document(base), ["wall"])
    assert recorded(base, 0) == (0, 0, Counter())
    publish(base, added=[chunk.pk for chunk in chunks])
    assert recorded(base, 1) == (1, 2, Counter(manual=1, wall=1))


def test_only_terms_whose_frequency_changed_get_a_row(base: KnowledgeBase) -> None:
    document = make_document(base)
    old = store_chunks(base, document, ["wall beam"])
    new = stage_chunks(base, document, ["wall slab"])
    publish(base, added=[new[0].pk], removed=[old[0].pk])
    changed = TermCount.objects.filter(revision=2).values_list("term__text", "document_frequency")
    assert sorted(changed) == [("beam", 0), ("slab", 1)]


def test_a_revision_with_nothing_new_keeps_the_figures(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["wall"])
    record_revision_statistics(base, revision=2, added=[], removed=[])
    assert recorded(base, 2) == recorded(base, 1)


def test_recording_takes_two_statements_however_many_chunks(
    base: KnowledgeBase, django_assert_num_queries: object
) -> None:
    chunks = stage_chunks(base, make_document(base), ["wall", "beam", "slab"])
    for revision, added in enumerate(([chunks[0]], chunks[1:]), 1):
        with django_assert_num_queries(2):
            record_revision_statistics(base, revision=revision, added=[one.pk for one in added], removed=[])


def test_writing_words_takes_three_statements_however_many_chunks(
    base: KnowledgeBase, django_assert_num_queries: object
) -> None:
    document = make_document(base)
    for texts in (["wall"], ["wall", "beam", "slab"]):
        chunks = stage_chunks(base, document, texts)
        ChunkTerms.objects.filter(chunk__in=chunks).delete()
        with django_assert_num_queries(3):
            store_chunk_terms(base.pk, [(chunk.pk, document.pk, chunk.content) for chunk in chunks])


def test_the_weight_of_a_term_falls_with_its_frequency_over_all_bases(base: KnowledgeBase, alice: User) -> None:
    other = make_base(alice)
    store_chunks(base, make_document(base, title=""), ["wall beam", "wall"])
    store_chunks(other, make_document(other, title=""), ["wall", "slab"])
    weights = term_weights(knowledge_bases=[at(base), at(other)], terms=["wall", "beam", "nowhere"])
    assert weights == {
        "wall": inverse_document_frequency(chunks=4, containing=3),
        "beam": inverse_document_frequency(chunks=4, containing=1),
        "nowhere": inverse_document_frequency(chunks=4, containing=0),
    }
    assert weights["wall"] < weights["beam"] < weights["nowhere"]


def test_figures_of_an_old_revision_stay_what_they_were(base: KnowledgeBase) -> None:
    chunks = store_chunks(base, make_document(base), ["wall beam", "wall"])
    before = recorded(base, 1)
    store_chunks(base, make_document(base), ["wall " * 30] * 20)
    remove_chunks(base, chunks)
    assert recorded(base, 1) == before


def test_statistics_leave_out_a_base_that_is_gone(base: KnowledgeBase) -> None:
    gone = at(base)
    base.delete()
    assert load_statistics([gone], ["wall"]) == []
    assert connection.is_usable()
