"""Running all of them by a worker, watching it, and drawing the conclusion on the evidence an answer needs."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from accounts.signed_in_request import SignedInRequest
from builder.golden.last_run import last_run, propose_threshold
from builder.golden.views import questions_context
from builder.history import log_plugin_change
from builder.panes import HtmxRequest, plugin_page_context
from builder.readiness import reverse_pane
from evaluation import tasks
from evaluation.golden import run_progress
from plugins.models import Plugin


def start_run(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Ask a worker, once: a run that is under way, or waits for its worker, is enough."""
    under_way = run_progress.get_progress(plugin.pk)
    if not plugin.golden_questions.exists():
        messages.error(request, "There is nothing to run. Add a golden question first.")
    elif under_way and not under_way.failed and not under_way.is_stalled:
        messages.info(request, "A run is under way already.")
    elif not tasks.enqueue_golden(plugin.pk):
        messages.error(
            request,
            "The task queue cannot be reached, so nothing was run. Try again in a moment; if it lasts, tell the "
            "operators of this site: Redis may have stopped.",
        )
    return HttpResponseRedirect(reverse_pane(plugin, "golden"))


def show_progress(request: HtmxRequest, plugin: Plugin) -> HttpResponse:
    """How far it is. Once it is over: the list and the readiness anew, in place of what showed the progress."""
    if not request.htmx:
        return HttpResponseRedirect(reverse_pane(plugin, "golden"))
    now = run_progress.get_progress(plugin.pk)
    if now and not now.failed:
        context = {"plugin": plugin, "progress": now, "query": request.GET.urlencode()}
        return TemplateResponse(request, "builder/golden/_progress.html", context)
    context = {
        **plugin_page_context(request, plugin, "golden"),
        **questions_context(request, plugin),
        "is_partial_update": True,
    }
    response = TemplateResponse(request, "builder/golden/_content.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#golden-all", "outerHTML"
    return response


def set_evidence_threshold(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Make the proposed threshold the draft's own."""
    proposed = propose_threshold(plugin, last_run(plugin))
    if proposed is None:
        messages.error(request, "The proposal is out of date, so nothing was changed. Run the golden questions again.")
    else:
        plugin.evidence_threshold = proposed.proposed.threshold
        plugin.save(update_fields=["evidence_threshold", "updated_at"])
        log_plugin_change(
            request,
            plugin,
            f"The evidence needed is now {plugin.evidence_threshold:.2f}, as the golden questions propose.",
        )
        said = f"An answer now needs evidence of {plugin.evidence_threshold:.2f}. Run the questions again to see it."
        messages.success(request, said)
    return HttpResponseRedirect(reverse_pane(plugin, "golden"))
