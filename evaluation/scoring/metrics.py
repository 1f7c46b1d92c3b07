"""Measures over ranked lists and scores. Pure, small, and each as its literature defines it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from querying.answering import confidence_calibration

T = TypeVar("T", bound=Hashable)
FloatArray = NDArray[np.float64]


def ndcg(ranked: Sequence[T], grades: Mapping[T, float], *, k: int) -> float:
    """Normalised discounted cumulative gain, gain = grade, discount = log2(rank + 1), as trec_eval has it.

    `ranked` has no item twice. 0 where nothing has a positive grade.
    """
    ideal = _discounted(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    return _discounted([max(0.0, grades.get(item, 0.0)) for item in ranked[:k]]) / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def reciprocal_rank(ranked: Sequence[T], relevant: Collection[T], *, k: int) -> float:
    """1 / rank of the first relevant item among the first k, else 0."""
    return next((1 / rank for rank, item in enumerate(ranked[:k], start=1) if item in relevant), 0.0)


def recall(ranked: Sequence[T], relevant: Collection[T], *, k: int) -> float:
    """The share of the relevant items that are among the first k. `relevant` is not empty."""
    wanted = set(relevant)
    return len(wanted & set(ranked[:k])) / len(wanted)


def hit_rate(is_right: Sequence[bool], *, k: int) -> float:
    """1 when one of the first k is right, else 0."""
    return float(any(is_right[:k]))


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores higher than a negative, ties counting half. None without both kinds."""
    if not len(positive) or not len(negative):
        return None
    ordered = np.sort(np.asarray(negative, dtype=np.float64))
    scores = np.asarray(positive, dtype=np.float64)
    below = np.searchsorted(ordered, scores, side="left")
    up_to = np.searchsorted(ordered, scores, side="right")
    return float((below + up_to).sum() / (2 * len(scores) * len(ordered)))


def roc_curve(positive: Sequence[float], negative: Sequence[float]) -> list[tuple[float, float]]:
    """The curve under which `auc` is the area: (false, true) positive rates as the threshold falls, 0,0 to 1,1."""
    thresholds = sorted({*positive, *negative}, reverse=True)
    high, low = np.sort(np.asarray(positive)), np.sort(np.asarray(negative))
    return [(0.0, 0.0), *((_share_from(low, cut), _share_from(high, cut)) for cut in thresholds)]


def _share_from(ordered: FloatArray, threshold: float) -> float:
    return 1 - float(np.searchsorted(ordered, threshold, side="left")) / len(ordered)


def mean(values: Sequence[float]) -> float | None:
    """None of nothing."""
    return math.fsum(values) / len(values) if values else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that so large a share of the values does not exceed (nearest rank). None of nothing."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def reliability_curve(
    stated: Sequence[float], is_right: Sequence[float], *, bins: int = 10
) -> list[tuple[float, float, int]]:
    """(mean stated, share right, count) of each of the equal bins of 0 to 1 that holds anything."""
    return confidence_calibration.reliability_bins(list(zip(stated, is_right, strict=True)), bins=bins)


def bootstrap_interval(
    statistic: Callable[[NDArray[np.intp]], float | None],
    *,
    count: int,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The percentile interval of a statistic of `count` units drawn with replacement.

    `statistic` is given the drawn positions; a draw for which it is None is left out. The same seed gives the same
    interval. None where no draw has a value.
    """
    random = np.random.default_rng(seed)
    drawn = (statistic(random.integers(0, count, size=count)) for _ in range(draws if count else 0))
    values = [value for value in drawn if value is not None]
    if not values:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
