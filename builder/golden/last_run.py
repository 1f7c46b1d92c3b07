"""The results of the last run: how many questions passed, what changed since the run before, and what follows from
it."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.golden import golden_dataset
from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.tuning import evidence_threshold
from evaluation.tuning.evidence_threshold import ThresholdProposal, TooFewGoldenQuestions
from plugins.models import Plugin
from querying import releases
from querying.answering import confidence_calibration
from querying.answering.llms import get_llm

Expectation = GoldenQuestion.Expectation


@dataclass(frozen=True, kw_only=True)
class LastRun:
    """The last run and the one `before` it. `newly_failing` and `newly_passing` are ids of questions whose result
    changed between them. `is_current`: nothing that affects answers has changed since."""

    run: EvaluationRun
    before: EvaluationRun | None
    passed: int
    total: int
    newly_failing: frozenset[int]
    newly_passing: frozenset[int]
    is_current: bool


def last_run(plugin: Plugin) -> LastRun | None:
    """A fixed number of statements. Runs that asked for no answers do not count."""
    asked = EvaluationRun.objects.filter(plugin=plugin).exclude(questions=[]).select_related("release")
    latest = list(asked.order_by("-started")[:2])
    if not latest:
        return None
    run, before = latest[0], latest[1] if len(latest) > 1 else None
    now, then = _passed_by_question(run), _passed_by_question(before) if before else {}
    return LastRun(
        run=run,
        before=before,
        passed=sum(now.values()),
        total=len(now),
        newly_failing=frozenset(pk for pk, passed in now.items() if not passed and then.get(pk) is True),
        newly_passing=frozenset(pk for pk, passed in now.items() if passed and then.get(pk) is False),
        is_current=run.content == golden_dataset.run_fingerprint(releases.snapshot(plugin), llm=get_llm()),
    )


def calibration_text(plugin: Plugin) -> str:
    """Whether the draft knows how sure it may be, a sentence."""
    fitted = confidence_calibration.parse_calibration(plugin.calibration)
    if fitted is None:
        return f"Not calibrated: it takes {confidence_calibration.REQUIREMENTS}"
    high = f"High from {fitted.high_from:.2f}." if fitted.high_from else "Nothing may be called high yet."
    return f"Calibrated on {fitted.questions} questions on {fitted.date}. {high}"


def propose_threshold(plugin: Plugin, last: LastRun | None) -> ThresholdProposal | None:
    """The evidence that answers should need, by the last run; None with too few questions, or an outdated run."""
    if last is None or not last.is_current:
        return None
    expected = dict(plugin.golden_questions.values_list("pk", "expectation"))
    scores: dict[str, list[float]] = {Expectation.ANSWER: [], Expectation.REFUSE: [], Expectation.CLARIFY: []}
    for one in last.run.questions:
        if one["id"] in expected and one.get("score") is not None:
            scores[expected[one["id"]]].append(one["score"])
    try:
        return evidence_threshold.propose_from_scores(
            scores[Expectation.ANSWER], scores[Expectation.REFUSE], now=plugin.evidence_threshold
        )
    except TooFewGoldenQuestions:
        return None


def _passed_by_question(run: EvaluationRun) -> dict[int, bool]:
    return {one["id"]: bool(one["passed"]) for one in run.questions}
