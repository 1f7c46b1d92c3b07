"""An evaluation on disk: the printed object and, under `scores`, every question's own, for a later comparison."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.eval_types import QuestionScores
from evaluation.scoring.scores_json import parse_scores, scores_as_json
from evaluation.scoring.summary import EvaluationResult
from lexic.errors import InvalidInput


class InvalidEvaluationFile(InvalidInput):
    """The file holds no saved evaluation."""

    code = "not_an_evaluation"
    hint = "Write one with `manage.py evaluate … --save FILE`; the output of --json works too, without intervals."


class UnwritableFile(InvalidInput):
    """The file cannot be written."""

    code = "file_not_writable"
    hint = "Name a file in a folder that exists and that you may write to."


@dataclass(frozen=True, kw_only=True)
class SavedEvaluation:
    """`scored` is empty when only the printed object was kept."""

    result: EvaluationResult
    scored: tuple[QuestionScores, ...]


def check_writable(path: Path) -> None:
    """Asked before an evaluation, which takes long and may cost money. Raises `UnwritableFile`."""
    if not _is_writable(path):
        raise UnwritableFile(f"{path} cannot be written.")


def _is_writable(path: Path) -> bool:
    """False also where the folder does not say whether it has the file."""
    try:
        if path.exists():
            return not path.is_dir() and os.access(path, os.W_OK)
        return path.parent.is_dir() and os.access(path.parent, os.W_OK)
    except OSError:
        return False


def save_evaluation(path: Path, *, result: EvaluationResult, scored: Sequence[QuestionScores]) -> None:
    """Write both to the file; what it held is replaced."""
    whole = {**result, "scores": [scores_as_json(one) for one in scored]}
    path.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")


def load_evaluation(path: Path) -> SavedEvaluation:
    """What `save_evaluation` wrote, or what --json printed. Raises `InvalidEvaluationFile`."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        scores = whole.pop("scores", [])
        scored = tuple(parse_scores(one) for one in scores)
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise InvalidEvaluationFile(f"{path.name} holds no saved evaluation.") from error
    if not isinstance(whole, dict) or "questions" not in whole:
        raise InvalidEvaluationFile(f"{path.name} holds no saved evaluation.")
    return SavedEvaluation(result=whole, scored=scored)
