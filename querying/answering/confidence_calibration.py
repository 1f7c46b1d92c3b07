"""A curve from the grounds of an answer to the chance that it is right, fitted on questions whose answers are known.

Logistic regression with a ridge (Platt 1999; le Cessie and van Houwelingen 1992) by Newton's method, on three numbers:
the score that decided, its lead, and the agreement of both searches. The curve never falls in any of them: a number
whose weight comes out negative is left out and the rest fitted anew. What the fit claims is checked on the questions
that it has not seen, five folds in turn; only what holds there may be called high.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querying.types.confidence import ConfidenceSignals

# With fewer golden questions, or fewer right or wrong answers, no curve is fitted.
MIN_CALIBRATION_QUESTIONS = 40
MIN_PER_CLASS = 5
REQUIREMENTS = (
    f"{MIN_CALIBRATION_QUESTIONS} golden questions, some of them to be refused, and {MIN_PER_CLASS} answers "
    "of each kind, right and wrong."
)
# An answer is called high from this probability on, and this share of the answers called high must be right.
HIGH_PROBABILITY = 0.8
# Where the held-out folds miss that share, a higher threshold is tried; fewer cases than this show nothing.
_HIGH_THRESHOLDS = (HIGH_PROBABILITY, 0.85, 0.9, 0.95)
_MIN_HIGH_CASES = 5

# Small enough to follow 80 questions, large enough that 40 do not run away (docs/evaluation.md).
_RIDGE = 0.1
_FOLDS = 5
_FEATURE_NAMES = ("score", "lead", "agreement")
_MAX_NEWTON_STEPS = 50
_BIN_COUNT = 10

FloatArray = NDArray[np.float64]
StatedOutcome = tuple[float, float]  # a probability, and 1 for right or 0 for wrong
ReliabilityBin = tuple[float, float, int]


@dataclass(frozen=True, kw_only=True)
class LabelledAnswer:
    """An answer that is known to be right or wrong. Unanswerable questions count too: every answer to one is wrong.

    `was_answered` is false for a refusal, where no caller saw a confidence."""

    grounds: ConfidenceSignals
    is_right: bool
    was_answered: bool = True


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """`weights` are those of score, lead and agreement (`_features`); `high_from` is the least probability that may
    be called high, None where the folds support none. On the answers held out: `ece` is the expected calibration
    error over ten bins, `reliability` has (mean stated, share right, count) of each bin. `questions` is how many
    golden questions there were, `date` (ISO) when it was fitted."""

    intercept: float
    weights: tuple[float, ...]
    high_from: float | None
    questions: int
    ece: float
    reliability: tuple[ReliabilityBin, ...]
    date: str

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "weights": list(self.weights),
            "reliability": [list(one) for one in self.reliability],
        }


def parse_calibration(stored: Mapping[str, Any] | None) -> Calibration | None:
    """What a plugin or a release keeps, as a value. None where there is none, and for what is no curve (of another
    version, or made by hand): then confidence is not calibrated."""
    if not stored:
        return None
    try:
        bins = tuple((float(mean), float(right), int(count)) for mean, right, count in stored["reliability"])
        weights = tuple(float(weight) for weight in stored["weights"])
        made = Calibration(**{**stored, "weights": weights, "reliability": bins})
        is_curve = len(weights) == len(_FEATURE_NAMES) and all(map(math.isfinite, (made.intercept, made.ece, *weights)))
        is_high = made.high_from is None or HIGH_PROBABILITY <= made.high_from <= 1
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return made if is_curve and is_high and min(weights) >= 0 else None


def same_calibration(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    """Whether two stored calibrations are equal apart from their dates."""
    undated = [{name: value for name, value in (stored or {}).items() if name != "date"} for stored in (one, other)]
    return undated[0] == undated[1]


def correctness_probability(grounds: ConfidenceSignals, calibration: Calibration) -> float:
    """The chance that an answer on these grounds is right. Rises with each of them."""
    linear = calibration.intercept + np.dot(_features(grounds), np.asarray(calibration.weights))
    return float(_logistic(linear))


def fit_calibration(known: Sequence[LabelledAnswer], *, questions: int, today: date) -> Calibration | None:
    """The curve fitted on these answers; None where they are too few, or nearly all right or all wrong.

    `questions` is how many golden questions there are, including those that were asked back.
    """
    right = sum(one.is_right for one in known)
    if questions < MIN_CALIBRATION_QUESTIONS or min(right, len(known) - right) < MIN_PER_CLASS:
        return None
    fitted = fit_weights(known)
    held_out = _cross_validated(known)
    stated = [(at, float(one.is_right)) for at, one in zip(held_out, known, strict=True) if one.was_answered]
    return Calibration(
        intercept=round(fitted[0], 4),
        weights=tuple(round(weight, 4) for weight in fitted[1:]),
        high_from=_high_threshold(stated),
        questions=questions,
        ece=round(expected_calibration_error(stated), 4),
        reliability=tuple((round(mean, 4), round(right, 4), count) for mean, right, count in reliability_bins(stated)),
        date=today.isoformat(),
    )


def fit_weights(known: Sequence[LabelledAnswer]) -> tuple[float, ...]:
    """Intercept and weights of the fit, none of the weights negative."""
    rows = np.asarray([_features(one.grounds) for one in known])
    right = np.asarray([one.is_right for one in known], dtype=np.float64)
    kept = list(range(rows.shape[1]))
    while True:
        fitted = _fit_logistic(rows[:, kept], right)
        falling = [at for at, weight in zip(kept, fitted[1:], strict=True) if weight < 0]
        if not falling:
            break
        kept = [at for at in kept if at not in falling]
    weights = dict(zip(kept, fitted[1:], strict=True))
    return (float(fitted[0]), *(float(weights.get(at, 0.0)) for at in range(rows.shape[1])))


def reliability_bins(stated: Sequence[StatedOutcome], *, bins: int = _BIN_COUNT) -> list[ReliabilityBin]:
    """(mean stated, share right, count) of each of the equal bins of 0 to 1 that holds anything."""
    groups: list[list[StatedOutcome]] = [[] for _ in range(bins)]
    for one in stated:
        groups[min(bins - 1, max(0, int(one[0] * bins)))].append(one)
    return [
        (math.fsum(at for at, _ in group) / len(group), sum(right for _, right in group) / len(group), len(group))
        for group in groups
        if group
    ]


def expected_calibration_error(stated: Sequence[StatedOutcome]) -> float:
    """The mean gap between stated probability and share right over ten equal bins, weighed by their counts."""
    gaps = (count * abs(mean - right) for mean, right, count in reliability_bins(stated))
    return math.fsum(gaps) / len(stated) if stated else 0.0


def _features(grounds: ConfidenceSignals) -> tuple[float, float, float]:
    """The grounds on one scale, so that one ridge suits them all. A lead beyond .1 says no more."""
    return grounds.score, 5 * min(grounds.lead, 0.1), 0.15 * grounds.agreement


def _logistic(linear: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(linear, -30, 30)))


def _fit_logistic(rows: FloatArray, right: FloatArray) -> FloatArray:
    """Weights that minimise the log loss plus half the ridge on their squares; the intercept, first, goes free."""
    design = np.hstack([np.ones((len(rows), 1)), rows])
    ridge = np.diag([1e-6, *[_RIDGE] * rows.shape[1]])
    weights = np.zeros(design.shape[1])
    for _ in range(_MAX_NEWTON_STEPS):
        stated = _logistic(design @ weights)
        slope = design.T @ (stated - right) + ridge @ weights
        bend = (design * (stated * (1 - stated))[:, None]).T @ design + ridge
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _cross_validated(known: Sequence[LabelledAnswer]) -> list[float]:
    """What each answer would have been given by a fit without it: every fifth one is left out in turn."""
    stated = [0.0] * len(known)
    for fold in range(_FOLDS):
        fitted = fit_weights([one for at, one in enumerate(known) if at % _FOLDS != fold])
        for at in range(fold, len(known), _FOLDS):
            linear = fitted[0] + np.dot(_features(known[at].grounds), fitted[1:])
            stated[at] = float(_logistic(linear))
    return stated


def _high_threshold(stated: Sequence[StatedOutcome]) -> float | None:
    """The least probability from which on the answers held out were right often enough."""
    for least in _HIGH_THRESHOLDS:
        sure = [is_right for at, is_right in stated if at >= least]
        if len(sure) < _MIN_HIGH_CASES or np.mean(sure) >= HIGH_PROBABILITY:
            return least
    return None
