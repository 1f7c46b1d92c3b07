"""The curve from grounds to the chance of being right: pure, on answers made up here."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.answering import confidence, confidence_calibration
from querying.answering.confidence_calibration import Calibration, LabelledAnswer
from querying.types.confidence import Confidence, ConfidenceSignals

TODAY = date(2026, 1, 2)


def answers(count: int, *, slope: float = 12.0, seed: int = 0) -> list[LabelledAnswer]:
    """Right the likelier, the higher the score: half of them at .55."""
    random = np.random.default_rng(seed)
    scores = random.uniform(0.3, 0.9, size=count)
    right = random.uniform(size=count) < 1 / (1 + np.exp(-slope * (scores - 0.55)))
    leads = random.uniform(0, 0.1, size=count)
    return [
        LabelledAnswer(grounds=ConfidenceSignals(score=float(s), lead=float(d), agreement=1), is_right=bool(r))
        for s, d, r in zip(scores, leads, right, strict=True)
    ]


def fitted(count: int = 400, **fields: float) -> Calibration:
    made = confidence_calibration.fit_calibration(answers(count), questions=count, today=TODAY)
    assert made is not None
    return replace(made, **fields)


def test_a_curve_finds_how_often_answers_are_right():
    made = fitted(2000)
    for score, share in ((0.4, 0.14), (0.55, 0.5), (0.7, 0.86)):
        stated = confidence_calibration.correctness_probability(
            ConfidenceSignals(score=score, lead=0.05, agreement=1), made
        )
        assert stated == pytest.approx(share, abs=0.06)
    assert made.ece < 0.05


def test_what_is_called_high_is_right_as_often_as_it_says():
    made = fitted(400)
    fresh = answers(2000, seed=1)
    assert made.high_from is not None
    sure = [
        one.is_right
        for one in fresh
        if confidence_calibration.correctness_probability(one.grounds, made) >= made.high_from
    ]
    assert len(sure) > 200
    assert np.mean(sure) >= confidence_calibration.HIGH_PROBABILITY


def test_too_few_questions_carry_no_curve():
    assert confidence_calibration.fit_calibration(answers(39), questions=39, today=TODAY) is None
    assert confidence_calibration.fit_calibration(answers(40), questions=40, today=TODAY) is not None


def test_answers_of_one_kind_carry_no_curve():
    right = [replace(one, is_right=True) for one in answers(60)]
    assert confidence_calibration.fit_calibration(right, questions=60, today=TODAY) is None


def test_where_nothing_is_right_often_enough_nothing_is_high():
    random = np.random.default_rng(0)
    coin = [replace(one, is_right=bool(random.integers(2))) for one in answers(200)]
    made = confidence_calibration.fit_calibration(coin, questions=200, today=TODAY)
    assert made is not None
    best = ConfidenceSignals(score=0.9, lead=0.1, agreement=2)
    assert confidence.confidence_basis(best, calibration=made.as_json()).level != Confidence.HIGH


def test_high_asks_for_more_where_the_folds_break_the_promise():
    stated = [(0.82, 0.0)] * 8 + [(0.97, 1.0)] * 10
    assert confidence_calibration._high_threshold(stated) == 0.85
    assert confidence_calibration._high_threshold([(0.97, 0.0)] * 10) is None


def test_a_weight_that_would_fall_is_left_out():
    upside_down = [replace(one, is_right=not one.is_right) for one in answers(200)]
    made = confidence_calibration.fit_calibration(upside_down, questions=200, today=TODAY)
    assert made is not None
    assert made.weights[0] == 0.0


SHARE = st.floats(0, 1)
GROUNDS = st.builds(ConfidenceSignals, score=SHARE, lead=SHARE, agreement=st.integers(0, 2))


@given(one=GROUNDS, more=SHARE, lead=SHARE, agreeing=st.integers(0, 2))
def test_the_probability_never_falls_with_better_grounds(
    one: ConfidenceSignals, more: float, lead: float, agreeing: int
):
    better = ConfidenceSignals(score=one.score + more, lead=one.lead + lead, agreement=max(one.agreement, agreeing))
    made = CURVE
    assert (
        0
        <= confidence_calibration.correctness_probability(one, made)
        <= confidence_calibration.correctness_probability(better, made)
        <= 1
    )


CURVE = fitted()


def test_the_same_answers_give_the_same_curve_and_it_survives_storage():
    assert fitted() == CURVE
    assert confidence_calibration.parse_calibration(CURVE.as_json()) == CURVE
    assert confidence_calibration.parse_calibration(None) is None


@pytest.mark.parametrize(
    "altered",
    [
        {"weights": [1.0, 2.0]},
        {"weights": [1.0, 2.0, -1.0]},
        {"weights": [1.0, 2.0, float("nan")]},
        {"intercept": "x"},
        {"intercept": 10**400},
        {"weights": [10**400, 2.0, 3.0]},
        {"reliability": [[1]]},
        {"high_from": 0.1},
        {"unknown": 1},
    ],
)
def test_what_is_no_curve_calibrates_nothing(altered: dict[str, object]):
    assert confidence_calibration.parse_calibration({**CURVE.as_json(), **altered}) is None
    assert confidence_calibration.parse_calibration({"high_from": 0.8}) is None


def test_a_later_date_alone_is_no_other_curve():
    later = replace(CURVE, date="2027-01-01").as_json()
    assert confidence_calibration.same_calibration(CURVE.as_json(), later)
    assert not confidence_calibration.same_calibration(CURVE.as_json(), {**later, "intercept": 0.0})
    assert not confidence_calibration.same_calibration(CURVE.as_json(), None)


def test_the_error_is_the_gap_weighed_by_how_often_it_is_met():
    assert confidence_calibration.expected_calibration_error(
        [(0.9, 1.0), (0.9, 0.0), (0.1, 0.0), (0.1, 0.0)]
    ) == pytest.approx(0.25)
    assert confidence_calibration.expected_calibration_error([]) == 0.0


def test_an_unstated_answer_is_learned_from_and_not_counted():
    refused = [replace(one, was_answered=False) for one in answers(100, seed=3)]
    both = confidence_calibration.fit_calibration([*answers(100), *refused], questions=200, today=TODAY)
    assert both is not None
    assert sum(count for _, _, count in both.reliability) == 100


STRONG = ConfidenceSignals(score=0.7, lead=0.06, agreement=2)


@pytest.mark.parametrize(
    ("grounds", "level"),
    [
        (STRONG, Confidence.HIGH),
        (replace(STRONG, score=0.6), Confidence.MEDIUM),
        (replace(STRONG, lead=0.01), Confidence.MEDIUM),
        (replace(STRONG, agreement=1), Confidence.MEDIUM),
        (replace(STRONG, has_signs=True), Confidence.MEDIUM),
        (replace(STRONG, weakest=0.4), Confidence.MEDIUM),
        (replace(STRONG, answer_probability=0.4), Confidence.MEDIUM),
        (replace(STRONG, lag=0.1), Confidence.MEDIUM),
        (replace(STRONG, score=0.9, lag=0.1), Confidence.HIGH),
        (replace(STRONG, score=0.49), Confidence.LOW),
        (replace(STRONG, lead=0.01, answer_probability=0.9), Confidence.HIGH),
        (replace(STRONG, lead=0.01, answer_probability=0.8), Confidence.MEDIUM),
        (replace(STRONG, agreement=1, answer_probability=0.9), Confidence.HIGH),
        (replace(STRONG, agreement=1, lead=0.04, answer_probability=0.9), Confidence.MEDIUM),
        (replace(STRONG, agreement=0, answer_probability=0.9), Confidence.MEDIUM),
        (replace(STRONG, weakest=0.4, answer_probability=0.9), Confidence.MEDIUM),
        (replace(STRONG, lead=0.01, has_signs=True, answer_probability=0.9), Confidence.MEDIUM),
    ],
)
def test_without_a_curve_the_level_goes_by_rule_and_says_so(grounds: ConfidenceSignals, level: Confidence):
    basis = confidence.confidence_basis(grounds, calibration=None)
    assert (basis.level, basis.probability, basis.is_calibrated) == (level, None, False)
    assert confidence.explain_confidence(basis).startswith("Estimated by fixed rules; not calibrated")


def test_each_sign_of_the_confidence_is_a_sentence_of_its_own():
    grounds = ConfidenceSignals(score=0.49, lead=0.01, agreement=1, weakest=0.4, answer_probability=0.4, has_signs=True)
    assert confidence.explain_confidence(confidence.confidence_basis(grounds, calibration=None)) == (
        "Estimated by fixed rules; not calibrated for this plugin. The best passage scores 0.49 out of 1, 0.01 more "
        "than the next one. Only one of the two searches, by words and by meaning, finds it first. The sources may "
        "contradict each other. The best sentence lacks a word of the question. The best sentence may be about "
        "something else."
    )


@pytest.mark.parametrize(("score", "level"), [(0.9, "high"), (0.6, "medium"), (0.4, "low")])
def test_with_a_curve_the_level_goes_by_the_probability(score: float, level: str):
    basis = confidence.confidence_basis(
        ConfidenceSignals(score=score, lead=0.05, agreement=1), calibration=CURVE.as_json()
    )
    assert (basis.level, basis.is_calibrated) == (level, True)
    assert f"right with probability {basis.probability:.2f}" in confidence.explain_confidence(basis)


def test_with_a_curve_too_what_another_sentence_says_makes_no_answer_high():
    sure = ConfidenceSignals(score=0.9, lead=0.05, agreement=1)
    basis = confidence.confidence_basis(replace(sure, lag=0.3), calibration=CURVE.as_json())
    assert basis.level == Confidence.MEDIUM
    assert "Another sentence says more of the question." in confidence.explain_confidence(basis)


@pytest.mark.parametrize(
    ("doubt", "reason"),
    [
        ({"weakest": 0.4}, "The best sentence lacks a word of the question."),
        ({"answer_probability": 0.4}, "The best sentence may be about something else."),
    ],
)
def test_with_a_curve_too_a_doubtful_best_sentence_keeps_it_from_high(doubt: dict[str, float], reason: str):
    sure = ConfidenceSignals(score=0.9, lead=0.05, agreement=1)
    assert confidence.confidence_basis(sure, calibration=CURVE.as_json()).level == Confidence.HIGH
    basis = confidence.confidence_basis(replace(sure, **doubt), calibration=CURVE.as_json())
    assert basis.level == Confidence.MEDIUM
    assert reason in confidence.explain_confidence(basis)
