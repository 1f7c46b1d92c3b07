"""Golden questions that were answered otherwise, or that pass and did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.golden import golden_runs
from evaluation.models import EvaluationRun
from marketplace.comparison.side_by_side import Row, compare_texts
from plugins.models import Release

MAX_SHOWN = 50
_OUTCOMES = {"answered": "answered", "refused": "refused", "clarify": "asked back", "failed": "failed"}


@dataclass(frozen=True, kw_only=True)
class GoldenChange:
    """`then` and `now` say how it ended, such as “refused, passed”. `rows` compares the answers, where both are
    kept."""

    question: str
    then: str
    now: str
    is_worse: bool
    is_better: bool
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class GoldenComparison:
    """`asked` is how many both runs asked. `is_complete` is false where one of the two was never run."""

    is_complete: bool
    asked: int = 0
    changed: tuple[GoldenChange, ...] = ()
    hidden: int = 0


def compare_golden(now: Release, then: Release) -> GoldenComparison:
    """Questions belong together by their id, while they are worded the same."""
    runs = [_run_of(now), _run_of(then)]
    if runs[0] is None or runs[1] is None:
        return GoldenComparison(is_complete=False)
    new, old = ({one["id"]: one for one in run.questions} for run in runs if run)
    both = [pk for pk, one in new.items() if pk in old and old[pk]["question"] == one["question"]]
    changed = [pk for pk in both if _is_changed(new[pk], old[pk])]
    changed.sort(key=lambda pk: (new[pk]["passed"], not old[pk]["passed"]))
    return GoldenComparison(
        is_complete=True,
        asked=len(both),
        changed=tuple(_change(new[pk], old[pk]) for pk in changed[:MAX_SHOWN]),
        hidden=max(0, len(changed) - MAX_SHOWN),
    )


def _run_of(release: Release) -> EvaluationRun | None:
    """The run that the release was published with; of a draft, that over it as it stands."""
    if release.is_draft:
        return golden_runs.latest_matching_run(release)
    runs = EvaluationRun.objects.filter(plugin=release.plugin)
    return runs.filter(pk=release.scorecard["run"]).first() if release.scorecard.get("run") else None


def _is_changed(now: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    is_same_text = "answer" not in now or "answer" not in then or now["answer"] == then["answer"]
    return now["passed"] != then["passed"] or now["outcome"] != then["outcome"] or not is_same_text


def _change(now: Mapping[str, Any], then: Mapping[str, Any]) -> GoldenChange:
    return GoldenChange(
        question=now["question"],
        then=_ending(then),
        now=_ending(now),
        is_worse=bool(then["passed"] and not now["passed"]),
        is_better=bool(now["passed"] and not then["passed"]),
        rows=compare_texts(then.get("answer", ""), now.get("answer", "")) if "answer" in then else [],
    )


def _ending(one: Mapping[str, Any]) -> str:
    how = _OUTCOMES.get(one["outcome"], one["outcome"] or "asked")
    return f"{how}, {'passed' if one['passed'] else 'failed'}"
