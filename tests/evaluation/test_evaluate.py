"""The command end to end, on a small set that has everything a set can have, with the real embedder."""

from __future__ import annotations

import errno
import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import User
from evaluation import eval_corpus
from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.reports.result_files import UnwritableFile, check_writable
from evaluation.scoring.summary import REPORTED_KEYS
from knowledge.models import Document
from plugins.models import Plugin
from querying.models import Query
from tests.cover import HANDBOOK
from tests.evaluation import made_set

# The command may build an index, which no transaction may contain.
pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command("evaluate", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def figures(*arguments: Any) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return made_set.documents_set(tmp_path / "made")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return made_set.corpus_set(tmp_path / "passages")


def test_every_key_of_a_set_with_everything(documents: Path) -> None:
    result = figures(documents)
    assert list(result)[: len(REPORTED_KEYS)] == list(REPORTED_KEYS)
    assert {
        key: result[key] for key in REPORTED_KEYS if not key.endswith("_ms") and key != "high_confidence_precision"
    } == {
        "set": "made",
        "documents": 3,
        "chunks": 4,
        "questions": 7,
        "ndcg@10": 1.0,
        "mrr@10": 1.0,
        "recall@8": 1.0,
        "recall@100": 1.0,
        "page@1": 1.0,
        "page@5": 1.0,
        "page@10": 1.0,
        "sentence@1": 1.0,
        "span@5": 1.0,
        "citation_validity": 1.0,
        "citation_precision": 1.0,
        "citation_recall": 1.0,
        "answered_when_answerable": 1.0,
        "refused_when_unanswerable": 1.0,
        "auc": 1.0,
    }
    assert result["forbidden_found"] == result["forbidden_cited"] == 0
    assert 0 < result["p50_ms"] <= result["p95_ms"]


def test_a_corpus_is_ranked_by_its_judgements(corpus: Path) -> None:
    result = figures(corpus, "--mode", "retrieval")
    assert (result["documents"], result["chunks"], result["questions"]) == (3, 3, 2)
    assert (result["ndcg@10"], result["recall@8"]) == (1.0, 1.0)
    # What a set or a mode has no such thing of is null, not left out.
    assert [result[key] for key in ("page@1", "citation_validity", "citation_recall")] == [None] * 3


def test_retrieval_writes_no_query_and_the_pipeline_leaves_none(documents: Path) -> None:
    run(documents, "--mode", "both")
    assert not Query.objects.exists()


def test_the_same_run_twice_gives_the_same_figures(documents: Path) -> None:
    first, second = figures(documents), figures(documents)
    same = [key for key in first if not key.endswith("_ms")]
    assert {key: first[key] for key in same} == {key: second[key] for key in same}


def test_an_unchanged_set_is_read_once_and_a_changed_one_again(documents: Path) -> None:
    run(documents, "--mode", "retrieval", "--limit", 1)
    before = set(Document.objects.values_list("pk", flat=True))
    run(documents, "--mode", "retrieval", "--limit", 1)
    assert set(Document.objects.values_list("pk", flat=True)) == before
    (documents / "documents" / "note.md").write_text("The chandler closes at noon on Saturdays.")
    run(documents, "--mode", "retrieval", "--limit", 1)
    now = set(Document.objects.values_list("pk", flat=True))
    assert len(now) == 4
    assert not now & before


def test_what_was_read_can_be_thrown_away(corpus: Path) -> None:
    run(corpus, "--mode", "retrieval", "--throw-away")
    assert not Document.objects.exists()
    assert not Plugin.objects.filter(owner__email=eval_corpus.CORPUS_OWNER_EMAIL).exists()


def test_nobody_can_sign_in_as_the_owner_of_what_was_read(corpus: Path) -> None:
    run(corpus, "--mode", "retrieval")
    owner = User.objects.get(email=eval_corpus.CORPUS_OWNER_EMAIL)
    assert not owner.is_active
    assert not owner.has_usable_password()
    assert not Plugin.objects.get(owner=owner).is_published


def test_two_runs_are_compared_question_by_question(documents: Path, tmp_path: Path) -> None:
    saved = tmp_path / "before.json"
    run(documents, "--save", saved)
    changes = {one["key"]: one for one in figures(documents, "--compare", saved)["changes"]}
    assert (changes["sentence@1"]["before"], changes["sentence@1"]["after"]) == (1.0, 1.0)
    assert changes["sentence@1"]["interval"] == [0.0, 0.0]


def test_a_comparison_with_something_else_is_an_error(corpus: Path) -> None:
    with pytest.raises(CommandError, match="holds no saved evaluation"):
        run(corpus, "--compare", corpus / "corpus.jsonl")


@pytest.mark.parametrize("option", ["--save", "--out"])
def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_asked(
    golden: Plugin, tmp_path: Path, option: str
) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "none" / "figures", tmp_path / "file" / "figures", tmp_path):
        with pytest.raises(CommandError, match="cannot be written"):
            run("--plugin", "cover@draft", option, target)
    assert not EvaluationRun.objects.exists()


def test_a_file_in_a_closed_folder_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, **options: Any) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(UnwritableFile, match="cannot be written"):
        check_writable(tmp_path / "figures")


def test_a_checklist_learns_from_reviewed_documents(tmp_path: Path) -> None:
    folder = made_set.documents_set(tmp_path / "made")
    other = made_set.LEASE.replace("explosives", "coal")
    (folder / "documents" / "second.txt").write_bytes(other.encode())
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    extra = [
        {
            **row,
            "id": f"{row['id']}-2",
            "document": "second.txt",
            "answerable": row["id"] == "notice",
            "evidence": [],
        }
        for row in rows
        if "hypothesis" in row
    ]
    made_set._write(folder / "questions.jsonl", [*rows, *extra])
    prior = figures(folder, "--mode", "retrieval", "--prior", 1)["prior"]
    assert (prior["reviewed"], prior["questions"]) == (1, 2)
    assert prior["auc"] == 1.0


def test_the_report_stands_alone(documents: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    run(documents, "--out", target)
    page = target.read_text()
    assert page.count("<svg") == 4
    assert not any(outside in page for outside in ("http", "src=", "href=", "<script", "url("))


def test_without_json_there_is_a_line_a_figure(documents: Path) -> None:
    lines = run(documents, "--mode", "retrieval").splitlines()
    assert lines[0].split()[:2] == ["set", "made"]
    assert ["sentence@1", "1.000"] in [line.split()[:2] for line in lines]


def test_a_folder_that_is_no_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no questions"):
        run(tmp_path)


@pytest.fixture
def golden(plugin: Plugin) -> Plugin:
    assert "nominal cover of a beam is 45 mm" in HANDBOOK
    ask = plugin.golden_questions.create
    ask(
        question="What is the nominal cover of a beam exposed to weather?",
        must_cite=[["Cover handbook", None]],
        must_contain=["45 MM"],
        must_reach="cover_severe",
    )
    ask(question="What is the nominal cover of a beam?", expectation=GoldenQuestion.Expectation.CLARIFY)
    ask(question="Who won the chess tournament in Reykjavik?", expectation=GoldenQuestion.Expectation.REFUSE)
    return plugin


def test_golden_questions_that_hold_all_pass(golden: Plugin) -> None:
    result = figures("--plugin", "cover@draft")
    assert (result["set"], result["questions"], result["golden_passed"]) == ("cover", 3, 1.0)
    assert (result["answered_when_answerable"], result["refused_when_unanswerable"]) == (1.0, 1.0)
    run_row = EvaluationRun.objects.get(plugin=golden)
    assert (run_row.release, run_row.result["golden_passed"]) == (None, 1.0)


def test_a_golden_question_that_does_not_hold_says_why(golden: Plugin) -> None:
    golden.golden_questions.create(
        question="How far apart do spacers stand?", must_contain=["two metres"], must_cite=[["Other handbook", 3]]
    )
    shown = run("--plugin", "cover@draft")
    assert "FAILED How far apart do spacers stand?" in shown
    assert "The answer does not say “two metres”." in shown
    assert "Other handbook p. 3 is not cited." in shown


def test_a_plugin_without_golden_questions_is_an_error(plugin: Plugin) -> None:
    with pytest.raises(CommandError, match="no golden questions"):
        run("--plugin", "cover@draft")


def test_a_plugin_that_does_not_exist_is_an_error(db: None) -> None:
    with pytest.raises(CommandError, match="No plugin of this name"):
        run("--plugin", "nowhere")
