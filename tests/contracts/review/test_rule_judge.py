from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.models import Verdict
from contracts.playbook.playbook_types import PlaybookStatement, Position
from contracts.review.document_search import strength_in_document
from contracts.review.rule_judge import DEFAULT_THRESHOLDS, Judgement, Thresholds, judge_position
from contracts.risk import Classification
from querying.types.evidence import Evidence
from tests.querying.passages import evidence, passage

WANTED = "Confidential Information must be marked as confidential."
CLAUSE = "The Recipient protects all information, whether or not it is marked as confidential or proprietary."


def judged(strength: float, thresholds: Thresholds) -> Judgement:
    statement = PlaybookStatement(kind="preferred", text=WANTED, start=0, end=len(WANTED))
    position = Position(
        number=1,
        name="Marking",
        topic="",
        statements=(statement,),
        limits=(),
        is_required=True,
        severity=3,
        likelihood=3,
        start=0,
        end=len(WANTED),
    )
    found = replace(evidence(passage(CLAUSE)), strength=strength)
    return judge_position(position, search=lambda text: found, thresholds=thresholds)


MOSTLY_AGAINST = Thresholds(is_mostly_against=True)


def test_an_unclear_clause_goes_against_the_position_where_decided_contracts_mostly_did() -> None:
    assert judged(0.52, DEFAULT_THRESHOLDS).verdict == Verdict.UNCLEAR
    finding = judged(0.52, MOSTLY_AGAINST)
    assert (finding.verdict, finding.classification) == (Verdict.DENIED, Classification.YELLOW)
    assert finding.reason == "In most decided contracts the clause on this went against the playbook."
    assert [span.text for span in finding.spans] == [CLAUSE]


@pytest.mark.parametrize("strength", [0.2, 0.4])
def test_what_is_hardly_there_does_not_go_against_it(strength: float) -> None:
    assert judged(strength, MOSTLY_AGAINST).verdict == judged(strength, DEFAULT_THRESHOLDS).verdict != Verdict.DENIED


def scored(*scores: float) -> Evidence:
    texts = [f"Clause {number} of the agreement says something." for number in range(len(scores))]
    found = evidence(*(passage(text, number=number) for number, text in enumerate(texts, start=1)))
    sentences = tuple(replace(one, score=score) for one, score in zip(found.sentences, scores, strict=True))
    return replace(found, sentences=sentences)


def test_a_clause_that_stands_out_from_the_contract_counts_for_more() -> None:
    alone, among_others = scored(0.6, 0.3, 0.3), scored(0.6, 0.6, 0.58)
    assert strength_in_document(alone) > 0.6 > strength_in_document(among_others) > 0.5


def test_the_strength_stays_between_nothing_and_certainty() -> None:
    assert strength_in_document(scored(1.0, 0.1)) == 1.0
    assert strength_in_document(scored(0.01, 0.01)) == 0.0
    assert strength_in_document(scored(0.4)) == 0.4
    assert strength_in_document(scored()) == 0.0
