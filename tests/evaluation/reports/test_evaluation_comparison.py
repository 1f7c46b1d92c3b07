from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.eval_types import QuestionScores
from evaluation.reports import console_report, html_report, result_files
from evaluation.reports.evaluation_comparison import compare_evaluations
from evaluation.reports.result_files import InvalidEvaluationFile, SavedEvaluation
from evaluation.scoring.summary import summarise


def run(*hits: float, name: str = "made") -> SavedEvaluation:
    scored = tuple(
        QuestionScores(
            id=str(n),
            answerable=n % 2 == 0,
            values={"span@5": value, "answer_right": value},
            score=0.1 * n,
            strength=0.1 * n,
            milliseconds=5.0,
            confidence="high",
            recall_curve=(0.5,) * 9,
        )
        for n, value in enumerate(hits)
    )
    return SavedEvaluation(result=summarise(scored, name=name, documents=1, chunks=1), scored=scored)


def test_a_change_on_every_question_is_more_than_chance() -> None:
    [change] = [one for one in compare_evaluations(run(*[0.0] * 20), run(*[1.0] * 20)) if one.key == "span@5"]
    assert (change.before, change.after, change.interval, change.is_significant) == (0.0, 1.0, (1.0, 1.0), True)


def test_a_change_on_one_question_of_twenty_may_be_chance() -> None:
    [change] = [one for one in compare_evaluations(run(0.0, *[1.0] * 19), run(*[1.0] * 20)) if one.key == "span@5"]
    assert change.interval is not None
    assert change.interval[0] == 0.0 < change.interval[1]
    assert not change.is_significant


def test_without_scores_of_questions_there_is_no_interval() -> None:
    before = replace(run(0.0, 1.0), scored=())
    assert {one.interval for one in compare_evaluations(before, run(1.0, 1.0))} == {None}
    assert "not known" in console_report.format_comparison(compare_evaluations(before, run(1.0, 1.0)))


def test_each_level_of_confidence_is_judged_by_itself() -> None:
    levels = ("low", "low", "medium", "high", "high")
    stated = [replace(one, confidence=level) for one, level in zip(run(0, 1, 0, 1, 1).scored, levels, strict=True)]
    result = summarise(stated, name="made", documents=1, chunks=1)
    assert (result["right_when_low"], result["right_when_medium"], result["high_confidence_precision"]) == (
        0.5,
        0,
        1,
    )
    assert result["called_high"] == 0.4
    # Of six pairs of a right and a wrong answer the levels put four in order, one the wrong way, and one is a tie.
    assert result["confidence_auc"] == 0.75


def test_the_surest_fifth_of_the_answers_is_judged_by_itself() -> None:
    result = run(*[0.0] * 8, 1.0, 1.0).result
    assert (result["answer_right"], result["surest_fifth_right"]) == (0.2, 1.0)
    assert "surest_fifth_right" not in run().result


def test_a_saved_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    kept = run(0.0, 1.0)
    result_files.save_evaluation(tmp_path / "run.json", result=kept.result, scored=kept.scored)
    assert result_files.load_evaluation(tmp_path / "run.json") == kept


def test_the_printed_object_can_be_compared_too(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(run(0.0).result))
    assert result_files.load_evaluation(tmp_path / "run.json").scored == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"questions": 1, "scores": [{"id": "1"}]}', '{"scores": 3}'])
def test_anything_else_is_no_evaluation(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InvalidEvaluationFile):
        result_files.load_evaluation(tmp_path / "run.json")


def test_the_report_shows_text_of_a_set_as_text() -> None:
    one = run(0.0, 1.0, name="<script>alert(1)</script>")
    page = html_report.render_report(one.result, one.scored)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_an_empty_run_has_a_table_and_a_report() -> None:
    empty = run()
    assert console_report.format_result(empty.result).splitlines()[-1].split()[:2] == ["questions", "0"]
    assert "<svg" not in html_report.render_report(empty.result, empty.scored)
