"""The figures for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.eval_types import QuestionScores
from evaluation.reports.evaluation_comparison import MetricDifference
from evaluation.reports.figure_labels import FIGURE_LABELS
from evaluation.scoring.summary import EvaluationResult
from evaluation.tuning.calibration_fit import CalibrationEffect
from evaluation.tuning.checklist_prior_effect import PriorEffect
from evaluation.tuning.evidence_threshold import ThresholdProposal

_KEY_WIDTH = 36


def format_result(result: EvaluationResult) -> str:
    """One line a figure: its key, its value and what it means. What the set has no such thing of is left out."""
    shown = {key: format_figure(value) for key, value in result.items() if value is not None}
    width = max(map(len, shown.values()), default=0) + 2
    lines = (f"{key:<{_KEY_WIDTH}}{text:<{width}}{FIGURE_LABELS.get(key, '')}" for key, text in shown.items())
    return "\n".join(line.rstrip() for line in lines)


def format_figure(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) <= 1 else f"{value:.0f}"
    return "-" if value is None else str(value)


def format_comparison(differences: Sequence[MetricDifference]) -> str:
    """Before, after and the difference with its 95 % interval; `*` where that leaves out zero."""
    lines = [f"{'':<{_KEY_WIDTH}}{'before':>9}{'after':>9}{'change':>9}  95 %"]
    for one in differences:
        interval = f"{one.interval[0]:+.3f} to {one.interval[1]:+.3f}" if one.interval else "not known"
        figures = f"{format_figure(one.before):>9}{format_figure(one.after):>9}{one.after - one.before:>+9.3f}"
        lines.append(f"{one.key:<{_KEY_WIDTH}}{figures}  {interval}{' *' if one.is_significant else ''}")
    return "\n".join(lines)


def format_prior_effect(prior: PriorEffect) -> str:
    """What reviewed documents are worth, in a sentence."""
    return (
        f"With {prior.reviewed} reviewed documents, on the {prior.questions} questions of the others: "
        f"auc {format_figure(prior.auc_without)} -> {format_figure(prior.auc)}, "
        f"accuracy {format_figure(prior.accuracy)}"
    )


def format_calibration_effect(effect: CalibrationEffect) -> str:
    """What calibrated confidence is worth, in a sentence."""
    if not effect.draws:
        return f"{effect.fitted_on} questions carry no curve of confidence."
    return (
        f"Confidence fitted on {effect.fitted_on} questions and tried on the others, mean of {effect.draws} draws: "
        f"calibration error {format_figure(effect.ece)}; called high {format_figure(effect.sure)} of the answers, "
        f"{format_figure(effect.sure_right)} of those right; auc of right against wrong {format_figure(effect.auc)}"
    )


def format_threshold_proposal(fitted: ThresholdProposal, *, is_applied: bool) -> str:
    """What each threshold would cost, and the one that these questions speak for."""
    rows = [*fitted.trades, fitted.now, fitted.proposed]
    names = [*[""] * len(fitted.trades), "now", "proposed"]
    lines = [f"{'evidence needed':<18}{'answered':>9}{'refused':>9}"]
    lines += [
        f"{row.threshold:<18.2f}{row.answered:>9.3f}{row.refused:>9.3f}  {name}".rstrip()
        for row, name in zip(rows, names, strict=True)
    ]
    lines.append(f"From {fitted.answerable} questions with an answer and {fitted.unanswerable} without.")
    said = (
        "It is the plugin's own from now on; publish to make it the agents'."
        if is_applied
        else ("Nothing is changed; --apply makes it the plugin's own.")
    )
    return "\n".join([*lines, said])


def format_failures(scored: Sequence[QuestionScores]) -> str:
    """The golden questions that did not pass, and why."""
    lines = []
    for one in scored:
        if one.failures:
            lines += [f"FAILED {one.question}", *(f"       {reason}" for reason in one.failures)]
    return "\n".join(lines)
