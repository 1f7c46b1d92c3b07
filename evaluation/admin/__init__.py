"""The operators' lists of golden questions and of evaluation runs."""

from __future__ import annotations

from evaluation.admin.evaluation_runs import EvaluationRunAdmin
from evaluation.admin.golden_questions import GoldenQuestionAdmin

__all__ = ["EvaluationRunAdmin", "GoldenQuestionAdmin"]
