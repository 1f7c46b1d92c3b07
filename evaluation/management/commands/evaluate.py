from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from evaluation import dataset, eval_corpus, evaluation_runner, review_runner
from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import EvalDataset, EvalQuestion
from evaluation.evaluation_runner import Evaluation
from evaluation.golden import golden_runs
from evaluation.models import EvaluationRun
from evaluation.reports import console_report, evaluation_comparison, html_report, result_files
from evaluation.reports.result_files import SavedEvaluation
from evaluation.tuning import calibration_fit, checklist_prior_effect, evidence_threshold
from evaluation.tuning.evidence_threshold import ThresholdProposal, TooFewGoldenQuestions
from knowledge.management.progress_bar import progress_bar
from lexic.management.lexic_command import LexicCommand
from plugins.models import Plugin
from plugins.slugs import split_reference
from querying import releases
from querying.answering.confidence_calibration import ReliabilityBin
from querying.answering.llms import LLMS, get_llm


class Command(LexicCommand):
    help = "Measures retrieval, citation and refusal on a folder of questions, or on a plugin's golden questions."
    epilog = """examples:
  manage.py evaluate data/scifact --mode retrieval
  manage.py evaluate data/squad2-dev --in-named-document --limit 1000 --save before.json
  manage.py evaluate data/squad2-dev --in-named-document --limit 1000 --compare before.json
  manage.py evaluate data/northwind --calibrate 100
  manage.py evaluate data/contractnli-dev --mode review --prior 10
  manage.py evaluate --plugin concrete-cover --out report.html
  manage.py evaluate --plugin concrete-cover@draft --fit --apply"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("folder", nargs="?", type=Path, help="questions.jsonl with documents/ or corpus.jsonl")
        what.add_argument("--plugin", metavar="SLUG", help="its golden questions; slug, slug@1.2.0 or slug@draft")
        parser.add_argument("--mode", choices=evaluation_runner.MODES, default="both")
        parser.add_argument(
            "--limit", type=_positive_integer, metavar="N", help="ask a fixed sample of so many questions"
        )
        parser.add_argument("--split", help="of a set with qrels.SPLIT.tsv: `test` unless named, or `all`")
        parser.add_argument(
            "--in-named-document",
            action="store_true",
            help="ask only of the document the question was written about",
        )
        parser.add_argument("--prior", type=_positive_integer, metavar="N", help="checklists: learn from N documents")
        parser.add_argument(
            "--calibrate",
            type=_positive_integer,
            metavar="N",
            help="fit confidence on N questions, try it on the others",
        )
        parser.add_argument(
            "--fit", action="store_true", help="with --plugin: propose the evidence that an answer should need"
        )
        parser.add_argument("--apply", action="store_true", help="with --fit: make it the plugin's own")
        parser.add_argument("--llm", choices=sorted(LLMS), help="who answers; the setting LEXIC_LLM unless named")
        parser.add_argument("--save", type=Path, metavar="FILE", help="keep the figures and each question's own")
        parser.add_argument("--compare", type=Path, metavar="FILE", help="show what changed since a saved run")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write a report with plots, as HTML")
        parser.add_argument("--throw-away", action="store_true", help="forget what was read when done")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, folder: Path | None, plugin: str | None, **options: Any) -> None:
        if (options["fit"] and not plugin) or (options["apply"] and not options["fit"]):
            raise CommandError("--fit goes with --plugin, and --apply with --fit.")
        if options["mode"] == "review" and plugin:
            raise CommandError("--mode review measures a folder whose questions are lines of a checklist.")
        for target in filter(None, (options["save"], options["out"])):
            result_files.check_writable(target)
        before = result_files.load_evaluation(options["compare"]) if options["compare"] else None
        self.held_out: Sequence[ReliabilityBin] = ()
        if plugin:
            evaluation, kept = _evaluate_plugin(plugin, options)
            self.held_out = golden_runs.held_out_reliability(kept)
        else:
            evaluation = self._evaluate_folder(folder or Path(), options)
        proposal, too_few = None, None
        if plugin and options["fit"]:
            try:
                proposal = _threshold_proposal(plugin, evaluation)
            except TooFewGoldenQuestions as error:
                too_few = error
        self._write_report(evaluation, before=before, proposal=proposal, **options)
        if too_few:  # the figures, which may have cost money, are out
            raise too_few
        if plugin and proposal and options["apply"]:
            Plugin.objects.filter(slug=split_reference(plugin)[0]).update(
                evidence_threshold=proposal.proposed.threshold
            )

    def _evaluate_folder(self, folder: Path, options: dict[str, Any]) -> Evaluation:
        data = dataset.read_dataset(folder, split=options["split"], in_named_document=options["in_named_document"])
        with progress_bar("document", what="reading") as show:
            asked_of = eval_corpus.build_corpus(data, on_progress=show)
        if asked_of.failed:
            self.stderr.write(f"{len(asked_of.failed)} could not be read: {', '.join(asked_of.failed)}")
        try:
            return _evaluate_dataset(data, asked_of, options)
        finally:
            if options["throw_away"]:
                eval_corpus.delete_corpora(data.name)

    def _write_report(
        self,
        evaluation: Evaluation,
        *,
        before: SavedEvaluation | None,
        proposal: ThresholdProposal | None,
        **options: Any,
    ) -> None:
        result, scored = evaluation.result, evaluation.scored
        if options["save"]:
            result_files.save_evaluation(options["save"], result=result, scored=scored)
        if options["out"]:
            options["out"].write_text(
                html_report.render_report(result, scored, held_out=self.held_out), encoding="utf-8"
            )
        effect = (
            checklist_prior_effect.measure_prior_effect(scored, reviewed=options["prior"]) if options["prior"] else None
        )
        curves = (
            calibration_fit.measure_calibration_effect(scored, count=options["calibrate"])
            if options["calibrate"]
            else None
        )
        changes = (
            evaluation_comparison.compare_evaluations(before, SavedEvaluation(result=result, scored=scored))
            if before
            else None
        )
        if options["json"]:
            extras = {"prior": effect, "calibration": curves, "fit": proposal}
            shown: dict[str, Any] = {**result, **{name: asdict(one) for name, one in extras.items() if one}}
            if changes is not None:
                shown["changes"] = [asdict(one) for one in changes]
            self.stdout.write(json.dumps(shown, ensure_ascii=False))
            return
        parts = [console_report.format_result(result), console_report.format_failures(scored)]
        parts += [console_report.format_prior_effect(effect)] if effect else []
        parts += [console_report.format_calibration_effect(curves)] if curves else []
        parts += [console_report.format_threshold_proposal(proposal, is_applied=options["apply"])] if proposal else []
        parts += [console_report.format_comparison(changes)] if changes else []
        self.stdout.write("\n\n".join(filter(None, parts)))


def _evaluate_plugin(reference: str, options: dict[str, Any]) -> tuple[Evaluation, EvaluationRun]:
    release = releases.resolve(reference, principal=_referenced_plugin(reference).owner)
    llm = get_llm(options["llm"])
    asked = {"llm": llm, "mode": options["mode"], "limit": options["limit"], "with_progress": _question_progress_bar}
    return golden_runs.run_golden(release, **asked)


def _threshold_proposal(reference: str, evaluation: Evaluation) -> ThresholdProposal:
    return evidence_threshold.propose_threshold(evaluation.scored, now=_referenced_plugin(reference).evidence_threshold)


def _referenced_plugin(reference: str) -> Plugin:
    plugin = Plugin.objects.filter(slug=split_reference(reference)[0]).first()
    if plugin is None:
        raise releases.UnknownPlugin
    return plugin


def _evaluate_dataset(data: EvalDataset, asked_of: EvalCorpus, options: dict[str, Any]) -> Evaluation:
    sampled = replace(data, questions=dataset.sample_questions(data.questions, limit=options["limit"]))
    if options["mode"] == "review":
        return review_runner.evaluate_reviews(
            sampled, library=asked_of, reviewed=options["prior"], with_progress=_question_progress_bar
        )
    llm = get_llm(options["llm"]) if options["mode"] != "retrieval" else None
    return evaluation_runner.evaluate(
        sampled, library=asked_of, mode=options["mode"], llm=llm, with_progress=_question_progress_bar
    )


def _question_progress_bar(questions: Sequence[EvalQuestion]) -> Iterator[EvalQuestion]:
    yield from tqdm(questions, desc="asking", unit="question", disable=None, leave=False)


def _positive_integer(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
