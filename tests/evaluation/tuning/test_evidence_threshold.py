from __future__ import annotations

import pytest

from evaluation.eval_types import QuestionScores
from evaluation.reports import console_report
from evaluation.tuning.evidence_threshold import REPORTED_THRESHOLDS, TooFewGoldenQuestions, propose_threshold
from querying.types.confidence import ConfidenceSignals


def scored(answerable: bool | None, score: float | None) -> QuestionScores:
    grounds = None if score is None else ConfidenceSignals(score=score)
    return QuestionScores(
        id="1", answerable=answerable, values={}, score=None, strength=None, milliseconds=1.0, grounds=grounds
    )


APART = [scored(True, 0.62)] * 15 + [scored(False, 0.52)] * 5


def test_the_threshold_moves_as_far_as_it_has_to():
    proposal = propose_threshold(APART)
    assert proposal.proposed.threshold == 0.53
    assert (proposal.proposed.answered, proposal.proposed.refused) == (1.0, 1.0)
    assert (proposal.answerable, proposal.unanswerable) == (15, 5)


def test_where_the_default_is_as_good_as_any_it_stays():
    assert propose_threshold([scored(True, 0.62)] * 15 + [scored(False, 0.2)] * 5).proposed.threshold == 0.45


def test_one_question_more_or_less_does_not_move_it():
    mixed = [scored(True, 0.62)] * 8 + [scored(True, 0.28)] * 7
    refused = [scored(False, 0.2)] * 19
    assert propose_threshold([*mixed, *refused, scored(False, 0.5)]).proposed.threshold == 0.45


def test_what_each_threshold_costs_is_shown():
    proposal = propose_threshold(APART)
    assert [trade.threshold for trade in proposal.trades] == list(REPORTED_THRESHOLDS)
    assert [(trade.answered, trade.refused) for trade in proposal.trades[-3:]] == [(1, 0), (1, 1), (1, 1)]
    shown = console_report.format_threshold_proposal(proposal, is_applied=False)
    assert "Nothing is changed" in shown
    assert "proposed" in shown


def test_the_plugins_own_threshold_is_shown_as_the_one_in_force():
    assert propose_threshold(APART, now=0.7).now.answered == 0.0
    assert propose_threshold(APART).now.threshold == 0.45


def test_questions_that_never_came_to_the_gate_do_not_count():
    with pytest.raises(TooFewGoldenQuestions):
        propose_threshold([*APART[:-1], scored(None, None), scored(False, None)])


@pytest.mark.parametrize("few", [APART[:19], [scored(True, 0.6)] * 30 + [scored(False, 0.5)] * 4])
def test_too_few_questions_fit_nothing(few: list[QuestionScores]):
    with pytest.raises(TooFewGoldenQuestions):
        propose_threshold(few)
