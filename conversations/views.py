"""`/chat/<slug>`: the public chat with a plugin whose author allows it. It uses the same pipeline and checks as the
API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import visitors
from conversations import iframe_policy, public_questions
from conversations.chat_page import render_chat_page, render_turn
from conversations.forms import ChatForm
from conversations.models import ChatSession
from conversations.public_questions import PendingQuestion
from conversations.visitor import Visitor
from lexic.database import release_connections
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.presentation import question_run, sse
from querying.presentation.web_requests import (
    error_response,
    questions_left_text,
    wants_event_stream,
    with_status_of,
)

View = Callable[..., HttpResponseBase]


def with_public_plugin(view: View) -> View:
    """Gives the view the plugin instead of its slug, where anybody may chat with it; else raises Http404."""

    @never_cache
    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **captured: Any) -> HttpResponseBase:
        try:
            plugin = public_questions.public_chat_plugin(slug)
        except public_questions.UnknownChat as error:
            return error_response(request, error, render_page=lambda _: _closed_chat_page(request, slug))
        checked = view if iframe_policy.is_own_page(request, plugin) else csrf_protect(view)
        return iframe_policy.allow_frames(checked(request, plugin, **captured), plugin)

    return guarded


def _closed_chat_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A page that says that this plugin has no public chat, with a link to the plugin's page. Raises Http404 if the
    visitor may not know of the plugin."""
    plugin = get_object_or_404(Plugin.objects.with_page().at_address(slug))
    response = render(request, "conversations/closed_chat.html", {"plugin": plugin})
    iframe_policy.allow_referring_frame(response, plugin, request=request)
    return response


@require_safe
@with_public_plugin
def latest_conversation(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The visitor's last conversation, or a new one. A question in the address stands in the box; only a person who
    presses the button asks it."""
    question = request.GET.get("question", "")
    return render_chat_page(request, plugin, _own_sessions(request, plugin).first(), question=question)


@require_safe
@with_public_plugin
def new_conversation(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return render_chat_page(request, plugin, None)


@require_safe
@with_public_plugin
def conversation_view(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    return render_chat_page(request, plugin, own_session_or_404(request, plugin, session))


@require_http_methods(["GET", "HEAD", "POST"])
@with_public_plugin
def ask(request: HttpRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else redirects to the conversation's page. What is
    wrong before the first event is plain JSON, or the page with the question kept."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(reverse("chat", args=[plugin.address]))
    visitor, form = Visitor.from_request(request).with_secret(), ChatForm(request.POST)
    with release_connections():
        try:
            form.check()
            address = visitors.visitor_id(request)
            pending = public_questions.begin_question(plugin, form.message, visitor=visitor, address=address)
        except LexicError as error:
            return error_response(request, error, render_page=lambda error: _error_page(request, plugin, error))
    session_url = reverse("one_chat", args=[plugin.address, pending.session.pk])
    if wants_event_stream(request):
        response: HttpResponseBase = sse.event_stream_response(_event_stream(request, pending))
        # The conversation has this address from now on, also when the stream is stopped before its end.
        response["Content-Location"] = session_url
    else:
        run = question_run.run_to_end(pending.question)
        public_questions.save_answer(pending, run)
        response = HttpResponseRedirect(f"{session_url}#turn-{pending.question.id}")
        response.status_code = 303
        if run.failure:
            response = with_status_of(run, render_chat_page(request, plugin, pending.session))
    visitor.set_cookie(response, is_embedded=bool(plugin.embed_origins) and request.is_secure())
    return response


@require_POST
@with_public_plugin
def delete_conversation(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    """Deletes the visitor's conversation. The query rows stay; they never said whose they were."""
    found = own_session_or_404(request, plugin, session)
    try:
        plugin.check_deletable()
    except LexicError as error:
        response = render_chat_page(request, plugin, found, error=error)
        response.status_code = error.status
        return response
    found.delete()
    return HttpResponseRedirect(reverse("new_chat", args=[plugin.address]))


def _own_sessions(request: HttpRequest, plugin: Plugin) -> Any:
    return ChatSession.objects.of_visitor(Visitor.from_request(request), plugin)


def own_session_or_404(request: HttpRequest, plugin: Plugin, session: UUID) -> ChatSession:
    found: ChatSession | None = _own_sessions(request, plugin).filter(pk=session).first()
    if found is None:
        raise Http404("There is no such conversation, or it is not yours.")
    return found


def _error_page(request: HttpRequest, plugin: Plugin, error: LexicError) -> HttpResponse:
    """The page of the conversation that the form belongs to, if it is the visitor's own."""
    session = _own_sessions(request, plugin).filter(pk=ChatForm.posted_session_id(request.POST)).first()
    question = request.POST.get("question", "")
    return render_chat_page(request, plugin, session, question=question, error=error)


def _event_stream(request: HttpRequest, pending: PendingQuestion) -> AsyncGenerator[bytes]:
    def build_final_event(run: question_run.QuestionRun) -> dict[str, Any]:
        is_saved = public_questions.save_answer(pending, run)
        html = render_turn(request, pending.session, pending.question.id) if is_saved else ""
        left = questions_left_text(request, pending.question.release.plugin)
        return {"type": "turn", "id": str(pending.question.id), "html": html, "left": left}

    return question_run.stream_with_final_event(pending.question, build_final_event=build_final_event)
