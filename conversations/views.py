"""`/chat/<slug>`: anybody talks with a plugin whose author allows it. The same engine and checks as at every door."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import visitors
from conversations import questions
from conversations.chat_page import questions_left, render_chat_page, render_turn
from conversations.forms import ChatForm
from conversations.models import ChatSession
from conversations.questions import PendingQuestion
from conversations.visitor import Visitor
from lexic.database import release_connections
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.forms import InvalidQuestion
from querying.presentation import question_run, sse
from querying.question.rate_limits import VisitorRateLimited

View = Callable[..., HttpResponseBase]


def with_public_plugin(view: View) -> View:
    """Called with the plugin instead of its slug, where anybody may chat with it; else there is no such page."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **captured: Any) -> HttpResponseBase:
        try:
            plugin = questions.public_chat_plugin(slug)
        except questions.NoSuchChat as error:
            raise Http404(error.message) from None
        return view(request, plugin, **captured)

    return guarded


@require_safe
@with_public_plugin
def latest_conversation(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """Goes on with the visitor's last conversation, or begins one. A question in the address stands in the box; only
    a person who presses the button asks it."""
    session = _own_sessions(request, plugin).first()
    return render_chat_page(request, plugin, session, question=request.GET.get("question", "")[:2000])


@require_safe
@with_public_plugin
def new_conversation(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return render_chat_page(request, plugin, None)


@require_safe
@with_public_plugin
def conversation_view(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    return render_chat_page(request, plugin, _own_session_or_404(request, plugin, session))


@require_http_methods(["GET", "HEAD", "POST"])
@with_public_plugin
def ask(request: HttpRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else by way of the conversation's page. What is
    wrong before the first event is plain JSON, or the page with the question kept."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(reverse("chat", args=[plugin.slug]))
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    visitor = Visitor.of(request).known()
    with release_connections():
        try:
            begun = _begin_from_form(request, plugin, visitor)
        except LexicError as error:
            return _error_response(request, plugin, error, wants_stream=wants_stream)
    response = _streaming_response(request, begun) if wants_stream else _redirect_to_turn(begun)
    visitor.remember(response)
    return response


@require_POST
@with_public_plugin
def delete_conversation(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponseRedirect:
    """The visitor's conversation is gone. The audit rows stay; they never said whose they were."""
    _own_session_or_404(request, plugin, session).delete()
    return HttpResponseRedirect(reverse("new_chat", args=[plugin.slug]))


def _own_sessions(request: HttpRequest, plugin: Plugin) -> Any:
    return ChatSession.objects.visible_to(Visitor.of(request)).of_plugin(plugin)


def _own_session_or_404(request: HttpRequest, plugin: Plugin, session: UUID) -> ChatSession:
    found: ChatSession | None = _own_sessions(request, plugin).filter(pk=session).first()
    if found is None:
        raise Http404("There is no such conversation, or it is not yours.")
    return found


def _begin_from_form(request: HttpRequest, plugin: Plugin, visitor: Visitor) -> PendingQuestion:
    form = ChatForm(request.POST)
    if not form.is_valid():
        raise InvalidQuestion(form.first_error)
    return questions.begin_question(plugin, form.said, visitor=visitor, address=visitors.visitor_id(request))


def _error_response(request: HttpRequest, plugin: Plugin, error: LexicError, *, wants_stream: bool) -> HttpResponse:
    if wants_stream:
        response: HttpResponse = JsonResponse(error.as_dict(), status=error.status)
    else:
        asked = request.POST.get("question", "")[:2000]
        response = render_chat_page(request, plugin, _named_session(request, plugin), question=asked, error=error)
    if isinstance(error, VisitorRateLimited):
        response["Retry-After"] = str(error.retry_after)
    return response


def _named_session(request: HttpRequest, plugin: Plugin) -> ChatSession | None:
    """The conversation that the form belongs to, if it is the visitor's own."""
    named = ChatForm.session_in(request.POST)
    return _own_sessions(request, plugin).filter(pk=named).first() if named else None


def _session_url(session: ChatSession) -> str:
    return reverse("one_chat", args=[session.plugin.slug, session.pk])


def _streaming_response(request: HttpRequest, begun: PendingQuestion) -> HttpResponseBase:
    response = sse.event_stream_response(_event_stream(request, begun))
    # Where the conversation is from now on, also when the stream is stopped before its end.
    response["Content-Location"] = _session_url(begun.session)
    return response


def _event_stream(request: HttpRequest, begun: PendingQuestion) -> AsyncGenerator[bytes]:
    def build_final_event(asked: question_run.QuestionRun) -> dict[str, Any]:
        is_kept = questions.save_answer(begun, asked)
        html = render_turn(request, begun.session, begun.question.id) if is_kept else ""
        left = render_to_string(
            "conversations/_questions_left.html", {"left": questions_left(request, begun.session.plugin)}
        )
        return {"type": "turn", "id": str(begun.question.id), "html": html, "left": left.strip()}

    return question_run.stream_with_final_event(begun.question, build_final_event=build_final_event)


def _redirect_to_turn(begun: PendingQuestion) -> HttpResponse:
    questions.save_answer(begun, question_run.run_to_end(begun.question))
    response = HttpResponseRedirect(f"{_session_url(begun.session)}#turn-{begun.question.id}")
    response.status_code = 303
    return response
