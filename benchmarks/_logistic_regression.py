"""Logistic regression, for the classifiers that benchmarks train."""

from __future__ import annotations

from typing import Any

import numpy as np


def fit_logistic_regression(rows: Any, is_so: Any, ridge: Any, *, steps: int = 6) -> Any:
    """The weights, float [columns], by Newton's method. `rows` [rows, columns], `is_so` bool [rows], `ridge`: how
    strongly large weights are punished, one number or one for each column. Rows of float32 are multiplied as such, in a
    fifth of the time where there are thousands of columns."""
    weights, keep = np.zeros(rows.shape[1]), ridge * np.eye(rows.shape[1])
    for _ in range(steps):
        sure = 1 / (1 + np.exp(-(rows @ weights.astype(rows.dtype)).astype(np.float64)))
        bent = rows * np.sqrt(sure * (1 - sure)).astype(rows.dtype)[:, None]
        slope = (rows.T @ (sure - is_so).astype(rows.dtype)).astype(np.float64) + ridge * weights
        weights -= np.linalg.solve((bent.T @ bent).astype(np.float64) + keep, slope)
    return weights
