"""An evaluation on disk: the printed object and, under `scores`, every question's own, for a later comparison."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lexic.errors import InvalidInput
from querying.evaluation.summary import Result
from querying.evaluation.types import Scored
from querying.types import Grounds


class NotAnEvaluation(InvalidInput):
    """The file holds no saved evaluation."""

    code = "not_an_evaluation"
    hint = "Write one with `manage.py evaluate … --save FILE`; the output of --json works too, without intervals."


@dataclass(frozen=True, kw_only=True)
class Saved:
    """`scored` is empty when only the printed object was kept."""

    result: Result
    scored: tuple[Scored, ...]


def save(path: Path, *, result: Result, scored: Sequence[Scored]) -> None:
    """Write both to the file; what it held is replaced."""
    whole = {**result, "scores": [asdict(one) for one in scored]}
    path.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")


def _scored(row: dict[str, Any]) -> Scored:
    lists: dict[str, Any] = {name: tuple(row[name]) for name in ("recall_curve", "failures") if name in row}
    grounds = Grounds(**row["grounds"]) if row.get("grounds") else None
    return Scored(**{**row, **lists, "grounds": grounds})


def load(path: Path) -> Saved:
    """What `save` wrote, or what --json printed. Raises `NotAnEvaluation`."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        scores = whole.pop("scores", [])
        scored = tuple(_scored(one) for one in scores)
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise NotAnEvaluation(f"{path.name} holds no saved evaluation.") from error
    if not isinstance(whole, dict) or "questions" not in whole:
        raise NotAnEvaluation(f"{path.name} holds no saved evaluation.")
    return Saved(result=whole, scored=scored)
