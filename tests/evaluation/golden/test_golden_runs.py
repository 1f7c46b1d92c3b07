"""Golden questions asked and kept, with the real embedder."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from evaluation import tasks
from evaluation.eval_types import QuestionScores
from evaluation.golden import run_progress
from evaluation.golden.golden_dataset import run_fingerprint
from evaluation.golden.golden_runs import build_scorecard, ensure_draft_run, latest_matching_run, run_golden
from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.reports import console_report
from evaluation.tuning.calibration_fit import measure_calibration_effect
from knowledge.lease import try_lease
from knowledge.models import Lease
from plugins.models import Plugin
from querying import releases
from querying.answering import confidence_calibration
from querying.answering.llms import get_llm
from querying.models import Query
from querying.types.confidence import ConfidenceSignals
from tests.evaluation.goldens import SPACERS, add_goldens
from tests.querying.scripted import Scripted

pytestmark = pytest.mark.django_db


def evaluate(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_run_keeps_how_each_question_went(plugin: Plugin):
    add_goldens(plugin, right=1, refused=1, wrong=1)
    _, row = run_golden(releases.snapshot(plugin))
    assert [one["passed"] for one in row.questions] == [True, True, False]
    assert row.questions[2]["failures"] == ["The answer does not say “glass”."]
    assert [one.last_passed for one in plugin.golden_questions.order_by("pk")] == [True, True, False]
    assert GoldenQuestion.objects.get(last_passed=False).last_failures == ["The answer does not say “glass”."]
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Another?"},
        {"facts": {"exposure": "severe"}},
        {"expectation": GoldenQuestion.Expectation.REFUSE},
        {"must_cite": [["Cover handbook", 1]]},
        {"must_contain": ["glass"]},
        {"must_reach": "end"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_question_that_is_changed_during_a_run_has_no_result_of_it(plugin: Plugin, change: dict[str, Any]):
    add_goldens(plugin, right=2)
    changed, same = plugin.golden_questions.order_by("pk")

    def changed_meanwhile(questions: Any) -> Any:
        assert GoldenQuestion.objects.get(pk=changed.pk).update(change)
        return iter(questions)

    run_golden(releases.snapshot(plugin), with_progress=changed_meanwhile)
    changed.refresh_from_db()
    same.refresh_from_db()
    assert (changed.last_passed, same.last_passed) == (None, True)


def test_the_scorecard_of_a_run(plugin: Plugin):
    add_goldens(plugin, right=2, refused=1, wrong=1)
    _, row = run_golden(releases.snapshot(plugin))
    shown = build_scorecard(row)
    assert (shown["golden_total"], shown["golden_passed"], shown["refusal_accuracy"]) == (4, 3, 1.0)
    assert shown["p95_ms"] > 0
    assert (shown["calibrated"], shown["date"]) == (False, timezone.now().date().isoformat())


def test_forty_questions_calibrate_the_draft_and_its_answers_say_so(plugin: Plugin):
    add_goldens(plugin, right=25, refused=10, wrong=5)
    evaluation, row = run_golden(releases.snapshot(plugin))
    plugin.refresh_from_db()
    assert plugin.calibration == row.calibration
    assert confidence_calibration.parse_calibration(plugin.calibration).questions == 40
    assert all(one.probability is None for one in evaluation.scored)
    again, _ = run_golden(releases.snapshot(plugin))
    answered = [one for one in again.scored if one.outcome == "answered"]
    assert all(0 < one.probability < 1 for one in answered)


def test_without_questions_to_be_refused_nothing_is_calibrated(plugin: Plugin):
    add_goldens(plugin, right=35, wrong=6)
    run_golden(releases.snapshot(plugin))
    plugin.refresh_from_db()
    assert plugin.calibration is None


def test_a_question_that_any_answer_passes_calibrates_nothing(plugin: Plugin):
    add_goldens(plugin, refused=10, wrong=5)
    GoldenQuestion.objects.bulk_create([GoldenQuestion(plugin=plugin, question=SPACERS) for _ in range(30)])
    _, row = run_golden(releases.snapshot(plugin))
    assert row.calibration is None


def test_a_sample_calibrates_nothing_and_stands_for_no_content(plugin: Plugin):
    add_goldens(plugin, right=25, refused=10, wrong=10)
    _, row = run_golden(releases.snapshot(plugin), limit=41)
    plugin.refresh_from_db()
    assert (row.content, row.calibration, plugin.calibration) == ("", None, None)


def test_what_was_run_is_known_by_its_content(plugin: Plugin):
    add_goldens(plugin, right=1)
    draft = releases.snapshot(plugin)
    assert latest_matching_run(draft) is None
    _, row = run_golden(draft)
    assert latest_matching_run(releases.snapshot(plugin)) == row
    Plugin.objects.update(calibration={"any": "curve"})
    assert latest_matching_run(releases.snapshot(Plugin.objects.get())) == row
    Plugin.objects.update(top_k=3)
    assert latest_matching_run(releases.snapshot(Plugin.objects.get())) is None
    assert run_fingerprint(draft, llm=get_llm()) != run_fingerprint(draft, llm=Scripted("x"))


def test_the_draft_is_examined_once(plugin: Plugin):
    assert ensure_draft_run(plugin) is None
    add_goldens(plugin, right=1)
    assert ensure_draft_run(plugin) == ensure_draft_run(plugin)
    assert EvaluationRun.objects.count() == 1


def test_nobody_waits_for_many_questions_or_for_a_model_that_costs(plugin: Plugin):
    class Hosted(Scripted):
        is_offline = False

    add_goldens(plugin, right=1)
    assert ensure_draft_run(plugin, llm=Hosted("Mortar.")) is None
    add_goldens(plugin, right=60)
    assert ensure_draft_run(plugin) is None
    assert not EvaluationRun.objects.exists()


def test_the_worker_runs_them_once_however_often_it_is_told(plugin: Plugin):
    add_goldens(plugin, right=1)
    asked = {"plugin_id": str(plugin.pk), "asked_at": timezone.now().isoformat()}
    tasks.run_golden_questions(**asked)
    tasks.run_golden_questions(**asked)
    assert EvaluationRun.objects.count() == 1


def test_a_second_worker_waits_until_the_first_is_done(plugin: Plugin, monkeypatch: pytest.MonkeyPatch):
    """A broker sends the message of a run that takes long again."""
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.run_golden_questions, "apply_async", lambda **given: sent.append(given))
    add_goldens(plugin, right=1)
    asked = {"plugin_id": str(plugin.pk), "asked_at": timezone.now().isoformat()}
    with try_lease(f"golden:{plugin.pk}"):
        tasks.run_golden_questions(**asked)
    assert not EvaluationRun.objects.exists()
    assert sent == [{"kwargs": asked, "countdown": tasks.WAIT_SECONDS}]
    tasks.run_golden_questions(**asked)
    assert EvaluationRun.objects.count() == 1


def test_a_run_whose_worker_was_killed_is_asked_for_again(plugin: Plugin, monkeypatch: pytest.MonkeyPatch):
    """Of another machine: its lease is not renewed. The broker would hand the message out again a quarter of an hour
    later."""
    sent: list[str] = []
    monkeypatch.setattr(tasks, "publish_task", lambda name, **asked: sent.append(asked["plugin_id"]))
    add_goldens(plugin, right=1)
    with try_lease(f"golden:{plugin.pk}"):
        tasks.resume_golden_runs()
        assert sent == []
        long_ago = timezone.now() - timedelta(hours=1)
        Lease.objects.update(expires_at=long_ago)
        gone = f"golden:{uuid4()}"
        Lease.objects.create(name=gone, holder="", taken_at=long_ago, expires_at=long_ago)
        tasks.resume_golden_runs()
    assert sent == [str(plugin.pk)]


def test_a_run_that_kills_its_workers_is_given_up_until_it_is_asked_for_again(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
):
    add_goldens(plugin, right=1)
    monkeypatch.setattr(tasks, "publish_task", lambda name, **asked: True)
    for _ in range(tasks.MAX_STARTS):
        run_progress.count_start(plugin.pk)  # and killed before the end
    asked = {"plugin_id": str(plugin.pk), "asked_at": timezone.now().isoformat()}
    tasks.run_golden_questions(**asked)
    tasks.run_golden_questions(**asked)  # the broker hands it out again
    progress = run_progress.get_progress(plugin.pk)
    assert progress is not None
    assert "3 workers stopped" in progress.failed
    assert not EvaluationRun.objects.exists()
    tasks.enqueue_golden(plugin.pk)
    tasks.run_golden_questions(**asked)
    assert EvaluationRun.objects.count() == 1
    assert run_progress.count_start(plugin.pk) == 1


def test_a_run_that_began_before_it_was_asked_for_is_not_enough(plugin: Plugin):
    add_goldens(plugin, right=1)
    moments: list[str] = []

    def changed_meanwhile(questions: Any) -> Any:
        moments.append(timezone.now().isoformat())
        return iter(questions)

    run_golden(releases.snapshot(plugin), with_progress=changed_meanwhile)
    tasks.run_golden_questions(plugin_id=str(plugin.pk), asked_at=moments[0])
    assert EvaluationRun.objects.count() == 2


def test_what_asked_not_all_questions_of_the_draft_is_not_enough(published: Plugin):
    add_goldens(published, right=2)
    asked = {"plugin_id": str(published.pk), "asked_at": timezone.now().isoformat()}
    run_golden(releases.snapshot(published), limit=1)
    run_golden(releases.snapshot(published), mode="retrieval")
    run_golden(published.releases.get())
    tasks.run_golden_questions(**asked)
    assert EvaluationRun.objects.count() == 4


def test_the_worker_passes_over_what_is_gone(plugin: Plugin):
    asked_at = timezone.now().isoformat()
    tasks.run_golden_questions(plugin_id=str(plugin.pk), asked_at=asked_at)
    plugin.delete()
    tasks.run_golden_questions(plugin_id=str(plugin.pk or "0" * 32), asked_at=asked_at)
    assert not EvaluationRun.objects.exists()


# --- The command ---------------------------------------------------------------------------------------------


def test_a_threshold_is_proposed_and_not_set(plugin: Plugin):
    add_goldens(plugin, right=15, refused=5)
    shown = evaluate("--plugin", "cover@draft", "--mode", "pipeline", "--fit")
    assert "proposed" in shown
    assert "Nothing is changed" in shown
    plugin.refresh_from_db()
    assert plugin.evidence_threshold is None


def test_a_threshold_is_set_when_that_is_asked_for(plugin: Plugin):
    add_goldens(plugin, right=15, refused=5)
    shown = json.loads(evaluate("--plugin", "cover@draft", "--mode", "pipeline", "--fit", "--apply", "--json"))
    plugin.refresh_from_db()
    assert plugin.evidence_threshold == shown["fit"]["proposed"]["threshold"]
    assert (shown["fit"]["proposed"]["answered"], shown["fit"]["proposed"]["refused"]) == (1.0, 1.0)


@pytest.mark.parametrize("arguments", [["data", "--fit"], ["--plugin", "cover", "--apply"]])
def test_options_that_make_no_sense_are_an_error(arguments: list[Any]):
    with pytest.raises(CommandError, match="--fit goes with --plugin"):
        evaluate(*arguments)


def test_too_few_questions_propose_nothing(plugin: Plugin):
    add_goldens(plugin, right=2, refused=1)
    out = StringIO()
    with pytest.raises(CommandError, match="too few golden questions"):
        call_command("evaluate", "--plugin", "cover@draft", "--mode", "pipeline", "--fit", stdout=out)
    assert "golden_passed" in out.getvalue()


def test_the_report_of_a_calibrated_plugin_shows_how_reliable_it_is(plugin: Plugin, tmp_path: Path):
    add_goldens(plugin, right=25, refused=10, wrong=5)
    evaluate("--plugin", "cover@draft", "--mode", "pipeline", "--out", str(tmp_path / "report.html"))
    assert "Reliability: share right against stated probability" in (tmp_path / "report.html").read_text()


# --- How good curves are -------------------------------------------------------------------------------------


def made(count: int) -> list[QuestionScores]:
    """Answers that are right the likelier the higher they score, and every fifth one to a question without answer."""
    random = np.random.default_rng(0)
    scored = []
    for n in range(count):
        score = float(random.uniform(0.4, 0.9))
        is_right = bool(random.uniform() < (score - 0.4) * 2) and n % 5 > 0
        scored.append(
            QuestionScores(
                id=str(n),
                answerable=n % 5 > 0,
                values={"answer_right": float(is_right)},
                score=score,
                strength=score,
                milliseconds=1.0,
                outcome="answered",
                grounds=ConfidenceSignals(score=score, lead=0.05, agreement=1),
            )
        )
    return scored


def test_a_curve_from_some_questions_is_tried_on_the_others():
    effect = measure_calibration_effect(made(400), count=200, draws=5)
    assert (effect.fitted_on, effect.draws, effect.answers) == (200, 5, 200)
    assert effect.ece < 0.15
    assert 0.7 < effect.auc < 0.9
    assert "200 questions and tried on the others" in console_report.format_calibration_effect(effect)


def test_too_few_questions_to_fit_on_say_so():
    effect = measure_calibration_effect(made(60), count=30, draws=5)
    assert (effect.draws, effect.ece, effect.sure_right) == (0, None, None)
    assert console_report.format_calibration_effect(effect) == "30 questions carry no curve of confidence."
