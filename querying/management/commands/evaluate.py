from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from lexic.errors import LexicError
from plugins.models import Plugin
from plugins.slugs import split_reference
from querying import releases
from querying.calibrate import Bin
from querying.evaluation import (
    calibration,
    compare,
    dataset,
    library,
    prior,
    report,
    run,
    runs,
    saved,
    table,
    threshold,
)
from querying.evaluation.library import Library
from querying.evaluation.run import Evaluation
from querying.evaluation.saved import Saved
from querying.evaluation.threshold import Proposal
from querying.evaluation.types import Asked, DataSet
from querying.llms import LLMS, get_llm
from querying.models import EvaluationRun


class Command(BaseCommand):
    help = "Measures retrieval, citation and refusal on a folder of questions, or on a plugin's golden questions."
    epilog = """examples:
  manage.py evaluate data/scifact --mode retrieval
  manage.py evaluate data/squad2-dev --in-named-document --limit 1000 --save before.json
  manage.py evaluate data/squad2-dev --in-named-document --limit 1000 --compare before.json
  manage.py evaluate data/northwind --calibrate 100
  manage.py evaluate --plugin concrete-cover --out report.html
  manage.py evaluate --plugin concrete-cover@draft --fit --apply"""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        kwargs |= {"epilog": self.epilog, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("folder", nargs="?", type=Path, help="questions.jsonl with documents/ or corpus.jsonl")
        what.add_argument("--plugin", metavar="SLUG", help="its golden questions; slug, slug@1.2.0 or slug@draft")
        parser.add_argument("--mode", choices=run.MODES, default="both")
        parser.add_argument("--limit", type=_positive, metavar="N", help="ask a fixed sample of so many questions")
        parser.add_argument("--split", help="of a set with qrels.SPLIT.tsv: `test` unless named, or `all`")
        parser.add_argument(
            "--in-named-document",
            action="store_true",
            help="ask only of the document the question was written about",
        )
        parser.add_argument("--prior", type=_positive, metavar="N", help="checklists: learn from N documents")
        parser.add_argument(
            "--calibrate", type=_positive, metavar="N", help="fit confidence on N questions, try it on the others"
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
        try:
            before = saved.load(options["compare"]) if options["compare"] else None
            self.held_out: Sequence[Bin] = ()
            if plugin:
                evaluation, kept = _of_plugin(plugin, options)
                self.held_out = runs.stated_of(kept)
            else:
                evaluation = self._of_folder(folder or Path(), options)
            proposal = _proposal(plugin, evaluation) if plugin and options["fit"] else None
        except LexicError as error:
            raise CommandError(f"{error.message} {error.hint}".strip()) from error
        self._show(evaluation, before=before, proposal=proposal, **options)
        if plugin and proposal and options["apply"]:
            Plugin.objects.filter(slug=split_reference(plugin)[0]).update(
                evidence_threshold=proposal.proposed.threshold
            )

    def _of_folder(self, folder: Path, options: dict[str, Any]) -> Evaluation:
        data = dataset.read(folder, split=options["split"], in_named_document=options["in_named_document"])
        with _bar("reading") as show:
            asked_of = library.library_of(data, on_progress=show)
        if asked_of.failed:
            self.stderr.write(f"{len(asked_of.failed)} could not be read: {', '.join(asked_of.failed)}")
        try:
            return _evaluate(data, asked_of, options)
        finally:
            if options["throw_away"]:
                library.throw_away(data.name)

    def _show(
        self, evaluation: Evaluation, *, before: Saved | None, proposal: Proposal | None, **options: Any
    ) -> None:
        result, scored = evaluation.result, evaluation.scored
        if options["save"]:
            saved.save(options["save"], result=result, scored=scored)
        if options["out"]:
            options["out"].write_text(report.page(result, scored, held_out=self.held_out), encoding="utf-8")
        prior_effect = prior.effect_of_prior(scored, reviewed=options["prior"]) if options["prior"] else None
        curves = (
            calibration.effect_of_calibration(scored, count=options["calibrate"]) if options["calibrate"] else None
        )
        changes = compare.differences(before, Saved(result=result, scored=scored)) if before else None
        if options["json"]:
            extras = {"prior": prior_effect, "calibration": curves, "fit": proposal}
            shown: dict[str, Any] = {**result, **{name: asdict(one) for name, one in extras.items() if one}}
            if changes is not None:
                shown["changes"] = [asdict(one) for one in changes]
            self.stdout.write(json.dumps(shown, ensure_ascii=False))
            return
        parts = [table.table(result), table.failed(scored)]
        parts += [table.effect(prior_effect)] if prior_effect else []
        parts += [table.curves(curves)] if curves else []
        parts += [table.proposal(proposal, is_applied=options["apply"])] if proposal else []
        parts += [table.comparison(changes)] if changes else []
        self.stdout.write("\n\n".join(filter(None, parts)))


def _of_plugin(reference: str, options: dict[str, Any]) -> tuple[Evaluation, EvaluationRun]:
    release = releases.resolve(reference, principal=_plugin(reference).owner)
    llm = get_llm(options["llm"])
    asked = {"llm": llm, "mode": options["mode"], "limit": options["limit"], "watched": _watched}
    return runs.run_golden(release, **asked)


def _proposal(reference: str, evaluation: Evaluation) -> Proposal:
    return threshold.propose(evaluation.scored, now=_plugin(reference).evidence_threshold)


def _plugin(reference: str) -> Plugin:
    plugin = Plugin.objects.filter(slug=split_reference(reference)[0]).first()
    if plugin is None:
        raise releases.UnknownPlugin
    return plugin


def _evaluate(data: DataSet, asked_of: Library, options: dict[str, Any]) -> Evaluation:
    sampled = replace(data, questions=dataset.sample(data.questions, limit=options["limit"]))
    llm = get_llm(options["llm"]) if options["mode"] != "retrieval" else None
    return run.evaluate(sampled, library=asked_of, mode=options["mode"], llm=llm, watched=_watched)


def _watched(questions: Sequence[Asked]) -> Iterator[Asked]:
    yield from tqdm(questions, desc="asking", unit="question", disable=None, leave=False)


@contextmanager
def _bar(what: str) -> Iterator[library.OnProgress]:
    with tqdm(desc=what, unit="document", disable=None, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
