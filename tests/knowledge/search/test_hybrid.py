from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from knowledge.models import Chunk, KnowledgeBase, Page
from knowledge.search import candidates
from knowledge.search.candidates import VectorMismatch
from knowledge.search.filters import Filters, InvalidFilter
from knowledge.search.hybrid import BaseRevision, search
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS, QueryWord, Synonyms
from language.terms import terms
from tests.knowledge.factories import (
    DIMENSIONS,
    at,
    make_base,
    make_document,
    publish,
    random_vectors,
    remove_chunks,
    stage_chunks,
    store_chunks,
    store_crowd,
)
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

QueryCount = Callable[[int], AbstractContextManager[Any]]
WORDS = [f"word{letter}" for letter in "abcdefghijklmnop"]


@pytest.fixture
@remembered
def base(alice: User) -> KnowledgeBase:
    return make_base(alice)


def axis(number: int, *, mixed: float = 0.0) -> np.ndarray:
    """A unit vector along one axis; with `mixed`, leaning to the next one: its cosine to the axis is 1 - mixed."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[number] = 1 - mixed
    vector[(number + 1) % DIMENSIONS] = math.sqrt(1 - (1 - mixed) ** 2)
    return vector


def found(
    bases: KnowledgeBase | Sequence[BaseRevision],
    text: str | Sequence[QueryWord] = "",
    vector: np.ndarray | None = None,
    **options: Any,
) -> list[Passage]:
    bases = [at(bases)] if isinstance(bases, KnowledgeBase) else bases
    vector = axis(0) if vector is None else vector
    return search(knowledge_bases=bases, text=text, embedding={"local": vector}, **options)


def contents(passages: Sequence[Passage]) -> list[str]:
    return [passage.content for passage in passages]


def random_texts(count: int) -> list[str]:
    dice = np.random.default_rng(1)
    return [" ".join(dice.choice(WORDS, size=dice.integers(1, 30))) for _ in range(count)]


def scores_by_hand(texts: Sequence[str], vectors: np.ndarray, question: str, vector: np.ndarray) -> np.ndarray:
    """The fused scores of all texts, computed without a database."""
    counted = [Counter(terms(text)) for text in texts]
    lengths = np.array([counts.total() for counts in counted])
    asked = set(terms(question))
    holding = {term: sum(term in counts for counts in counted) for term in asked}
    weights = {term: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for term, n in holding.items()}
    norms = 0.9 * (0.6 + 0.4 * lengths / lengths.mean())
    bm25 = [
        sum(weights[term] * counts[term] / (counts[term] + norm) for term in asked)
        for counts, norm in zip(counted, norms, strict=True)
    ]
    return 0.5 * vectors @ vector + 0.5 * np.array(bm25) / sum(weights.values())


def test_scores_and_order_equal_those_computed_by_hand(base: KnowledgeBase) -> None:
    texts, vectors, question = random_texts(90), random_vectors(90), "worda wordb wordc unheard"
    store_chunks(base, make_document(base, title=""), texts, vectors)
    expected = scores_by_hand(texts, vectors, question, vectors[3])
    passages = found(base, question, vectors[3], limit=90)
    assert [passage.score for passage in passages] == pytest.approx(sorted(expected, reverse=True), abs=2e-3)
    assert contents(passages)[:5] == [texts[position] for position in np.argsort(-expected)[:5]]


def test_a_passage_says_where_it_stands(base: KnowledgeBase) -> None:
    document = make_document(base, title="Guide", source_type="pdf", page_count=1)
    first, second = store_chunks(base, document, ["cover of walls", "depth of beams"], path=["Design", "Loads"])
    passage = next(one for one in found(base, "beams") if one.chunk_id == second.pk)
    assert passage.content == second.page.text[passage.start : passage.end] == "depth of beams"
    assert (passage.document_id, passage.document_title, passage.source_type) == (document.pk, "Guide", "pdf")
    assert (passage.page_id, passage.page_number) == (first.page_id, 1)
    assert (passage.section_path, passage.knowledge_base_id) == (("Design", "Loads"), base.pk)


def test_a_source_without_pages_never_gets_a_page_number(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, source_type="markdown", page_count=None), ["cover"])
    assert [passage.page_number for passage in found(base)] == [None]


def test_a_chunk_counts_once_at_its_best_window(base: KnowledgeBase) -> None:
    windows = [np.stack([axis(3), axis(0), axis(5)]), np.stack([axis(4)])]
    store_chunks(base, make_document(base), ["one", "two"], windows)
    passages = found(base)
    assert [(passage.content, passage.cosine) for passage in passages] == [("one", 1.0), ("two", 0.0)]


def test_a_chunk_of_very_many_windows_hides_no_other(base: KnowledgeBase) -> None:
    windows = [np.stack([axis(0)] * 400), *(np.stack([axis(5)]) for _ in range(12))]
    store_chunks(base, make_document(base), ["long", *["short"] * 12], windows)
    assert contents(found(base, limit=13)) == ["long", *["short"] * 12]


def test_an_identifier_is_found_by_its_letters(base: KnowledgeBase) -> None:
    texts = [f"The cover of element number {number} is given in table {number}." for number in range(120)]
    texts[77] = "See clause 26.4.2 and the setting max_wall_cover."
    vectors = np.stack([axis(0, mixed=0.6)] * 120)
    vectors[77] = axis(0, mixed=0.7)
    store_chunks(base, make_document(base), texts, vectors)
    for question in ("What does clause 26.4.2 say?", "What is max_wall_cover?"):
        assert contents(found(base, question, limit=1)) == [texts[77]]


def test_the_title_counts_as_text(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, title="Acme agreement"), ["It ends."], [axis(0)])
    store_chunks(base, make_document(base, title="Other agreement"), ["It ends too."], [axis(0)])
    assert found(base, "Acme")[0].document_title == "Acme agreement"


def test_a_word_that_occurs_nowhere_lowers_the_score(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["cover of walls", "depth"])
    known, unknown = found(base, "cover")[0], found(base, "cover of zeppelins")[0]
    assert 0 < unknown.lexical < known.lexical < 1


@pytest.mark.parametrize("text", ["", "the of and", "zeppelin"])
def test_a_question_without_known_words_is_answered_by_meaning(base: KnowledgeBase, text: str) -> None:
    store_chunks(base, make_document(base), ["one", "two"], [axis(3), axis(0)])
    passages = found(base, text)
    assert [(passage.content, passage.lexical) for passage in passages] == [("two", 0.0), ("one", 0.0)]


def test_equal_scores_come_in_the_order_of_their_ids(base: KnowledgeBase) -> None:
    chunks = store_chunks(base, make_document(base), ["same"] * 30, [axis(0)] * 30)
    assert [passage.chunk_id for passage in found(base, "same", limit=12)] == [chunk.pk for chunk in chunks[:12]]


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (8, 8), (150, 150), (500, 160)])
def test_without_a_threshold_exactly_as_many_come_back_as_there_are(
    base: KnowledgeBase, limit: int, expected: int
) -> None:
    store_chunks(base, make_document(base), random_texts(160))
    assert len(found(base, "worda wordb", limit=limit)) == expected


def test_a_tiny_base_among_many_vectors_misses_nothing(alice: User) -> None:
    crowd, tiny = make_base(alice), make_base(alice, name="tiny")
    store_crowd(crowd, make_document(crowd), random_vectors(20_000))
    store_chunks(tiny, make_document(tiny), random_texts(20), random_vectors(20, seed=2))
    assert len(found(tiny, "worda", limit=8)) == 8
    assert len(found(tiny, "worda", limit=100)) == 20


# Threshold


def test_the_threshold_is_strict(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["equal", "above"], [axis(0, mixed=0.5), axis(0, mixed=0.25)])
    passages = found(base, threshold=0.5)
    assert [(passage.content, passage.cosine) for passage in passages] == [("above", 0.75)]


def test_words_support_a_chunk_below_the_threshold(base: KnowledgeBase) -> None:
    texts = ["clause 26.4.2", "nothing of it"]
    store_chunks(base, make_document(base), texts, [axis(5), axis(6)])
    assert contents(found(base, "clause 26.4.2", threshold=0.3)) == ["clause 26.4.2"]


def test_a_common_word_alone_supports_nothing(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["the clause"] * 20 + ["zeppelin"], [axis(5)] * 21)
    assert contents(found(base, "a zeppelin clause", threshold=0.3)) == ["zeppelin"]


# Revisions


def test_only_chunks_alive_at_the_revision_are_found(base: KnowledgeBase) -> None:
    document = make_document(base)
    old = store_chunks(base, document, ["old cover"])
    store_chunks(base, document, ["new cover"])
    remove_chunks(base, old)
    stage_chunks(base, document, ["staged cover"])
    by_revision = [sorted(contents(found([at(base, revision)], "cover"))) for revision in range(4)]
    assert by_revision == [[], ["old cover"], ["new cover", "old cover"], ["new cover"]]


def test_scores_at_a_revision_never_change(base: KnowledgeBase) -> None:
    texts, vectors = random_texts(30), random_vectors(30)
    chunks = store_chunks(base, make_document(base), texts, vectors)
    pinned = [at(base)]
    before = found(pinned, "worda wordb", vectors[0], limit=30)
    store_chunks(base, make_document(base), ["worda " * 9] * 40, random_vectors(40, seed=1))
    remove_chunks(base, chunks[:10])
    assert found(pinned, "worda wordb", vectors[0], limit=30) == before
    assert len(before) == 30


# Several bases


def test_bases_are_merged_by_score(alice: User) -> None:
    one, two = make_base(alice), make_base(alice)
    store_chunks(one, make_document(one), ["first", "third"], [axis(0), axis(0, mixed=0.5)])
    store_chunks(two, make_document(two), ["second", "fourth"], [axis(0, mixed=0.25), axis(4)])
    assert contents(found([at(one), at(two)], limit=3)) == ["first", "second", "third"]


def test_bases_of_different_embedders_are_asked_with_their_own_vectors(alice: User) -> None:
    local, remote = make_base(alice), make_base(alice, embedder="openai:x", dimensions=4)
    store_chunks(local, make_document(local), ["near", "far"], [axis(0), axis(4)])
    store_chunks(remote, make_document(remote), ["here", "there"], np.eye(4, dtype=np.float32)[:2])
    embedding = {"local": axis(0), "openai:x": np.eye(4, dtype=np.float32)[1]}
    passages = search(knowledge_bases=[at(local), at(remote)], text="", embedding=embedding, limit=2)
    assert sorted(contents(passages)) == ["near", "there"]


def test_a_base_without_a_vector_is_searched_by_words(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["cover of walls", "depth"])
    (passage,) = search(knowledge_bases=[at(base)], text="cover", embedding={})
    assert (passage.content, passage.cosine) == ("cover of walls", None)
    assert passage.score == passage.lexical > 0


def test_other_bases_are_never_searched(alice: User, charlie: User) -> None:
    mine, foreign = make_base(alice), make_base(charlie)
    store_chunks(foreign, make_document(foreign), ["cover of walls"], [axis(0)])
    assert found(mine, "cover") == []


@pytest.mark.parametrize("vector", [np.ones(3), np.full(DIMENSIONS, np.nan)])
def test_a_vector_that_does_not_fit_is_refused(base: KnowledgeBase, vector: np.ndarray) -> None:
    store_chunks(base, make_document(base), ["cover"])
    with pytest.raises(VectorMismatch):
        found(base, vector=vector)


def test_what_a_stranger_types_is_only_text(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["cover"])
    for text in (
        "'; DROP TABLE knowledge_chunk; --",
        "%s %(vector)s %",
        "/* documents */",
        "\x00 cover",
        "cover " * 9000,
    ):
        assert len(found(base, text)) == 1


# Filters


@pytest.fixture
@remembered
def filtered(base: KnowledgeBase) -> KnowledgeBase:
    documents = [
        {"title": "code", "doc_type": "code", "tags": ["concrete", "walls"], "project": "P1", "is_public": True},
        {"title": "memo", "doc_type": "memo", "tags": ["concrete"], "project": "P2", "doc_status": "draft"},
        {"title": "form", "doc_type": "form", "is_template": True, "doc_date": date(2024, 5, 1)},
        {"title": "old", "effective_from": date(2010, 1, 1), "superseded_on": date(2020, 1, 1)},
        {"title": "new", "effective_from": date(2020, 1, 1), "doc_date": date(2020, 1, 1)},
    ]
    for fields in documents:
        document = make_document(base, **fields)
        store_chunks(base, document, [f"cover {part}" for part in range(3)])
    return base


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        (Filters(), {"code", "memo", "form", "old", "new"}),
        (Filters(doc_types=("code", "memo")), {"code", "memo"}),
        (Filters(tags_any=("walls", "slabs")), {"code"}),
        (Filters(tags_all=("concrete", "walls")), {"code"}),
        (Filters(tags_any=("concrete",), projects=("P2",)), {"memo"}),
        (Filters(statuses=("draft",)), {"memo"}),
        (Filters(date_from=date(2020, 1, 1)), {"form", "new"}),
        (Filters(date_from=date(2020, 1, 1), date_to=date(2024, 4, 30)), {"new"}),
        (Filters(is_public=True), {"code"}),
        (Filters(is_public=False), {"memo", "form", "old", "new"}),
        (Filters(exclude_templates=True), {"code", "memo", "old", "new"}),
        (Filters(as_of=date(2019, 12, 31)), {"code", "memo", "form", "old"}),
        (Filters(as_of=date(2020, 1, 1)), {"code", "memo", "form", "new"}),
        (Filters(document_ids=()), set()),
        (Filters(document_ids=(uuid4(),)), set()),
        (Filters(projects=("%s' OR true --",)), set()),
    ],
)
def test_a_filter_keeps_exactly_the_documents_it_names(
    filtered: KnowledgeBase, filters: Filters, titles: set[str]
) -> None:
    passages = found(filtered, "cover", filters=filters, limit=50)
    assert {passage.document_title for passage in passages} == titles
    assert len(passages) == 3 * len(titles)


def test_a_document_is_filtered_by_its_id(filtered: KnowledgeBase) -> None:
    document = filtered.documents.get(title="memo")
    passages = found(filtered, "cover", filters=Filters(document_ids=(document.pk,)))
    assert {passage.document_id for passage in passages} == {document.pk}


def test_a_filter_leaves_as_many_results_as_there_are(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, project="crowd"), ["cover"] * 400, [axis(0)] * 400)
    store_chunks(base, make_document(base, project="rare"), ["depth"] * 5, [axis(7)] * 5)
    assert len(found(base, "cover", filters=Filters(projects=("rare",)))) == 5


def test_filters_are_read_from_json() -> None:
    one = uuid4()
    values = {
        "docTypes": ["code"],
        "tags_any": "walls",
        "dateFrom": "2024-01-31",
        "isPublic": False,
        "documentIds": [str(one)],
        "asOf": None,
    }
    assert Filters.parse(values) == Filters(
        doc_types=("code",), tags_any=("walls",), date_from=date(2024, 1, 31), is_public=False, document_ids=(one,)
    )
    assert not Filters.parse({})


@pytest.mark.parametrize(
    "values",
    [
        {"knowledge_base__owner__password__startswith": "a"},
        {"title": "x"},
        {"pk": 1},
        {"date_from": "yesterday"},
        {"date_from": 5},
        {"is_public": "yes"},
        {"doc_types": [1]},
        {"tags_any": ["x"] * 1001},
        {"tags_all": ["a\x00b"]},
        {"documentIds": ["not-an-id"]},
        {"projects": {"contains": "x"}},
    ],
)
def test_an_unknown_filter_or_value_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidFilter):
        Filters.parse(values)


# Costs


@pytest.mark.parametrize("chunks", [1, 300])
def test_a_search_takes_three_statements(
    base: KnowledgeBase, django_assert_num_queries: QueryCount, chunks: int
) -> None:
    store_chunks(base, make_document(base), random_texts(chunks))
    with django_assert_num_queries(3):
        found(base, "worda wordb", filters=Filters(exclude_templates=True))


@pytest.mark.parametrize(("words", "by_terms"), [(2, True), (40, False)])
def test_chunks_with_one_of_a_few_words_are_found_by_the_index_of_words(
    base: KnowledgeBase, words: int, by_terms: bool
) -> None:
    """For many the planner may take another: it would read the whole table for them."""
    vocabulary = [f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(40)]
    store_chunks(base, make_document(base), [" ".join(vocabulary)] * 30)
    with CaptureQueriesContext(connection) as captured:
        found(base, " ".join(vocabulary[:words]))
    (statement,) = [one["sql"] for one in captured if "<#>" in one["sql"]]
    assert ("knowledge_base_id + 0" in statement) is by_terms
    if not by_terms:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # a table of thirty rows is read whole
        cursor.execute("EXPLAIN " + statement.replace("%", "%%"))
        assert "on chunk_terms_gin" in "".join(line for (line,) in cursor.fetchall())


def test_another_base_costs_one_statement_more(alice: User, django_assert_num_queries: QueryCount) -> None:
    bases = [make_base(alice) for _ in range(3)]
    for base in bases:
        store_chunks(base, make_document(base), random_texts(300))
    with django_assert_num_queries(2 + 3):
        found([at(base) for base in bases], "worda wordb")


def test_a_search_for_words_alone_computes_no_vector(
    base: KnowledgeBase, django_assert_num_queries: QueryCount
) -> None:
    store_chunks(base, make_document(base), random_texts(3))
    with django_assert_num_queries(3):
        search(knowledge_bases=[at(base)], text="worda", embedding={})


def test_in_a_large_base_only_chunks_with_a_rare_word_are_scored_by_words(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["common"] * 60 + ["common rare"] * 3
    chunks = store_chunks(base, make_document(base, title=""), texts, [axis(1)] * 63)
    monkeypatch.setattr(candidates, "_MAX_SCORED", 20)
    passages = search(knowledge_bases=[at(base)], text="a rare common word", embedding={}, limit=63)
    assert [passage.chunk_id for passage in passages] == [chunk.pk for chunk in chunks[60:]]


def test_a_word_that_is_everywhere_is_searched_when_there_is_no_other(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_chunks(base, make_document(base, title=""), ["common"] * 60)
    monkeypatch.setattr(candidates, "_MAX_SCORED", 20)
    assert len(search(knowledge_bases=[at(base)], text="common", embedding={}, limit=8)) == 8


def test_a_word_that_is_in_far_too_many_chunks_is_counted_only_where_the_meaning_is_near(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_chunks(base, make_document(base, title=""), ["common"] * 130, random_vectors(130))
    monkeypatch.setattr(candidates, "_MAX_SCORED", 20)
    monkeypatch.setattr(candidates, "_MAX_SCORED_FOR_ONE_TERM", 120)
    passages = found(base, "common", limit=8)
    assert len(passages) == 8
    assert all(passage.lexical > 0 for passage in passages)


def test_a_deleted_base_gives_nothing(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), ["cover"])
    pinned = at(base)
    base.delete()
    assert found([pinned], "cover") == []
    assert not Chunk.objects.exists()


def test_replacing_a_document_swaps_its_chunks_in_one_revision(base: KnowledgeBase) -> None:
    document = make_document(base)
    old = store_chunks(base, document, ["old cover"])
    new = stage_chunks(base, document, ["new cover"])
    publish(base, added=[new[0].pk], removed=[old[0].pk])
    assert contents(found(base, "cover")) == ["new cover"]


# Words with weights, synonyms, titles, clauses


def test_a_word_of_less_weight_decides_less(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, title=""), ["cover cover", "depth depth", "walls"], [axis(1)] * 3)
    words = [*NO_SYNONYMS.words("depth"), *NO_SYNONYMS.words("cover", weight=0.3)]
    passages = found(base, words)
    assert contents(passages) == ["depth depth", "cover cover", "walls"]
    assert passages[0].lexical == pytest.approx(passages[1].lexical / 0.3)


def test_words_all_of_one_weight_score_as_their_text_does(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base), random_texts(30), random_vectors(30))
    light = NO_SYNONYMS.words("worda wordb", weight=0.2)
    expected = [(one.chunk_id, pytest.approx(one.score)) for one in found(base, "worda wordb")]
    assert [(one.chunk_id, one.score) for one in found(base, light)] == expected


def test_the_title_counts_once_more_than_the_text(base: KnowledgeBase) -> None:
    store_chunks(base, make_document(base, title="Handbook"), ["Acme Acme it ends"], [axis(0)])
    store_chunks(base, make_document(base, title="Acme"), ["Acme it ends"], [axis(0)])
    assert found(base, "Acme")[0].document_title == "Acme"


def test_a_synonym_is_found_and_never_outweighs_what_was_asked(base: KnowledgeBase) -> None:
    texts = ["water-cement ratio of mixes", "w/c of mixes", "sand and gravel", *["mixes of sand"] * 5]
    store_chunks(base, make_document(base, title=""), texts, [axis(1)] * len(texts))
    synonyms = Synonyms([["w/c", "water-cement ratio"]])
    lexical = {one.content: one.lexical for one in found(base, synonyms.words("w/c"))}
    assert 0 < lexical[texts[0]] <= lexical[texts[1]]
    assert lexical[texts[2]] == 0
    plain = {one.content: one.lexical for one in found(base, "w/c")}
    assert plain[texts[0]] == 0
    assert plain[texts[1]] == pytest.approx(lexical[texts[1]])


def test_an_abbreviation_that_the_documents_never_use_is_no_missing_evidence(base: KnowledgeBase) -> None:
    texts = ["the ratio of water to cement", *["sand and gravel"] * 8]
    store_chunks(base, make_document(base, title=""), texts, [axis(1)] * len(texts))
    with_synonyms = Synonyms([["w/c", "water-cement ratio"]]).words("w/c")
    assert found(base, with_synonyms)[0].lexical == pytest.approx(found(base, "water cement ratio")[0].lexical)


@pytest.mark.parametrize(("asked", "written"), [("re-use", "reuse"), ("reuse", "re-use"), ("re-use", "re-use")])
def test_a_hyphen_makes_no_difference(base: KnowledgeBase, asked: str, written: str) -> None:
    texts = [f"{written} of formwork", *["striking of formwork"] * 6]
    store_chunks(base, make_document(base, title=""), texts, [axis(1)] * len(texts))
    best, second = found(base, asked, limit=2)
    assert best.content == texts[0]
    assert best.lexical > 0.4 > second.lexical == 0


@pytest.mark.parametrize(("asked", "written"), [("45mm", "45 mm"), ("45 mm", "45mm"), ("45-mm", "45mm")])
def test_a_space_before_a_unit_makes_no_difference(base: KnowledgeBase, asked: str, written: str) -> None:
    texts = [f"cover of {written}", *["cover of 20 bars"] * 6]
    store_chunks(base, make_document(base, title=""), texts, [axis(1)] * len(texts))
    assert contents(found(base, asked, limit=1)) == [texts[0]]


def test_the_clause_that_is_asked_for_goes_before_those_that_mention_it(base: KnowledgeBase) -> None:
    document = make_document(base, title="")
    mentions = store_chunks(base, document, ["Walls: see clause 4.2.1."] * 3, [axis(1)] * 3)
    store_chunks(base, document, ["Walls: see clause 9.3."] * 12, [axis(1)] * 12)
    under = store_chunks(base, document, ["Beams are covered."], [axis(1)], path=["4 Cover", "4.2.1 Beams"])
    begun = store_chunks(base, document, ["Walls.\n4.2.1 Beams are covered by concrete."], [axis(1)])
    passages = found(base, "What does clause 4.2.1 say?", clauses=("4.2.1",), limit=5)
    assert {one.chunk_id for one in passages[:2]} == {under[0].pk, begun[0].pk}
    assert {one.chunk_id for one in passages[2:]} == {chunk.pk for chunk in mentions}


@pytest.mark.parametrize("word", ["boots", "Schuhe für draußen", "靴"])
def test_a_passage_is_verbatim_as_long_as_it_stands_where_it_stood(base: KnowledgeBase, word: str) -> None:
    """Also behind and among characters of more than one byte."""
    texts = [f"Wear {word} {number}." for number in range(3)]
    store_chunks(base, make_document(base), texts)
    assert [one.is_verbatim for one in found(base)] == [True] * 3
    page = Page.objects.get()
    page.text = page.text.replace("1.", "7.")
    page.save()
    assert {one.content: one.is_verbatim for one in found(base)} == {texts[0]: True, texts[1]: False, texts[2]: True}
