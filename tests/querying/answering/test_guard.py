from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from knowledge.search.passages import Passage
from querying.answering.citations import CitationVerifier
from querying.answering.guard import Guard
from querying.question.document_validity import OutOfForce
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence, ConfidenceBasis, ConfidenceSignals
from querying.types.refusals import REFUSAL
from tests.querying.passages import passage

PASSAGES = [
    passage("For mild exposure the nominal cover is 20 mm.", number=1),
    passage("For moderate exposure the nominal cover is 30 mm.", number=2),
    passage("For severe exposure the nominal cover is 45 mm.", number=3),
]
MILD = "For mild exposure the nominal cover is 20 mm [Source 1]."
MODERATE = "For moderate exposure the nominal cover is 30 mm [Source 2]."
SEVERE = "For severe exposure the nominal cover is 45 mm [Source 3]."


def run(
    *sentences: str,
    mode: str = "mandatory",
    tree_decided: bool = False,
    passages: Sequence[Passage] = PASSAGES,
    basis: ConfidenceBasis | None = None,
) -> tuple[list[str], Answer]:
    """What was shown, and the verdict."""
    guard, citer = Guard(mode=mode), CitationVerifier(passages)
    shown = [cited.text for sentence in sentences for cited in guard.add(citer.cite(sentence))]
    shown += [cited.text for cited in guard.finish()]
    return shown, guard.verdict(text=" ".join(shown), tree_decided=tree_decided, basis=basis)


def test_a_verified_sentence_passes():
    shown, answer = run(MILD)
    assert shown == [MILD]
    assert (answer.outcome, answer.confidence) == (Outcome.ANSWERED, Confidence.MEDIUM)


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [("0,5 mm", "0,9 mm"), ("12,5 mm", "12,9 mm"), ("1.234,56 mm", "1.234,99 mm"), ("1.500 mm", "1.5 mm")],
)
def test_a_wrong_figure_with_a_decimal_comma_is_not_shown(stated: str, wrong: str):
    page = passage(f"Die Mindestdicke der Platte beträgt {stated}.", number=1)
    right = f"Die Mindestdicke der Platte beträgt {stated} [Source 1]."
    shown, _ = run(right, f"Die Mindestdicke der Platte beträgt {wrong} [Source 1].", passages=[page])
    assert shown == [right]


def test_lx_066_067_sp_04_zero_citations_are_refused_with_the_exact_sentence():
    shown, answer = run("Cover protects steel.")
    assert shown == []
    assert (answer.text, answer.outcome, answer.reason) == (REFUSAL, Outcome.REFUSED, "no_citations")
    assert answer.citations == ()


def test_lx_069_more_phantoms_than_real_sources_are_refused_and_nothing_is_shown_first():
    shown, answer = run(MILD, "Steel floats [Source 8].", "Wood sinks [Source 9].")
    assert shown == []
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "phantom_citations")


def test_lx_068_a_short_self_refusal_is_refused_even_when_it_cites():
    shown, answer = run("I don't have verified information on that [Source 1].", MILD)
    assert shown == []
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "self_refusal")


def test_a_long_answer_that_mentions_its_limits_is_not_a_refusal():
    limits = "I don't have verified information on prestressed members, which follow rules of their own."
    padding = "For severe exposure the nominal cover is 45 mm, and severe exposure keeps that nominal cover [Source 3]."
    shown, answer = run(MILD, MODERATE, padding, SEVERE, limits)
    assert answer.outcome == Outcome.ANSWERED
    assert limits not in shown


def test_an_uncited_sentence_is_dropped_and_the_cited_ones_stay():
    shown, answer = run(MILD, "Everyone knows that.", SEVERE)
    assert shown == [MILD, "For severe exposure the nominal cover is 45 mm [Source 2]."]
    assert answer.outcome == Outcome.ANSWERED


def test_a_line_that_leads_in_stays_with_what_it_announces():
    shown, _ = run("The values are:", MILD)
    assert shown == ["The values are:", MILD]


def test_a_lead_in_to_nothing_is_dropped():
    shown, _ = run(MILD, "The other values are:")
    assert shown == [MILD]


def test_sentences_are_shown_one_step_behind_not_at_the_end():
    guard, citer = Guard(mode="mandatory"), CitationVerifier(PASSAGES)
    assert guard.add(citer.cite(MILD)) == []
    assert [cited.text for cited in guard.add(citer.cite(MODERATE))] == [MILD]


def test_optional_mode_marks_what_no_source_bears_out_and_lowers_the_confidence():
    shown, answer = run("Cover protects steel.", mode="optional")
    assert shown == ["Cover protects steel (not verified)."]
    assert (answer.outcome, answer.confidence) == (Outcome.ANSWERED, Confidence.LOW)


def test_optional_mode_marks_neither_cited_sentences_nor_questions_nor_lines_that_lead_in():
    shown, _ = run("The values are:", MILD, "Is that enough?", mode="optional")
    assert shown == ["The values are:", MILD, "Is that enough?"]


def test_off_mode_marks_nothing():
    assert run("Cover protects steel.", mode="off")[0] == ["Cover protects steel."]


def test_lx_022_off_mode_neither_refuses_nor_lowers():
    _, answer = run(MILD, "Steel floats [Source 9].", mode="off")
    assert (answer.outcome, answer.confidence, answer.reason) == (Outcome.ANSWERED, Confidence.MEDIUM, "")


SURE = ConfidenceBasis(grounds=ConfidenceSignals(score=0.8, lead=0.1, agreement=2), level=Confidence.HIGH)


def test_the_confidence_is_that_of_the_evidence():
    assert run(MILD, basis=SURE)[1].confidence == Confidence.HIGH
    assert run(MILD, basis=replace(SURE, level=Confidence.LOW))[1].confidence == Confidence.LOW


def test_more_citations_make_no_answer_surer():
    assert run(MILD, MODERATE, SEVERE)[1].confidence == run(MILD)[1].confidence == Confidence.MEDIUM


def test_what_cites_nothing_is_low_whatever_the_evidence():
    assert run("Cover protects steel.", mode="optional", basis=SURE)[1].confidence == Confidence.LOW


def test_an_answer_and_a_refusal_keep_what_the_confidence_was_computed_from():
    assert run(MILD, basis=SURE)[1].basis == SURE
    assert run("Cover protects steel.", basis=SURE)[1].basis == SURE


def test_an_unsupported_number_lowers_the_confidence_one_step():
    wrong = "For severe exposure the nominal cover is 54 mm [Source 3]."
    _, answer = run(MILD, MODERATE, SEVERE, wrong, basis=SURE)
    assert (answer.confidence, answer.reason) == (Confidence.MEDIUM, "unsupported_number")


def test_a_tree_that_decided_raises_the_confidence_one_step():
    _, answer = run(MILD, tree_decided=True)
    assert answer.confidence == Confidence.HIGH


def test_a_tree_raises_nothing_where_the_page_may_speak_of_something_else():
    doubted = ConfidenceBasis(grounds=ConfidenceSignals(score=0.6, answer_probability=0.05), level=Confidence.MEDIUM)
    _, answer = run(MILD, tree_decided=True, basis=doubted)
    assert answer.confidence == Confidence.MEDIUM


OTHER_HANDBOOK = passage(
    "For severe exposure the nominal cover is 50 mm.", number=4, document_id=uuid.UUID(int=2), page_id=900
)
SAYS_OTHERWISE = "Another source says otherwise: For severe exposure the nominal cover is 50 mm [Source 2]."


def test_sources_that_contradict_each_other_are_both_cited_and_lower_the_confidence():
    shown, answer = run(SEVERE, passages=[*PASSAGES, OTHER_HANDBOOK])
    assert shown == ["For severe exposure the nominal cover is 45 mm [Source 1].", SAYS_OTHERWISE]
    assert [citation.passage for citation in answer.citations] == [PASSAGES[2], OTHER_HANDBOOK]
    assert (answer.outcome, answer.reason, answer.confidence) == (
        Outcome.ANSWERED,
        "conflicting_sources",
        Confidence.LOW,
    )


def test_what_another_source_says_is_said_once():
    other = "For severe exposure the nominal cover is 50 mm [Source 4]."
    shown, answer = run(SEVERE, other, passages=[*PASSAGES, OTHER_HANDBOOK])
    assert shown == ["For severe exposure the nominal cover is 45 mm [Source 1].", SAYS_OTHERWISE]
    assert answer.reason == "conflicting_sources"


def test_off_mode_does_not_look_for_conflicts():
    shown, answer = run(SEVERE, passages=[*PASSAGES, OTHER_HANDBOOK], mode="off")
    assert shown == ["For severe exposure the nominal cover is 45 mm [Source 1]."]
    assert answer.reason == ""


def test_a_number_that_ocr_is_not_sure_of_keeps_the_answer_from_being_high():
    sure = ConfidenceBasis(
        grounds=ConfidenceSignals(score=0.9, lead=0.2, agreement=2, has_signs=False), level=Confidence.HIGH
    )
    content = PASSAGES[0].content
    start = PASSAGES[0].start + content.index("20")
    scanned = [replace(PASSAGES[0], is_ocr=True), *PASSAGES[1:]]
    _, answer = run(MILD, passages=scanned, basis=sure)
    assert (answer.confidence, answer.reason) == (Confidence.HIGH, "")
    unsure = [replace(PASSAGES[0], is_ocr=True, unsure_spans=((start, start + 2),)), *PASSAGES[1:]]
    for tree_decided in (False, True):
        _, answer = run(MILD, passages=unsure, basis=sure, tree_decided=tree_decided)
        assert (answer.confidence, answer.reason) == (Confidence.MEDIUM, "unsure_number")
    # A number of another sentence of the page is no matter.
    elsewhere = [replace(PASSAGES[0], unsure_spans=((500, 502),)), *PASSAGES[1:]]
    assert run(MILD, passages=elsewhere, basis=sure)[1].confidence == Confidence.HIGH


def test_a_document_that_is_not_in_force_keeps_the_answer_from_being_high_unless_it_was_asked_for():
    sure = ConfidenceBasis(
        grounds=ConfidenceSignals(score=0.9, lead=0.2, agreement=2, has_signs=False), level=Confidence.HIGH
    )
    for is_last_resort, outcome in (
        (True, (Confidence.MEDIUM, "out_of_force")),
        (False, (Confidence.HIGH, "")),
    ):
        old = OutOfForce(
            **vars(PASSAGES[0]), superseded_on=date(2020, 1, 1), effective_from=None, is_last_resort=is_last_resort
        )
        for tree_decided in (False, True):
            _, answer = run(MILD, passages=[old, *PASSAGES[1:]], basis=sure, tree_decided=tree_decided)
            assert (answer.confidence, answer.reason) == outcome
