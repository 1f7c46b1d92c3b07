"""The figures as one page of HTML that needs nothing from anywhere: no script, no font, no image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.html import escape

from querying.calibrate import Bin
from querying.evaluation import metrics
from querying.evaluation.judge import CURVE
from querying.evaluation.summary import Result, deciding_scores
from querying.evaluation.svg import Plot, draw, reliability
from querying.evaluation.table import figure
from querying.evaluation.types import Scored
from querying.types import Confidence

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1d1d1f; }
table { border-collapse: collapse; } td { padding: .15rem 1rem .15rem 0; border-bottom: 1px solid #ddd; }
td + td { text-align: right; font-variant-numeric: tabular-nums; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; }
svg { width: 100%; }
"""


def page(result: Result, scored: Sequence[Scored], *, held_out: Sequence[Bin] = ()) -> str:
    """The report of one evaluation, a whole HTML document. `held_out` is the reliability of a curve that was fitted
    on these questions, each bin measured on those left out; without it, what a curve stated is shown."""
    name = escape(str(result["set"]))
    rows = "".join(
        f"<tr><td>{escape(key)}</td><td>{escape(figure(value))}</td></tr>"
        for key, value in result.items()
        if value is not None
    )
    plots = "".join(f"<figure>{draw(plot)}</figure>" for plot in _plots(scored, held_out))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation: {name}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Evaluation: {name}</h1>"
        f'<table>{rows}</table><div class="plots">{plots}</div></body></html>\n'
    )


def _plots(scored: Sequence[Scored], held_out: Sequence[Bin]) -> Iterator[Plot]:
    if bands := _bands(scored):
        names = [(_place(level), level.value) for level in Confidence]
        yield Plot(title="Stated confidence", x="confidence", y="share right", dots=bands, ticks=names)
    if bins := held_out or _by_probability(scored):
        yield reliability(bins)
    if bins := _by_score(scored):
        yield replace(reliability(bins, stated="score that decides"), title="Right by score")
    positive, negative = deciding_scores(scored)
    if positive and negative:
        curve = metrics.roc(positive, negative)
        yield Plot(
            title="Answer or refuse (ROC)",
            x="unanswerable, answered",
            y="answerable, answered",
            line=curve,
            diagonal=True,
        )
    if points := _recall(scored):
        ticks = [(_log(k), str(k)) for k in CURVE]
        yield Plot(title="Recall", x="first k", y="share of what is relevant", line=points, ticks=ticks)


def _bands(scored: Sequence[Scored]) -> list[tuple[float, float, int]]:
    """Each level of confidence that was stated: where it stands, the share right, and how often."""
    bands = []
    for level in Confidence:
        stated = [one.values for one in scored if one.confidence == level]
        right = [values["answer_right"] for values in stated if "answer_right" in values]
        if right:
            bands.append((_place(level), math.fsum(right) / len(right), len(right)))
    return bands


def _place(level: Confidence) -> float:
    return (list(Confidence).index(level) + 0.5) / len(Confidence)


def _by_probability(scored: Sequence[Scored]) -> list[Bin]:
    """What a plugin's curve stated, against whether the answer was right."""
    judged = [
        (one.probability, one.values.get("golden_passed", one.values.get("answer_right")))
        for one in scored
        if one.probability is not None and one.confidence
    ]
    known = [(stated, right) for stated, right in judged if right is not None]
    return metrics.reliability([stated for stated, _ in known], [right for _, right in known])


def _by_score(scored: Sequence[Scored]) -> list[tuple[float, float, int]]:
    """The score against whether the first sentence is right, among all questions; unanswerable ones never are."""
    judged = [
        (one.score, one.values.get("sentence@1", 0.0))
        for one in scored
        if one.score is not None and ("sentence@1" in one.values or one.answerable is False)
    ]
    return metrics.reliability([score for score, _ in judged], [right for _, right in judged])


def _recall(scored: Sequence[Scored]) -> list[tuple[float, float]]:
    curves = [one.recall_curve for one in scored if one.recall_curve]
    return [
        (_log(k), math.fsum(curve[at] for curve in curves) / len(curves)) for at, k in enumerate(CURVE) if curves
    ]


def _log(k: int) -> float:
    return math.log(k) / math.log(CURVE[-1])
