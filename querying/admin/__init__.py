"""The builder's pages on questions: what was asked, what must come out, and what did."""

from __future__ import annotations

from querying.admin.golden import GoldenQuestionAdmin
from querying.admin.queries import QueryAdmin
from querying.admin.runs import EvaluationRunAdmin

__all__ = ["EvaluationRunAdmin", "GoldenQuestionAdmin", "QueryAdmin"]
