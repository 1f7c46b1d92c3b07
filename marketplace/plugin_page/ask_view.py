"""Lets a visitor ask a plugin on its page, without a key or an account. It uses the same pipeline and checks as the
API."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import visitors
from accounts.signed_in_request import user_or_none
from conversations.signed_question_ids import sign_asked
from lexic.database import release_connections
from lexic.errors import LexicError
from marketplace.plugin_page.forms import VisitorQuestionForm
from marketplace.plugin_page.page_view import plugin_or_404, render_plugin_page
from plugins.models import Plugin
from querying.presentation import question_run, sse
from querying.presentation.answer import StoredAnswer, present_answer, to_stored_answer
from querying.presentation.web_requests import (
    error_response,
    questions_left_text,
    wants_event_stream,
    with_status_of,
)
from querying.question import document_access
from querying.question.resume import resume_from_token
from querying.question.user_limits import question_of_visitor
from querying.types.question import Caller, Question

# Whoever has the token of a question back may answer it: nobody knows who visitors are.
VISITOR_NAME = "visitor"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def ask_view(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else as the plugin's whole page. Errors before the
    first event are plain JSON."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(f"{reverse('plugin', args=[slug])}#try")
    with release_connections():
        plugin = plugin_or_404(slug)
        try:
            question = _build_question(request, plugin)
        except LexicError as error:
            return error_response(request, error, render_page=lambda error: _error_page(request, slug, error))
        if wants_event_stream(request):
            return sse.event_stream_response(_answer_events(request, plugin, question))
    started = time.monotonic()
    run = question_run.run_to_end(question)
    answer = present_answer(_stored_answer(run, started), viewer=user_or_none(request))
    page = render_plugin_page(request, slug, question=question.text, answer=answer, proof=sign_asked(question.id))
    return with_status_of(run, page)


def _build_question(request: HttpRequest, plugin: Plugin) -> Question:
    """Counts it against the visitor's limits. Raises `InvalidQuestion`, `InvalidResumeToken` and `VisitorRateLimited`;
    Http404 where the plugin has no release."""
    form = VisitorQuestionForm(request.POST)
    form.check()
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        raise Http404("This plugin has no release.")
    fields = form.cleaned_data
    caller = Caller(name=VISITOR_NAME, is_public_caller=document_access.restricts_to_public(release))
    question = Question(text=fields["question"], release=release, caller=caller)
    if fields["token"]:
        question = resume_from_token(question, token=fields["token"], answer=fields["answer"])
    return question_of_visitor(question, visitors.visitor_id(request))


def _error_page(request: HttpRequest, slug: str, error: LexicError) -> HttpResponse:
    question = request.POST.get("question", "")
    return render_plugin_page(request, slug, question=question, error=error)


def _stored_answer(run: question_run.QuestionRun, started: float) -> StoredAnswer:
    seconds = time.monotonic() - started
    return StoredAnswer(question=run.question.text, answer=to_stored_answer(run), seconds=seconds)


def _answer_events(request: HttpRequest, plugin: Plugin, question: Question) -> AsyncGenerator[bytes]:
    started, viewer = time.monotonic(), user_or_none(request)
    # The answer is rendered when the request is over, and may have a form of its own.
    context = {"plugin": plugin, "csrf_token": get_token(request), "user": request.user}

    def build_final_event(run: question_run.QuestionRun) -> dict[str, Any]:
        answer = present_answer(_stored_answer(run, started), viewer=viewer)
        shown = {**context, "answer": answer, "proof": sign_asked(run.question.id)}
        html = render_to_string("marketplace/plugin/_visitor_answer.html", shown)
        left = questions_left_text(request, plugin)
        return {"type": "turn", "id": str(run.question.id), "html": html, "left": left}

    return question_run.stream_with_final_event(question, build_final_event=build_final_event)
