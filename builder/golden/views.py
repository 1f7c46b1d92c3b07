"""The list of golden questions: searched, filtered, in pages, each with how it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, F, Q
from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from builder.golden.last_run import LastRun, calibration_text, last_run, propose_threshold
from builder.golden.sandbox_link import sandbox_address
from builder.panes import render_pane
from builder.readiness import reverse_pane
from evaluation.golden import expectation_text, run_progress
from evaluation.golden.golden_runs import required_passes
from evaluation.models import GoldenQuestion
from evaluation.tuning.evidence_threshold import MIN_ANSWERS, MIN_REFUSALS, MIN_TUNING_QUESTIONS
from lexic.http.parameters import MAX_SEARCH_LENGTH, get_page, single_line
from plugins.models import Plugin
from querying.types.evidence import SUFFICIENCY_THRESHOLD

PER_PAGE = 25
# What can be asked for, with its words and its condition.
RESULTS = {
    "failed": ("Failed", Q(last_passed=False)),
    "new": ("Not run as it stands", Q(last_passed=None)),
    "passed": ("Passed", Q(last_passed=True)),
}


@dataclass(frozen=True, kw_only=True)
class GoldenQuestionRow:
    golden: GoldenQuestion
    places: list[str]
    facts: str
    sandbox: str
    is_newly_failing: bool
    is_newly_passing: bool


def show_questions(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    return render_pane(request, plugin, "golden", "builder/golden/pane.html", questions_context(request, plugin))


def questions_context(request: SignedInRequest, plugin: Plugin) -> dict[str, Any]:
    """What the list and the figures above it show. A fixed number of statements."""
    everything = plugin.golden_questions.all()
    words, result, expectation = _read_filters(request)
    questions = everything.filter(RESULTS[result][1]) if result else everything
    questions = questions.filter(expectation=expectation) if expectation else questions
    questions = questions.filter(question__icontains=words) if words else questions
    # What failed comes first, then what was not run, then what is fine.
    ordered = questions.order_by(F("last_passed").asc(nulls_last=True), "pk")
    shown = get_page(request, ordered, per_page=PER_PAGE)
    of_result = {name: Count("pk", filter=condition) for name, (_, condition) in RESULTS.items()}
    counts = everything.order_by().aggregate(total=Count("pk"), **of_result)
    last = last_run(plugin)
    return {
        "rows": [_question_row(plugin, golden, last) for golden in shown],
        "page": shown,
        "total": counts["total"],
        "results": [(name, title, counts[name]) for name, (title, _) in RESULTS.items()],
        "expectations": GoldenQuestion.Expectation.choices,
        "q": words,
        "result": result,
        "expectation": expectation,
        "is_filtered": bool(words or result or expectation),
        "query": urlencode({"q": words, "result": result, "expectation": expectation}),
        "progress": run_progress.get_progress(plugin.pk),
        "last": last,
        **_conclusions_context(plugin, last, counts["total"]),
    }


def _conclusions_context(plugin: Plugin, last: LastRun | None, total: int) -> dict[str, Any]:
    return {
        "needed": required_passes(total, share=plugin.golden_share),
        "share": round(100 * plugin.golden_share),
        "gate_url": f"{reverse_pane(plugin, 'persona')}#id_golden_gate",
        "curve": calibration_text(plugin),
        "proposal": propose_threshold(plugin, last),
        "evidence_now": SUFFICIENCY_THRESHOLD if plugin.evidence_threshold is None else plugin.evidence_threshold,
        "fit_needs": (MIN_TUNING_QUESTIONS, MIN_REFUSALS, MIN_ANSWERS),
    }


def _question_row(plugin: Plugin, golden: GoldenQuestion, last: LastRun | None) -> GoldenQuestionRow:
    facts = expectation_text.format_facts(golden.facts)
    was_run = golden.last_passed is not None and last is not None
    return GoldenQuestionRow(
        golden=golden,
        places=expectation_text.format_places(golden.must_cite).splitlines(),
        facts=facts.replace("\n", ", "),
        sandbox=sandbox_address(plugin, golden),
        is_newly_failing=bool(was_run and last and golden.pk in last.newly_failing),
        is_newly_passing=bool(was_run and last and golden.pk in last.newly_passing),
    )


def _read_filters(request: SignedInRequest) -> tuple[str, str, str]:
    """The search, the result and the expectation that are asked for; what is unknown counts as not asked for."""
    said = request.GET
    words = single_line(said.get("q", ""), max_length=MAX_SEARCH_LENGTH)
    result, expectation = said.get("result", ""), said.get("expectation", "")
    known = result if result in RESULTS else ""
    return words, known, expectation if expectation in GoldenQuestion.Expectation.values else ""
