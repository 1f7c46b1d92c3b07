"""A publication that a worker is at: how far it is, what each golden question gave, and the button that stops it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.panes import HtmxRequest
from builder.readiness import reverse_pane
from marketplace.models import PublishingRun
from marketplace.publishing.audience_change import AudienceChange
from plugins.models import Plugin, Release

State = PublishingRun.State
# The latest ones; a page that asks for news every second stays small.
MAX_SHOWN_RESULTS = 50


@dataclass(frozen=True, kw_only=True)
class GoldenQuestionResult:
    question: str
    failures: list[str]


def run_context(plugin: Plugin, *, latest: Release | None) -> dict[str, Any]:
    """The run that is active, or that ended without a release since the latest one. One statement."""
    run = plugin.publishing_runs.select_related("requested_by").first()
    is_news = run is not None and run.state != State.PUBLISHED and not (latest and latest.created_at > run.updated_at)
    if run is None or not is_news:
        return {"run": None}
    results = [GoldenQuestionResult(question=one["question"], failures=one["failures"]) for one in run.scores]
    shown = results if run.is_active else [one for one in results if one.failures]
    return {
        "run": run,
        "typed": {"version": run.version, "notes": run.notes},
        "opens_to": AudienceChange.from_json(run.audience).label if run.audience else "",
        "asked": len(results),
        "said": _said_progress(run, asked=len(results)),
        "results": shown[::-1][:MAX_SHOWN_RESULTS],
        "hidden_results": max(0, len(shown) - MAX_SHOWN_RESULTS),
    }


def kept_audience(plugin: Plugin, run: PublishingRun | None) -> AudienceChange | None:
    """Who is to see the plugin by the `run` that is shown. None where that says nothing, where somebody has changed it
    since, and while the page shows who can see the release that is out."""
    if run is None or not run.audience or (run.is_active and plugin.is_published):
        return None
    chosen = AudienceChange.from_json(run.audience)
    return chosen if chosen.is_up_to_date(plugin) else None


def _said_progress(run: PublishingRun, *, asked: int) -> str:
    """What is read out: it changes at each tenth part of the questions, not with each of them."""
    if run.state != State.ASKING or not run.total:
        return "Publishing waits for a free worker." if run.state == State.WAITING else ""
    tenth = 10 * asked // run.total
    reached = -(-tenth * run.total // 10)
    return f"{reached} of {run.total} golden questions asked."


def show_publishing_progress(request: HtmxRequest, plugin: Plugin) -> HttpResponse:
    """How far it is. Once it is over, the browser goes on to the release, or back to what it did not publish."""
    run = plugin.publishing_runs.select_related("release").first()
    publish_page = reverse("admin:builder_publish", args=[plugin.pk])
    if not request.htmx:
        return HttpResponseRedirect(publish_page)
    if run and run.is_active:
        context = {"plugin": plugin, **run_context(plugin, latest=None)}
        # The same words put there once more would be read out once more.
        context["is_news_to_say"] = context["said"] != request.GET.get("said")
        return TemplateResponse(request, "builder/_publishing_news.html", context)
    if run and run.state == State.PUBLISHED:
        _tell_once(request, messages.SUCCESS, f"Published: {run.release}.")
        if run.warning:
            _tell_once(request, messages.WARNING, f"{run.warning} The gate is set to warn, so it was published.")
        return HttpResponseClientRedirect(reverse_pane(plugin, "published"))
    return HttpResponseClientRedirect(publish_page)


def _tell_once(request: HtmxRequest, level: int, text: str) -> None:
    """The page goes on asking until the next one has come, which may take some seconds."""
    waiting: Any = messages.get_messages(request)
    told = {str(message) for message in waiting}
    waiting.used = False  # they are not shown yet
    if text not in told:
        messages.add_message(request, level, text)


def cancel_publishing(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    run = plugin.publishing_runs.active().first()
    if run and run.cancel():
        log_plugin_change(request, plugin, "Cancelled publishing.")
        messages.success(request, "Publishing is cancelled. Nothing was published.")
    else:
        messages.info(request, "There was nothing to cancel: publishing was over.")
    return HttpResponseRedirect(reverse("admin:builder_publish", args=[plugin.pk]))
