"""Compares confidence with correctness: fits a plugin's curve to its golden questions, and measures how good such
curves are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from evaluation.eval_types import QuestionScores
from evaluation.scoring import metrics
from querying.answering import confidence_calibration
from querying.answering.confidence_calibration import Calibration, LabelledAnswer
from querying.types.answer import Outcome

CALIBRATION_DRAWS = 20


@dataclass(frozen=True, kw_only=True)
class CalibrationEffect:
    """Curves fitted on `fitted_on` questions and tried on the others, means over the draws in which there were
    enough of both kinds. `sure` is the share of answers called high, `sure_right` how many of those are right (None
    where nothing was); `auc` is the area under the ROC curve of right against wrong by the stated probability."""

    fitted_on: int
    draws: int
    answers: float
    ece: float | None
    sure: float | None
    sure_right: float | None
    auc: float | None


def labelled_answers(scored: Sequence[QuestionScores]) -> list[LabelledAnswer]:
    """What an evaluation says about answers: those given, and unanswerable questions, which no answer would fit.

    What was refused although it has an answer says nothing, nor does a golden question that is passed by any answer.
    """
    return [one for one in map(_labelled_answer, scored) if one]


def fit_from_scores(scored: Sequence[QuestionScores], *, today: date) -> Calibration | None:
    """The curve of a plugin with these golden questions; None where there are too few, or none to be refused."""
    if not any(one.answerable is False for one in scored):
        return None
    return confidence_calibration.fit_calibration(labelled_answers(scored), questions=len(scored), today=today)


def measure_calibration_effect(
    scored: Sequence[QuestionScores], *, count: int, draws: int = CALIBRATION_DRAWS
) -> CalibrationEffect:
    """How curves from so many of these questions do on the rest. The same seeds every time."""
    tried = [one for seed in range(draws) if (one := _held_out_trial(scored, count=count, seed=seed)) is not None]
    sure = [right for stated, least in tried for at, right in stated if at >= least]
    everything = [pair for stated, _ in tried for pair in stated]
    return CalibrationEffect(
        fitted_on=count,
        draws=len(tried),
        answers=len(everything) / max(1, len(tried)),
        ece=metrics.mean([confidence_calibration.expected_calibration_error(stated) for stated, _ in tried]),
        sure=len(sure) / len(everything) if everything else None,
        sure_right=metrics.mean(sure),
        auc=metrics.auc([at for at, right in everything if right], [at for at, right in everything if not right]),
    )


def _held_out_trial(
    scored: Sequence[QuestionScores], *, count: int, seed: int
) -> tuple[list[confidence_calibration.StatedOutcome], float] | None:
    """What a curve from the drawn questions states about the others, and from where it calls that high."""
    order = np.random.default_rng(seed).permutation(len(scored))
    golden, others = ([scored[at] for at in part] for part in (order[:count], order[count:]))
    fitted = fit_from_scores(golden, today=date.min)
    if fitted is None:
        return None
    stated = [
        (confidence_calibration.correctness_probability(one.grounds, fitted), float(one.is_right))
        for one in labelled_answers(others)
        if one.was_answered
    ]
    return stated, fitted.high_from or float("inf")


def _labelled_answer(one: QuestionScores) -> LabelledAnswer | None:
    if one.grounds is None:
        return None
    if one.outcome != Outcome.ANSWERED:
        is_unanswerable = one.answerable is False
        return LabelledAnswer(grounds=one.grounds, is_right=False, was_answered=False) if is_unanswerable else None
    right = one.values.get("golden_passed", one.values.get("answer_right"))
    if right is None or (right and not one.is_discriminating):
        return None
    return LabelledAnswer(grounds=one.grounds, is_right=bool(right))
