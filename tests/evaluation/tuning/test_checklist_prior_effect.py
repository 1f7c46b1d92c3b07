from __future__ import annotations

from evaluation.eval_types import QuestionScores
from evaluation.tuning.checklist_prior_effect import measure_prior_effect


def scored(document: str, item: str, *, present: bool, strength: float) -> QuestionScores:
    return QuestionScores(
        id=f"{document}/{item}",
        answerable=present,
        values={},
        score=strength,
        strength=strength,
        milliseconds=1.0,
        item=item,
        document=document,
    )


def test_an_item_that_is_nearly_always_there_is_taken_to_be_there() -> None:
    # The evidence alone has it the wrong way round: the rare item reads stronger than the common one.
    rows = [
        one
        for document in ("a", "b", "c", "d", "e")
        for one in (
            scored(document, "parties", present=True, strength=0.3),
            scored(document, "source code escrow", present=False, strength=0.6),
        )
    ]
    effect = measure_prior_effect(rows, reviewed=3)
    assert effect is not None
    assert (effect.questions, effect.auc_without, effect.auc, effect.accuracy) == (4, 0.0, 1.0, 1.0)


def test_more_evidence_than_the_item_usually_has_speaks_for_it() -> None:
    # Each item reads alike wherever it is, and the one weaker throughout than the other.
    rows = [
        scored(name, item, present=n % 2 == 0, strength=usual + (0.1 if n % 2 == 0 else -0.1))
        for n, name in enumerate("abcdefgh")
        for item, usual in (("notice", 0.7), ("audit", 0.3))
    ]
    effect = measure_prior_effect(rows, reviewed=4)
    assert effect is not None
    assert effect.auc_without is not None
    assert effect.auc is not None
    assert effect.auc > 0.95 > effect.auc_without


def test_the_same_documents_are_drawn_every_time() -> None:
    rows = [scored(str(n), "notice", present=n % 3 == 0, strength=(n * 7 % 10) / 10) for n in range(12)]
    assert measure_prior_effect(rows, reviewed=4) == measure_prior_effect(rows[::-1], reviewed=4)


def test_questions_of_no_checklist_have_no_prior() -> None:
    assert measure_prior_effect([scored("", "", present=True, strength=0.5)], reviewed=1) is None


def test_with_every_document_reviewed_nothing_is_left_to_judge() -> None:
    assert measure_prior_effect([scored("a", "parties", present=True, strength=0.5)], reviewed=1) is None
