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
from lexic.errors import InvalidInput, LexicError
from marketplace.plugin_page.form import TryForm
from marketplace.plugin_page.page import full_page, plugin_or_404
from marketplace.plugin_page.visiting import left_today, viewer_of
from plugins.models import Plugin, Release
from querying import audience, clarify, live, sse
from querying.pace import AskedEnough, check_visitor
from querying.shown import Shown, answer_of
from querying.types import Asker, Question

# Whoever answers a question asked back is whoever has its token: nobody knows who visitors are.
VISITOR = "visitor"


class UnfitQuestion(InvalidInput):
    """This cannot be asked."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def try_it(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else as the plugin's whole page. Errors before the
    first event are plain JSON."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(f"{reverse('plugin', args=[slug])}#try")
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    with release_connections():
        plugin = plugin_or_404(slug)
        form = TryForm(request.POST)
        try:
            question = _question(request, plugin, form)
        except LexicError as error:
            return _refused(request, plugin, form, error, wants_stream=wants_stream)
        if wants_stream:
            return sse.response(_events(request, plugin, question))
    return _whole(request, plugin, question)


def _question(request: HttpRequest, plugin: Plugin, form: TryForm) -> Question:
    """Counts it against the visitor's limits. Raises `UnfitQuestion`, `InvalidFollowup` and `AskedEnough`."""
    if not form.is_valid():
        raise UnfitQuestion(form.first_error, hint="Nothing was asked.")
    said, release = form.cleaned_data, _release(plugin)
    asker = Asker(name=VISITOR, is_anybody=audience.keeps_private(release))
    question = Question(text=said["question"], release=release, asker=asker)
    if said["token"]:
        question = clarify.resume(question, token=said["token"], answer=said["answer"])
    check_visitor(visitors.name_of(request), plugin=plugin)
    return question


def _release(plugin: Plugin) -> Release:
    """Raises Http404 where there is none to ask."""
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        raise Http404("This plugin has no release.")
    return release


def _refused(
    request: HttpRequest, plugin: Plugin, form: TryForm, error: LexicError, *, wants_stream: bool
) -> HttpResponse:
    if wants_stream:
        response: HttpResponse = JsonResponse(error.as_dict(), status=error.status)
    else:
        asked = str(form.data.get("question", ""))[:2000]
        response = full_page(request, plugin.slug, question=asked, error=error)
        response.status_code = error.status
    if isinstance(error, AskedEnough):
        response["Retry-After"] = str(error.wait)
    return response


def _events(request: HttpRequest, plugin: Plugin, question: Question) -> Any:
    begun, viewer = time.monotonic(), viewer_of(request)
    # The answer is rendered when the request is over, and may have a form of its own.
    context = {"plugin": plugin, "csrf_token": get_token(request)}

    def conclude(asked: live.Asked) -> dict[str, Any]:
        shown = answer_of(asked, viewer=viewer, seconds=time.monotonic() - begun)
        html = render_to_string("marketplace/plugin/_answer.html", {**context, "answer": shown})
        left = render_to_string("marketplace/plugin/_left.html", {"left": left_today(request, plugin)})
        return {"type": "turn", "id": str(asked.question.id), "html": html, "left": left.strip()}

    return live.body(question, conclude=conclude)


def _whole(request: HttpRequest, plugin: Plugin, question: Question) -> HttpResponse:
    begun = time.monotonic()
    asked = live.answered(question)
    shown: Shown = answer_of(asked, viewer=viewer_of(request), seconds=time.monotonic() - begun)
    return full_page(request, plugin.slug, question=question.text, answer=shown)
