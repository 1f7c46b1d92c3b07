"""A plugin's golden questions, asked and kept: the run, how each question went, and the curve they support."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation import dataset, eval_corpus, evaluation_runner
from evaluation.eval_types import EvalQuestion, QuestionScores
from evaluation.evaluation_runner import Evaluation, Mode, ProgressWrapper, ScoreJournal
from evaluation.golden import golden_dataset
from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.tuning import calibration_fit
from plugins.models import Plugin, Release
from querying import releases
from querying.answering import confidence_calibration
from querying.answering.llms import get_llm
from querying.llm_interface import LLM
from querying.types.answer import Outcome

logger = logging.getLogger(__name__)

# The most questions that are asked while somebody waits, by a model that costs nothing. A worker asks longer lists.
MAX_INLINE_QUESTIONS = 60
# A share such as .7 of ten is seven, although 10 * .7 is a little more in binary fractions.
_ROUNDING_TOLERANCE = 1e-9

_OUTCOME_BY_GROUP = {
    "answered": Outcome.ANSWERED.value,
    "refused": Outcome.REFUSED.value,
    "asked_back": Outcome.CLARIFY.value,
}


def required_passes(questions: int, *, share: float) -> int:
    """How many of these questions have to pass, where `share` (0 to 1) of them must."""
    return math.ceil(questions * share - _ROUNDING_TOLERANCE)


def run_golden(
    release: Release,
    *,
    llm: LLM | None = None,
    mode: Mode = "pipeline",
    limit: int | None = None,
    with_progress: ProgressWrapper = iter,
    journal: ScoreJournal | None = None,
) -> tuple[Evaluation, EvaluationRun]:
    """Ask the golden questions of the release's plugin, and keep the outcome. Those that the `journal` has the scores
    of are not asked again.

    A whole run of the draft, by the model that answers callers, also renews the plugin's curve. Raises
    `NoGoldenQuestions`.
    """
    llm, started = llm or get_llm(), timezone.now()
    plugin, content = release.plugin, golden_dataset.run_fingerprint(release, llm=llm)
    data = golden_dataset.golden_dataset(plugin)
    sampled = replace(data, questions=dataset.sample_questions(data.questions, limit=limit))
    asked_of = eval_corpus.release_corpus(release)
    evaluation = evaluation_runner.evaluate(
        sampled, library=asked_of, mode=mode, llm=llm, with_progress=with_progress, journal=journal
    )
    is_whole = mode != "retrieval" and len(sampled.questions) == len(data.questions)
    fitted = calibration_fit.fit_from_scores(evaluation.scored, today=timezone.localdate()) if is_whole else None
    row = EvaluationRun(
        plugin=plugin,
        release=None if release.is_draft else release,
        started=started,
        content=content if is_whole else "",
        result=evaluation.result,
        questions=[_question_outcome(one) for one in evaluation.scored] if mode != "retrieval" else [],
        calibration=fitted.as_json() if fitted else None,
    )
    with transaction.atomic():
        row.save()
        _record_last_results(row, asked=sampled.questions)
        if is_whole and release.is_draft and llm.name == get_llm().name:
            store_calibration(plugin, row.calibration)
    return evaluation, row


def latest_matching_run(release: Release, *, llm: LLM | None = None) -> EvaluationRun | None:
    """The latest whole run over this very content; None where there is none."""
    content = golden_dataset.run_fingerprint(release, llm=llm or get_llm())
    return EvaluationRun.objects.filter(plugin=release.plugin, content=content).first()


def ensure_draft_run(plugin: Plugin, *, llm: LLM | None = None) -> EvaluationRun | None:
    """A run over the draft as it stands: the one there is, else a new one where that is quick and costs nothing.

    None without golden questions, with too many to wait for, with a model that costs, and when the run fails: what
    waits for it goes on without.
    """
    llm = llm or get_llm()
    if not plugin.golden_questions.exists():
        return None
    draft = releases.snapshot(plugin)
    if found := latest_matching_run(draft, llm=llm):
        return found
    if not can_run_inline(plugin, llm=llm):
        return None
    try:
        return run_golden(draft, llm=llm)[1]
    except Exception:
        logger.exception("the golden questions of %s could not be run", plugin.slug)
        return None


def can_run_inline(plugin: Plugin, *, llm: LLM | None = None) -> bool:
    """Whether the golden questions may be asked while somebody waits: they are few, and the model costs nothing."""
    return can_run_unasked(llm=llm) and plugin.golden_questions.count() <= MAX_INLINE_QUESTIONS


def can_run_unasked(*, llm: LLM | None = None) -> bool:
    """Whether a worker may ask the golden questions without being told to: only if the model costs nothing."""
    return (llm or get_llm()).is_offline


def store_calibration(plugin: Plugin, calibration: dict[str, Any] | None) -> None:
    """Make this the curve of the draft. One that says the same keeps its date, so that nothing has changed."""
    if not confidence_calibration.same_calibration(plugin.calibration, calibration):
        plugin.calibration = calibration
        Plugin.objects.filter(pk=plugin.pk).update(calibration=calibration)


def build_scorecard(row: EvaluationRun, *, llm: LLM | None = None) -> dict[str, Any]:
    """What a release shows of the run: counts, shares of 0 to 1 (None where nothing applies), milliseconds, a date.

    `answered`, `refused` and `asked_back` are `[right, asked]` of the questions that must end so; `cited` those whose
    sources are prescribed. `run` is its id. The run is one in which `llm` answered.
    """
    passed = [one["passed"] for one in row.questions]
    return {
        "run": row.pk,
        "golden_total": len(passed),
        "golden_passed": sum(passed),
        **_passed_by_expectation(row.questions),
        "p50_ms": row.result.get("p50_ms"),
        "answerer": (llm or get_llm()).name,
        "citation_precision": row.result.get("citation_precision"),
        "refusal_accuracy": row.result.get("refused_when_unanswerable"),
        "p95_ms": row.result.get("p95_ms"),
        "calibrated": row.calibration is not None,
        "date": row.started.date().isoformat(),
    }


def _passed_by_expectation(questions: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """Nothing of a run that was kept before it said what was expected."""
    if not all("expected" in one for one in questions):
        return {}
    groups = {
        name: [bool(one["passed"]) for one in questions if one["expected"] == expected]
        for name, expected in _OUTCOME_BY_GROUP.items()
    }
    groups["cited"] = [one["cited"] for one in questions if one["cited"] is not None]
    return {name: [sum(went), len(went)] for name, went in groups.items()}


def held_out_reliability(row: EvaluationRun) -> Sequence[confidence_calibration.ReliabilityBin]:
    """The reliability of the run's curve on questions held out; empty without a curve."""
    fitted = confidence_calibration.parse_calibration(row.calibration)
    return fitted.reliability if fitted else ()


def _question_outcome(one: QuestionScores) -> dict[str, Any]:
    return {
        "id": int(one.id),
        "question": one.question,
        "outcome": one.outcome,
        "answer": one.answer,
        "expected": one.expected,
        "cited": bool(one.values["golden_cited"]) if "golden_cited" in one.values else None,
        "passed": not one.failures,
        "failures": list(one.failures),
        "confidence": one.confidence,
        "score": one.grounds and round(one.grounds.score, 4),
    }


def _record_last_results(row: EvaluationRun, *, asked: Sequence[EvalQuestion]) -> None:
    """Each golden question remembers how it went. One that was changed or deleted meanwhile is left alone."""
    went = {one["id"]: one for one in row.questions}
    unchanged = [one for one in golden_dataset.lock_unchanged(asked) if one.pk in went]
    for one in unchanged:
        one.last_passed, one.last_failures = went[one.pk]["passed"], went[one.pk]["failures"]
    GoldenQuestion.objects.bulk_update(unchanged, ["last_passed", "last_failures"])
