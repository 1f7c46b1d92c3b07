"""The evidence that a plugin should need, from golden questions that have an answer and ones that have none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lexic.errors import InvalidInput
from querying.evaluation.types import Scored
from querying.types import SUFFICIENT

# With fewer, one question more or less moves the threshold.
MIN_QUESTIONS = 20
MIN_REFUSALS = 5
MIN_ANSWERS = 5

# What is shown, and what is tried: a threshold outside would refuse nearly all or nearly nothing.
SHOWN = (0.35, 0.40, 0.45, 0.50, 0.55, 0.60)
_TRIED = tuple(round(0.30 + 0.01 * step, 2) for step in range(41))
# Standard errors that the default is worth (docs/evaluation.md).
_SLACK = 0.5


class TooFewQuestions(InvalidInput):
    """There are too few golden questions to fit a threshold on."""

    code = "too_few_golden_questions"
    hint = (
        f"It takes {MIN_QUESTIONS} that are weighed, {MIN_REFUSALS} of them to be refused and "
        f"{MIN_ANSWERS} to be answered."
    )


@dataclass(frozen=True, kw_only=True)
class Trade:
    """At a threshold: the share answered of what has an answer, and the share refused of what has none."""

    threshold: float
    answered: float
    refused: float

    @property
    def balanced(self) -> float:
        return (self.answered + self.refused) / 2


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """`now` is the threshold in force."""

    answerable: int
    unanswerable: int
    now: Trade
    proposed: Trade
    trades: tuple[Trade, ...]


def propose(scored: Sequence[Scored], *, now: float | None = None) -> Proposal:
    """The threshold that these questions speak for; `now` is the plugin's own, None the default.

    The one nearest to the default whose balanced share is within half a standard error of the best: a few questions
    should not move it far, and many can. Raises `TooFewQuestions`.
    """
    return propose_on(_scores(scored, answerable=True), _scores(scored, answerable=False), now=now)


def propose_on(answerable: Sequence[float], unanswerable: Sequence[float], *, now: float | None = None) -> Proposal:
    """The same from the scores that decided, of questions with an answer and of those without."""
    too_few = len(answerable) + len(unanswerable) < MIN_QUESTIONS
    if too_few or len(unanswerable) < MIN_REFUSALS or len(answerable) < MIN_ANSWERS:
        raise TooFewQuestions
    return Proposal(
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        now=_trade(SUFFICIENT if now is None else now, answerable, unanswerable),
        proposed=_proposed(answerable, unanswerable),
        trades=tuple(_trade(threshold, answerable, unanswerable) for threshold in SHOWN),
    )


def _scores(scored: Sequence[Scored], *, answerable: bool) -> list[float]:
    """What decided at the gate. A question that a tree asked back about never came there."""
    came = [one.grounds.score if one.grounds else one.score for one in scored if one.answerable is answerable]
    return [score for score in came if score is not None]


def _proposed(answerable: Sequence[float], unanswerable: Sequence[float]) -> Trade:
    """Of the thresholds that do nearly as well as the best one, the nearest to the default."""
    trades = [_trade(threshold, answerable, unanswerable) for threshold in _TRIED]
    best = max(trades, key=lambda trade: trade.balanced)
    error = math.hypot(_error(best.answered, len(answerable)), _error(best.refused, len(unanswerable))) / 2
    good = [trade for trade in trades if trade.balanced >= best.balanced - _SLACK * error]
    return min(good, key=lambda trade: abs(trade.threshold - SUFFICIENT))


def _error(share: float, count: int) -> float:
    """The standard error of a share, as if one question more had gone each way: five of five is no certainty."""
    smoothed = (share * count + 1) / (count + 2)
    return math.sqrt(smoothed * (1 - smoothed) / count)


def _trade(threshold: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Trade:
    return Trade(
        threshold=threshold,
        answered=sum(score >= threshold for score in answerable) / len(answerable),
        refused=sum(score < threshold for score in unanswerable) / len(unanswerable),
    )
