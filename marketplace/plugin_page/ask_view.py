"""A visitor asks a plugin on its page: the same engine and checks as at every other door, without a key or a name."""

from __future__ import annotations

import time
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import visitors
from lexic.database import release_connections
from lexic.errors import LexicError
from marketplace.plugin_page.forms import VisitorQuestionForm
from marketplace.plugin_page.page_view import plugin_or_404, render_plugin_page
from marketplace.plugin_page.visitor_access import questions_left_today, signed_in_viewer
from plugins.models import Plugin, Release
from querying.forms import InvalidQuestion
from querying.presentation import question_run, sse
from querying.presentation.answer import AnswerPresentation, present_run
from querying.question import access
from querying.question.rate_limits import VisitorRateLimited, check_visitor_limit
from querying.question.resolve import resume_from_token
from querying.types import Caller, Question

# Whoever answers a question asked back is whoever has its token: nobody knows who visitors are.
VISITOR_NAME = "visitor"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def ask_view(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else as the plugin's whole page. Errors before the
    first event are plain JSON."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(f"{reverse('plugin', args=[slug])}#try")
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    with release_connections():
        plugin = plugin_or_404(slug)
        form = VisitorQuestionForm(request.POST)
        try:
            question = _build_question(request, plugin, form)
        except LexicError as error:
            return _error_response(request, plugin, form, error, wants_stream=wants_stream)
        if wants_stream:
            return sse.event_stream_response(_answer_events(request, plugin, question))
    return _answer_page(request, plugin, question)


def _build_question(request: HttpRequest, plugin: Plugin, form: VisitorQuestionForm) -> Question:
    """Counts it against the visitor's limits. Raises `InvalidQuestion`, `InvalidResumeToken`, `VisitorRateLimited`."""
    if not form.is_valid():
        raise InvalidQuestion(form.first_error)
    said, release = form.cleaned_data, _latest_release(plugin)
    caller = Caller(name=VISITOR_NAME, is_public_caller=access.restricts_to_public(release))
    question = Question(text=said["question"], release=release, caller=caller)
    if said["token"]:
        question = resume_from_token(question, token=said["token"], answer=said["answer"])
    check_visitor_limit(visitors.visitor_id(request), plugin=plugin)
    return question


def _latest_release(plugin: Plugin) -> Release:
    """Raises Http404 where there is none to ask."""
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        raise Http404("This plugin has no release.")
    return release


def _error_response(
    request: HttpRequest, plugin: Plugin, form: VisitorQuestionForm, error: LexicError, *, wants_stream: bool
) -> HttpResponse:
    if wants_stream:
        response: HttpResponse = JsonResponse(error.as_dict(), status=error.status)
    else:
        asked = str(form.data.get("question", ""))[:2000]
        response = render_plugin_page(request, plugin.slug, question=asked, error=error)
        response.status_code = error.status
    if isinstance(error, VisitorRateLimited):
        response["Retry-After"] = str(error.retry_after)
    return response


def _answer_events(request: HttpRequest, plugin: Plugin, question: Question) -> Any:
    begun, viewer = time.monotonic(), signed_in_viewer(request)
    # The answer is rendered when the request is over, and may have a form of its own.
    context = {"plugin": plugin, "csrf_token": get_token(request)}

    def build_final_event(asked: question_run.QuestionRun) -> dict[str, Any]:
        shown = present_run(asked, viewer=viewer, seconds=time.monotonic() - begun)
        html = render_to_string("marketplace/plugin/_visitor_answer.html", {**context, "answer": shown})
        left = render_to_string(
            "marketplace/plugin/_questions_left.html", {"left": questions_left_today(request, plugin)}
        )
        return {"type": "turn", "id": str(asked.question.id), "html": html, "left": left.strip()}

    return question_run.stream_with_final_event(question, build_final_event=build_final_event)


def _answer_page(request: HttpRequest, plugin: Plugin, question: Question) -> HttpResponse:
    begun = time.monotonic()
    asked = question_run.run_to_end(question)
    shown: AnswerPresentation = present_run(
        asked, viewer=signed_in_viewer(request), seconds=time.monotonic() - begun
    )
    return render_plugin_page(request, plugin.slug, question=question.text, answer=shown)
