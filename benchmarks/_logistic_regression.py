"""Logistic regression, for the classifiers that benchmarks train."""

from __future__ import annotations

from typing import Any

import numpy as np


def fit_logistic_regression(rows: Any, is_so: Any, ridge: Any, *, steps: int = 6) -> Any:
    """The weights, float [columns], by Newton's method. `rows` [rows, columns], `is_so` bool [rows], `ridge`: how
    strongly large weights are punished, one number or one for each column."""
    weights, keep = np.zeros(rows.shape[1]), ridge * np.eye(rows.shape[1])
    for _ in range(steps):
        sure = 1 / (1 + np.exp(-rows @ weights))
        bend = (rows * (sure * (1 - sure))[:, None]).T @ rows + keep
        weights -= np.linalg.solve(bend, rows.T @ (sure - is_so) + ridge * weights)
    return weights
