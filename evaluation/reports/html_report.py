"""The figures as one page of HTML that needs nothing from anywhere: no script, no font, no image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.html import escape

from evaluation.eval_types import QuestionScores
from evaluation.reports.console_report import format_figure
from evaluation.scoring import metrics
from evaluation.scoring.question_scores import RECALL_DEPTHS
from evaluation.scoring.summary import EvaluationResult, deciding_scores
from lexic.plots import UnitPlot, reliability_plot, render_svg
from querying.answering.confidence_calibration import ReliabilityBin
from querying.types.confidence import Confidence

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1d1d1f; }
table { border-collapse: collapse; } td { padding: .15rem 1rem .15rem 0; border-bottom: 1px solid #ddd; }
td + td { text-align: right; font-variant-numeric: tabular-nums; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; }
svg { width: 100%; }
"""


def render_report(
    result: EvaluationResult, scored: Sequence[QuestionScores], *, held_out: Sequence[ReliabilityBin] = ()
) -> str:
    """The report of one evaluation, a whole HTML document. `held_out` is the reliability of a curve that was fitted
    on these questions, each bin measured on those left out; without it, what a curve stated is shown."""
    name = escape(str(result["set"]))
    rows = "".join(
        f"<tr><td>{escape(key)}</td><td>{escape(format_figure(value))}</td></tr>"
        for key, value in result.items()
        if value is not None
    )
    plots = "".join(f"<figure>{render_svg(plot)}</figure>" for plot in _report_plots(scored, held_out))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation: {name}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Evaluation: {name}</h1>"
        f'<table>{rows}</table><div class="plots">{plots}</div></body></html>\n'
    )


def _report_plots(scored: Sequence[QuestionScores], held_out: Sequence[ReliabilityBin]) -> Iterator[UnitPlot]:
    if bands := _confidence_bands(scored):
        names = [(_level_position(level), level.value) for level in Confidence]
        yield UnitPlot(title="Stated confidence", x="confidence", y="share right", dots=bands, ticks=names)
    if bins := held_out or _probability_bins(scored):
        yield reliability_plot(bins)
    if bins := _score_bins(scored):
        yield replace(reliability_plot(bins, stated="score that decides"), title="Right by score")
    positive, negative = deciding_scores(scored)
    if positive and negative:
        curve = metrics.roc_curve(positive, negative)
        yield UnitPlot(
            title="Answer or refuse (ROC)",
            x="unanswerable, answered",
            y="answerable, answered",
            line=curve,
            diagonal=True,
        )
    if points := _recall_points(scored):
        ticks = [(_log_position(k), str(k)) for k in RECALL_DEPTHS]
        yield UnitPlot(title="Recall", x="first k", y="share of what is relevant", line=points, ticks=ticks)


def _confidence_bands(scored: Sequence[QuestionScores]) -> list[tuple[float, float, int]]:
    """Each level of confidence that was stated: where it stands, the share right, and how often."""
    bands = []
    for level in Confidence:
        stated = [one.values for one in scored if one.confidence == level]
        right = [values["answer_right"] for values in stated if "answer_right" in values]
        if right:
            bands.append((_level_position(level), math.fsum(right) / len(right), len(right)))
    return bands


def _level_position(level: Confidence) -> float:
    return (list(Confidence).index(level) + 0.5) / len(Confidence)


def _probability_bins(scored: Sequence[QuestionScores]) -> list[ReliabilityBin]:
    """What a plugin's curve stated, against whether the answer was right."""
    judged = [
        (one.probability, one.values.get("golden_passed", one.values.get("answer_right")))
        for one in scored
        if one.probability is not None and one.confidence
    ]
    known = [(stated, right) for stated, right in judged if right is not None]
    return metrics.reliability_curve([stated for stated, _ in known], [right for _, right in known])


def _score_bins(scored: Sequence[QuestionScores]) -> list[tuple[float, float, int]]:
    """The score against whether the first sentence is right, among all questions; unanswerable ones never are."""
    judged = [
        (one.score, one.values.get("sentence@1", 0.0))
        for one in scored
        if one.score is not None and ("sentence@1" in one.values or one.answerable is False)
    ]
    return metrics.reliability_curve([score for score, _ in judged], [right for _, right in judged])


def _recall_points(scored: Sequence[QuestionScores]) -> list[tuple[float, float]]:
    curves = [one.recall_curve for one in scored if one.recall_curve]
    return [
        (_log_position(k), math.fsum(curve[at] for curve in curves) / len(curves))
        for at, k in enumerate(RECALL_DEPTHS)
        if curves
    ]


def _log_position(k: int) -> float:
    return math.log(k) / math.log(RECALL_DEPTHS[-1])
