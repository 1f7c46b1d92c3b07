"""The figures for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from querying.evaluation.calibration import CalibrationEffect
from querying.evaluation.compare import Difference
from querying.evaluation.prior import PriorEffect
from querying.evaluation.summary import Result
from querying.evaluation.threshold import Proposal
from querying.evaluation.types import Scored

_WIDTH = 28


def table(result: Result) -> str:
    """One line a figure; what the set has no such thing of is left out."""
    return "\n".join(f"{key:<{_WIDTH}}{figure(value)}" for key, value in result.items() if value is not None)


def figure(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) <= 1 else f"{value:.0f}"
    return "-" if value is None else str(value)


def comparison(differences: Sequence[Difference]) -> str:
    """Before, after and the difference with its 95 % interval; `*` where that leaves out zero."""
    return "\n".join([f"{'':<{_WIDTH}}{'before':>9}{'after':>9}{'change':>9}  95 %", *_changes(differences)])


def _changes(differences: Sequence[Difference]) -> Iterator[str]:
    for one in differences:
        interval = f"{one.interval[0]:+.3f} to {one.interval[1]:+.3f}" if one.interval else "not known"
        figures = f"{figure(one.before):>9}{figure(one.after):>9}{one.after - one.before:>+9.3f}"
        yield f"{one.key:<{_WIDTH}}{figures}  {interval}{' *' if one.is_significant else ''}"


def effect(prior: PriorEffect) -> str:
    """What reviewed documents are worth, in a sentence."""
    return (
        f"With {prior.reviewed} reviewed documents, on the {prior.questions} questions of the others: "
        f"auc {figure(prior.auc_without)} -> {figure(prior.auc)}, accuracy {figure(prior.accuracy)}"
    )


def curves(effect: CalibrationEffect) -> str:
    """What calibrated confidence is worth, in a sentence."""
    if not effect.draws:
        return f"{effect.fitted_on} questions carry no curve of confidence."
    return (
        f"Confidence fitted on {effect.fitted_on} questions and tried on the others, mean of {effect.draws} draws: "
        f"calibration error {figure(effect.ece)}; called high {figure(effect.sure)} of the answers, "
        f"{figure(effect.sure_right)} of those right; auc of right against wrong {figure(effect.auc)}"
    )


def proposal(fitted: Proposal, *, is_applied: bool) -> str:
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


def failed(scored: Sequence[Scored]) -> str:
    """The golden questions that did not pass, and why."""
    lines = []
    for one in scored:
        if one.failures:
            lines += [f"FAILED {one.question}", *(f"       {reason}" for reason in one.failures)]
    return "\n".join(lines)
