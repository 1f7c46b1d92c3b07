"""What the last run says: how many passed, what is different from the run before, and what it lets one conclude."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.models import Plugin
from querying import calibrate, releases
from querying.evaluation import golden, threshold
from querying.evaluation.threshold import Proposal, TooFewQuestions
from querying.llms import get_llm
from querying.models import EvaluationRun, GoldenQuestion

Expectation = GoldenQuestion.Expectation


@dataclass(frozen=True, kw_only=True)
class LastRun:
    """`newly_failing` and `newly_passing` are ids of questions that went the other way in the run before, `before`.
    `is_current`: nothing that decides an answer has changed since."""

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
    now, then = _went(run), _went(before) if before else {}
    return LastRun(
        run=run,
        before=before,
        passed=sum(now.values()),
        total=len(now),
        newly_failing=frozenset(pk for pk, passed in now.items() if not passed and then.get(pk) is True),
        newly_passing=frozenset(pk for pk, passed in now.items() if passed and then.get(pk) is False),
        is_current=run.content == golden.content_of(releases.snapshot(plugin), llm=get_llm()),
    )


def standing_of_curve(plugin: Plugin) -> str:
    """Whether the draft knows how sure it may be, a sentence."""
    fitted = calibrate.read(plugin.calibration)
    if fitted is None:
        return f"Not calibrated: it takes {calibrate.NEEDED}"
    high = f"High from {fitted.high_from:.2f}." if fitted.high_from else "Nothing may be called high yet."
    return f"Calibrated on {fitted.questions} questions on {fitted.date}. {high}"


def proposal(plugin: Plugin, last: LastRun | None) -> Proposal | None:
    """The evidence that answers should need, by the last run; None with too few questions, or an outdated run."""
    if last is None or not last.is_current:
        return None
    expected = dict(plugin.golden_questions.values_list("pk", "expectation"))
    scores: dict[str, list[float]] = {Expectation.ANSWER: [], Expectation.REFUSE: [], Expectation.CLARIFY: []}
    for one in last.run.questions:
        if one["id"] in expected and one.get("score") is not None:
            scores[expected[one["id"]]].append(one["score"])
    try:
        return threshold.propose_on(
            scores[Expectation.ANSWER], scores[Expectation.REFUSE], now=plugin.evidence_threshold
        )
    except TooFewQuestions:
        return None


def _went(run: EvaluationRun) -> dict[int, bool]:
    return {one["id"]: bool(one["passed"]) for one in run.questions}
