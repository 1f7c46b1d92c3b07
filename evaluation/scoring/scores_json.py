"""The scores of a question as JSON and back: for a file, and for a run that was interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.eval_types import QuestionScores
from querying.types.confidence import ConfidenceSignals

_TUPLES = ("recall_curve", "failures")


def scores_as_json(scores: QuestionScores) -> dict[str, Any]:
    return asdict(scores)


def parse_scores(data: Mapping[str, Any]) -> QuestionScores:
    """What `scores_as_json` was given, also where it was written before a field was added. Raises `TypeError` and
    `ValueError` for what is no such object."""
    lists = {name: tuple(data[name]) for name in _TUPLES if name in data}
    grounds = ConfidenceSignals(**data["grounds"]) if data.get("grounds") else None
    return QuestionScores(**{**data, **lists, "grounds": grounds})
