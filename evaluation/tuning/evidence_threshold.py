"""The evidence that a plugin should need, from golden questions that have an answer and ones that have none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.eval_types import QuestionScores
from lexic.errors import InvalidInput
from querying.types.evidence import SUFFICIENCY_THRESHOLD

# With fewer, one question more or less moves the threshold.
MIN_TUNING_QUESTIONS = 20
MIN_REFUSALS = 5
MIN_ANSWERS = 5

# What is shown, and what is tried: a threshold outside would refuse nearly all or nearly nothing.
REPORTED_THRESHOLDS = (0.35, 0.40, 0.45, 0.50, 0.55, 0.60)
_CANDIDATE_THRESHOLDS = tuple(round(0.30 + 0.01 * step, 2) for step in range(41))
# Standard errors that the default is worth (docs/evaluation.md).
_TOLERATED_ERRORS = 0.5


class TooFewGoldenQuestions(InvalidInput):
    """There are too few golden questions to fit a threshold on."""

    code = "too_few_golden_questions"
    hint = (
        f"It takes {MIN_TUNING_QUESTIONS} that are weighed, {MIN_REFUSALS} of them to be refused and "
        f"{MIN_ANSWERS} to be answered."
    )


@dataclass(frozen=True, kw_only=True)
class ThresholdTradeoff:
    """A threshold, the share of answerable questions that it answers, and of unanswerable ones that it refuses."""

    threshold: float
    answered: float
    refused: float

    @property
    def balanced_accuracy(self) -> float:
        return (self.answered + self.refused) / 2


@dataclass(frozen=True, kw_only=True)
class ThresholdProposal:
    """`now` is the threshold in force."""

    answerable: int
    unanswerable: int
    now: ThresholdTradeoff
    proposed: ThresholdTradeoff
    trades: tuple[ThresholdTradeoff, ...]


def propose_threshold(scored: Sequence[QuestionScores], *, now: float | None = None) -> ThresholdProposal:
    """The threshold that these questions speak for; `now` is the plugin's own, None the default.

    The one nearest to the default whose balanced share is within half a standard error of the best: a few questions
    should not move it far, and many can. Raises `TooFewGoldenQuestions`.
    """
    return propose_from_scores(
        _deciding_scores(scored, answerable=True), _deciding_scores(scored, answerable=False), now=now
    )


def propose_from_scores(
    answerable: Sequence[float], unanswerable: Sequence[float], *, now: float | None = None
) -> ThresholdProposal:
    """As `propose_threshold`, from the deciding scores of answerable and unanswerable questions."""
    too_few = len(answerable) + len(unanswerable) < MIN_TUNING_QUESTIONS
    if too_few or len(unanswerable) < MIN_REFUSALS or len(answerable) < MIN_ANSWERS:
        raise TooFewGoldenQuestions
    return ThresholdProposal(
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        now=_threshold_tradeoff(SUFFICIENCY_THRESHOLD if now is None else now, answerable, unanswerable),
        proposed=_choose_tradeoff(answerable, unanswerable),
        trades=tuple(_threshold_tradeoff(threshold, answerable, unanswerable) for threshold in REPORTED_THRESHOLDS),
    )


def _deciding_scores(scored: Sequence[QuestionScores], *, answerable: bool) -> list[float]:
    """What decided at the gate. A question that a tree asked back about never came there."""
    came = [one.grounds.score if one.grounds else one.score for one in scored if one.answerable is answerable]
    return [score for score in came if score is not None]


def _choose_tradeoff(answerable: Sequence[float], unanswerable: Sequence[float]) -> ThresholdTradeoff:
    """The threshold nearest to the default among those that do nearly as well as the best one."""
    trades = [_threshold_tradeoff(threshold, answerable, unanswerable) for threshold in _CANDIDATE_THRESHOLDS]
    best = max(trades, key=lambda trade: trade.balanced_accuracy)
    error = (
        math.hypot(_standard_error(best.answered, len(answerable)), _standard_error(best.refused, len(unanswerable)))
        / 2
    )
    good = [trade for trade in trades if trade.balanced_accuracy >= best.balanced_accuracy - _TOLERATED_ERRORS * error]
    return min(good, key=lambda trade: abs(trade.threshold - SUFFICIENCY_THRESHOLD))


def _standard_error(share: float, count: int) -> float:
    """The standard error of a share, as if one question more had gone each way: five of five is no certainty."""
    smoothed = (share * count + 1) / (count + 2)
    return math.sqrt(smoothed * (1 - smoothed) / count)


def _threshold_tradeoff(
    threshold: float, answerable: Sequence[float], unanswerable: Sequence[float]
) -> ThresholdTradeoff:
    return ThresholdTradeoff(
        threshold=threshold,
        answered=sum(score >= threshold for score in answerable) / len(answerable),
        refused=sum(score < threshold for score in unanswerable) / len(unanswerable),
    )
