"""Two evaluations side by side: what changed, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.eval_types import QuestionScores
from evaluation.reports.result_files import SavedEvaluation
from evaluation.scoring.metrics import bootstrap_interval
from evaluation.scoring.summary import EvaluationResult, statistic_for


@dataclass(frozen=True, kw_only=True)
class MetricDifference:
    """A key before and after. `interval` is that of the difference over the questions that both asked; None where
    the earlier file has no scores of single questions."""

    key: str
    before: float
    after: float
    interval: tuple[float, float] | None

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves out no difference at all."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


def compare_evaluations(
    before: SavedEvaluation, after: SavedEvaluation, *, draws: int = 1000
) -> list[MetricDifference]:
    """Every figure that both have. Paired: both sides of a draw are the same questions."""
    earlier = {one.id: one for one in before.scored}
    pairs = [(earlier[one.id], one) for one in after.scored if one.id in earlier]
    keys = [
        key
        for key in after.result
        if _is_comparable_figure(before.result, key) and _is_comparable_figure(after.result, key)
    ]
    return [
        MetricDifference(
            key=key,
            before=float(before.result[key] or 0),
            after=float(after.result[key] or 0),
            interval=_difference_interval(key, pairs, draws=draws),
        )
        for key in keys
    ]


def _is_comparable_figure(result: EvaluationResult, key: str) -> bool:
    return isinstance(result.get(key), int | float) and key not in ("documents", "chunks", "questions")


def _difference_interval(
    key: str, pairs: Sequence[tuple[QuestionScores, QuestionScores]], *, draws: int
) -> tuple[float, float] | None:
    measure = statistic_for(key)

    def difference(drawn: NDArray[np.intp]) -> float | None:
        earlier = measure([pairs[at][0] for at in drawn])
        later = measure([pairs[at][1] for at in drawn])
        return None if earlier is None or later is None else later - earlier

    return bootstrap_interval(difference, count=len(pairs), draws=draws)
