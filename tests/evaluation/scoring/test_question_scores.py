"""One question's scores, worked out by hand."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from evaluation.eval_types import (
    EvalQuestion,
    GoldenExpectation,
    GoldPlace,
    PageSpan,
    PipelineOutcome,
    RetrievalOutcome,
)
from evaluation.scoring import question_scores
from evaluation.scoring.gold_locator import GoldTarget
from evaluation.scoring.question_scores import AnswerKey
from knowledge.models import Page
from tests.knowledge.bases import make_base

A, B, C = (UUID(int=n) for n in (1, 2, 3))


def span(document: UUID = A, *, page: int = 1, start: int = 0, end: int = 10, text: str = "words") -> PageSpan:
    return PageSpan(
        document=document, page_id=10 * document.int + page, page_number=page, start=start, end=end, text=text
    )


def found(*passages: PageSpan, sentences: tuple[PageSpan, ...] = (), passes: bool = True) -> RetrievalOutcome:
    return RetrievalOutcome(
        passages=passages, sentences=sentences, strength=0.6, sufficiency_score=0.5, passes=passes, milliseconds=3.0
    )


def given(*citations: PageSpan, statements: tuple[tuple[int, ...], ...] = (), **fields: Any) -> PipelineOutcome:
    values: dict[str, Any] = {
        "outcome": "answered",
        "confidence": "high",
        "text": "Ninety crowns a month.",
        "nodes": (),
        "strength": 0.6,
        "milliseconds": 9.0,
    }
    return PipelineOutcome(citations=citations, statements=statements, **{**values, **fields})


def key(*targets: GoldTarget, relevant: dict[UUID, int] | None = None, **fields: Any) -> AnswerKey:
    places = tuple((GoldPlace(document=str(target.document)), target) for target in targets)
    values: dict[str, Any] = {"forbidden": frozenset(), "ranks_documents": True, **fields}
    return AnswerKey(places=places, relevant=relevant or {}, **values)


def values(asked: EvalQuestion, **sides: Any) -> dict[str, float]:
    sides = {"found": None, "given": None, **sides}
    return dict(question_scores.score_question(asked, **sides).values)


ANSWERABLE = EvalQuestion(id="1", text="What is the rent?", answerable=True)


def test_a_document_counts_once_at_its_best_passage() -> None:
    scored = values(
        ANSWERABLE,
        key=key(relevant={B: 1}),
        found=found(span(A), span(A, page=2), span(B), span(B, page=2), span(C)),
    )
    assert (scored["mrr@10"], scored["document@1"], scored["document@5"]) == (0.5, 0.0, 1.0)
    assert scored["ndcg@10"] == pytest.approx(1 / 1.5849625)


def test_documents_are_not_ranked_where_the_question_names_its_own() -> None:
    scored = values(ANSWERABLE, key=key(relevant={A: 1}, ranks_documents=False), found=found(span(A)))
    assert "ndcg@10" not in scored


def test_a_page_counts_once_and_any_page_of_the_evidence_is_right() -> None:
    target = GoldTarget(document=A, pages=frozenset({3, 4}))
    passages = (span(page=1), span(page=1, start=20, end=30), span(page=2), span(B, page=3), span(page=4))
    scored = values(ANSWERABLE, key=key(target), found=found(*passages))
    assert [scored[f"page@{k}"] for k in (1, 5, 10)] == [0, 1, 1]


def test_sentences_are_compared_only_where_the_set_says_more_than_a_document() -> None:
    exact = GoldTarget(document=A, spans=((11, 5, 8),))
    sentences = (span(start=10, end=20), span(start=0, end=6))
    assert values(ANSWERABLE, key=key(exact), found=found(span(), sentences=sentences))["sentence@1"] == 0
    assert values(ANSWERABLE, key=key(exact), found=found(span(), sentences=sentences))["span@5"] == 1
    assert "span@5" not in values(ANSWERABLE, key=key(GoldTarget(document=A)), found=found(span(), sentences=sentences))


@pytest.mark.django_db
def test_precision_counts_marks_and_recall_counts_statements() -> None:
    target = GoldTarget(document=A, spans=((11, 0, 10),))
    citations = (span(), span(start=50, end=60), span(B))
    scored = values(ANSWERABLE, key=key(target), given=given(*citations, statements=((0, 1), (2,), (), (0,))))
    # Marks: right, wrong, wrong, right. Statements: supported, not, not, supported.
    assert (scored["citation_precision"], scored["citation_recall"]) == (0.5, 0.5)


@pytest.mark.django_db
def test_a_refusal_has_neither_precision_nor_recall() -> None:
    scored = values(ANSWERABLE, key=key(GoldTarget(document=A)), given=given(outcome="refused", confidence="low"))
    assert scored == {"answered_when_answerable": 0.0}


@pytest.mark.django_db
def test_an_answer_to_what_has_none_is_wrong_however_well_cited() -> None:
    asked = EvalQuestion(id="1", text="?", answerable=False)
    scored = values(asked, key=key(), given=given(span(), statements=((0,),)))
    assert (scored["refused_when_unanswerable"], scored["answer_right"]) == (0.0, 0.0)


@pytest.mark.parametrize("outcome", ["failed", "abandoned"])
@pytest.mark.parametrize("answerable", [True, False])
def test_what_did_not_come_to_an_end_was_neither_answered_nor_refused(outcome: str, answerable: bool) -> None:
    asked = EvalQuestion(id="1", text="Who won?", answerable=answerable)
    assert values(asked, key=key(), given=given(outcome=outcome)) == {}


@pytest.mark.django_db
def test_an_excerpt_is_valid_when_it_stands_on_the_page_that_is_named() -> None:
    base = make_base()
    document = base.documents.create(title="Lease", source_type="pdf")
    page = Page.objects.create(document=document, number=2, text="The rent is\nninety crowns.", source_sha256="0")
    right = PageSpan(document=document.pk, page_id=page.pk, page_number=2, start=4, end=18, text="rent is ninety")
    wrong = [
        PageSpan(document=document.pk, page_id=page.pk, page_number=2, start=4, end=18, text="rent is eighty"),
        PageSpan(document=document.pk, page_id=page.pk, page_number=3, start=4, end=18, text="rent is ninety"),
        PageSpan(document=A, page_id=page.pk, page_number=2, start=4, end=18, text="rent is ninety"),
        PageSpan(document=document.pk, page_id=page.pk, page_number=2, start=4, end=4, text=""),
        PageSpan(document=document.pk, page_id=page.pk + 1, page_number=2, start=4, end=18, text="rent is ninety"),
    ]
    asked = EvalQuestion(id="1", text="?")
    assert values(asked, key=key(), given=given(right, *wrong))["citation_validity"] == pytest.approx(1 / 6)


def test_in_retrieval_alone_the_gate_decides_what_would_be_answered() -> None:
    asked = EvalQuestion(id="1", text="?", answerable=False)
    assert values(asked, key=key(), found=found(passes=False)) == {"refused_when_unanswerable": 1.0}
    assert question_scores.score_question(asked, key=key(), found=found(), given=None).score == 0.5


@pytest.mark.django_db
def test_what_is_outside_the_filter_must_neither_be_found_nor_cited() -> None:
    outside = key(forbidden=frozenset({B}))
    asked = EvalQuestion(id="1", text="?")
    leaking = values(asked, key=outside, found=found(span(A), span(B)), given=given(span(B)))
    tight = values(asked, key=outside, found=found(span(A)), given=given())
    assert (leaking["forbidden_found"], leaking["forbidden_cited"]) == (1.0, 1.0)
    assert (tight["forbidden_found"], tight["forbidden_cited"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("words", "text"),
    [("4.00", "An adult pays 14.00 €."), ("no", "It is not allowed."), ("boots", "Overboots are worn.")],
)
def test_a_part_of_a_number_or_a_word_does_not_meet_an_expectation(words: str, text: str) -> None:
    asked = EvalQuestion(id="1", text="?", expected=GoldenExpectation(outcome="answered", must_contain=(words,)))
    assert question_scores.golden_failures(asked, key=key(), given=given(text=text)) == [
        f"The answer does not say “{words}”."
    ]


def test_every_unmet_expectation_is_a_sentence() -> None:
    asked = EvalQuestion(
        id="1",
        text="?",
        expected=GoldenExpectation(outcome="refused", must_contain=("ninety  CROWNS", "weekly"), must_reach="rent"),
    )
    missing = AnswerKey(
        places=((GoldPlace(document="Lease", pages=frozenset({2})), None),),
        relevant={},
        forbidden=frozenset(),
        ranks_documents=True,
    )
    assert question_scores.golden_failures(asked, key=missing, given=given(nodes=("start",))) == [
        "Expected a refusal; it answered.",
        "Lease p. 2 is not cited.",
        "The answer does not say “weekly”.",
        "The tree did not reach rent.",
    ]
