"""Each measure against a value worked out by hand, and against what must hold for any list."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring import metrics

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)
rankings = st.lists(st.integers(0, 20), unique=True, max_size=15)
judged = st.dictionaries(st.integers(0, 20), st.integers(0, 3), max_size=8)


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    # Gains 0, 2, 1 against the ideal 2, 1.
    expected = (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))
    assert metrics.ndcg(["x", "b", "a"], {"a": 1, "b": 2}, k=10) == pytest.approx(expected)


def test_ndcg_sees_no_further_than_k() -> None:
    assert metrics.ndcg(["x", "a"], {"a": 1}, k=1) == 0


def test_ndcg_of_a_question_without_relevant_documents_is_zero() -> None:
    assert metrics.ndcg(["a"], {"a": 0}, k=10) == 0


@given(ranked=rankings, grades=judged)
def test_ndcg_lies_between_zero_and_that_of_the_ideal_order(ranked: list[int], grades: dict[int, int]) -> None:
    ideal = sorted(grades, key=lambda item: -grades[item])
    best = metrics.ndcg(ideal, grades, k=10)
    assert -1e-12 <= metrics.ndcg(ranked, grades, k=10) <= best + 1e-12
    assert best == pytest.approx(1.0 if any(grades.values()) else 0.0)


def test_the_reciprocal_rank_is_that_of_the_first_relevant_item() -> None:
    assert metrics.reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}, k=10) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(["x", "y", "a"], {"a"}, k=2) == 0


def test_recall_is_the_share_of_the_relevant_items() -> None:
    assert metrics.recall(["a", "x", "b"], ["a", "b", "c", "d"], k=2) == 0.25
    assert metrics.recall(["a", "x", "b"], ["a", "b", "c", "d"], k=3) == 0.5


@given(ranked=rankings, relevant=st.sets(st.integers(0, 20), min_size=1), k=st.integers(1, 20))
def test_recall_never_falls_with_k(ranked: list[int], relevant: set[int], k: int) -> None:
    assert metrics.recall(ranked, relevant, k=k) <= metrics.recall(ranked, relevant, k=k + 1) <= 1


def test_a_hit_is_any_right_one_among_the_first_k() -> None:
    assert [metrics.hit_rate([False, True, True], k=k) for k in (1, 2, 5)] == [0, 1, 1]
    assert metrics.hit_rate([], k=5) == 0


def test_auc_counts_pairs_and_half_of_the_ties() -> None:
    # Pairs: (3,1) won, (3,2) won, (2,1) won, (2,2) tied.
    assert metrics.auc([3, 2], [1, 2]) == pytest.approx(3.5 / 4)


def test_auc_needs_both_kinds() -> None:
    assert metrics.auc([1.0], []) is None
    assert metrics.auc([], [1.0]) is None


@given(positive=scores, negative=scores)
def test_auc_is_the_share_of_pairs_in_the_right_order(positive: list[float], negative: list[float]) -> None:
    pairs = [1.0 if p > n else 0.5 if p == n else 0.0 for p in positive for n in negative]
    assert metrics.auc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


@given(positive=scores, negative=scores)
def test_auc_turns_around_with_the_kinds(positive: list[float], negative: list[float]) -> None:
    there, back = metrics.auc(positive, negative), metrics.auc(negative, positive)
    assert there is not None
    assert back == pytest.approx(1 - there)


@given(positive=scores, negative=scores)
def test_auc_is_the_area_under_the_roc_curve(positive: list[float], negative: list[float]) -> None:
    curve = metrics.roc_curve(positive, negative)
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve))
    assert metrics.auc(positive, negative) == pytest.approx(area)
    assert (curve[0], curve[-1]) == ((0.0, 0.0), (1.0, 1.0))


def test_a_percentile_is_a_value_that_occurred() -> None:
    assert [metrics.percentile([30, 10, 20, 40], share) for share in (0.5, 0.95, 0.01)] == [20, 40, 10]
    assert metrics.percentile([], 0.5) is None


def test_the_mean_of_nothing_is_nothing() -> None:
    assert metrics.mean([]) is None
    assert metrics.mean([1.0, 0.0]) == 0.5


def test_reliability_puts_scores_into_equal_bins() -> None:
    assert metrics.reliability_curve([0.1, 0.15, 1.0], [1, 0, 1]) == [(0.125, 0.5, 2), (1.0, 1.0, 1)]


def test_the_bootstrap_interval_holds_the_mean_and_is_always_the_same() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    intervals = [metrics.bootstrap_interval(lambda at: float(values[at].mean()), count=8) for _ in range(2)]
    assert intervals[0] == intervals[1]
    assert intervals[0] is not None
    assert intervals[0][0] < values.mean() < intervals[0][1]


def test_the_bootstrap_interval_of_equal_values_is_a_point() -> None:
    assert metrics.bootstrap_interval(lambda _: 0.25, count=5) == (0.25, 0.25)


def test_there_is_no_interval_of_nothing() -> None:
    assert metrics.bootstrap_interval(lambda _: 1.0, count=0) is None
    assert metrics.bootstrap_interval(lambda _: None, count=5) is None
