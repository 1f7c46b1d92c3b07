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
from conversations import asking
from conversations.asking import Begun
from conversations.form import ChatForm
from conversations.models import ChatSession
from conversations.page import left_of, page, rendered
from conversations.visitor import Visitor
from lexic.database import release_connections
from lexic.errors import InvalidInput, LexicError
from plugins.models import Plugin
from querying import live, sse
from querying.pace import AskedEnough

View = Callable[..., HttpResponseBase]


class UnfitQuestion(InvalidInput):
    """This cannot be asked."""

    hint = "Nothing was asked."


def of_plugin(view: View) -> View:
    """Called with the plugin instead of its slug, where anybody may chat with it; else there is no such page."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **captured: Any) -> HttpResponseBase:
        try:
            plugin = asking.plugin_open_to_anybody(slug)
        except asking.NoSuchChat as error:
            raise Http404(error.message) from None
        return view(request, plugin, **captured)

    return guarded


@require_safe
@of_plugin
def latest(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """Goes on with the visitor's last conversation, or begins one. A question in the address stands in the box; only
    a person who presses the button asks it."""
    session = _own(request, plugin).first()
    return page(request, plugin, session, question=request.GET.get("question", "")[:2000])


@require_safe
@of_plugin
def new(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return page(request, plugin, None)


@require_safe
@of_plugin
def one(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    return page(request, plugin, _own_or_404(request, plugin, session))


@require_http_methods(["GET", "HEAD", "POST"])
@of_plugin
def ask(request: HttpRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them, else by way of the conversation's page. What is
    wrong before the first event is plain JSON, or the page with the question kept."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return HttpResponseRedirect(reverse("chat", args=[plugin.slug]))
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    visitor = Visitor.of(request).known()
    with release_connections():
        try:
            begun = _begin(request, plugin, visitor)
        except LexicError as error:
            return _refused(request, plugin, error, wants_stream=wants_stream)
    response = _streamed(request, begun) if wants_stream else _whole(begun)
    visitor.remember(response)
    return response


@require_POST
@of_plugin
def forget(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponseRedirect:
    """The visitor's conversation is gone. The audit rows stay; they never said whose they were."""
    _own_or_404(request, plugin, session).delete()
    return HttpResponseRedirect(reverse("new_chat", args=[plugin.slug]))


def _own(request: HttpRequest, plugin: Plugin) -> Any:
    return ChatSession.objects.visible_to(Visitor.of(request)).of_plugin(plugin)


def _own_or_404(request: HttpRequest, plugin: Plugin, session: UUID) -> ChatSession:
    found: ChatSession | None = _own(request, plugin).filter(pk=session).first()
    if found is None:
        raise Http404("There is no such conversation, or it is not yours.")
    return found


def _begin(request: HttpRequest, plugin: Plugin, visitor: Visitor) -> Begun:
    form = ChatForm(request.POST)
    if not form.is_valid():
        raise UnfitQuestion(form.first_error)
    return asking.begin(plugin, form.said, visitor=visitor, address=visitors.name_of(request))


def _refused(request: HttpRequest, plugin: Plugin, error: LexicError, *, wants_stream: bool) -> HttpResponse:
    if wants_stream:
        response: HttpResponse = JsonResponse(error.as_dict(), status=error.status)
    else:
        asked = request.POST.get("question", "")[:2000]
        response = page(request, plugin, _named(request, plugin), question=asked, error=error)
    if isinstance(error, AskedEnough):
        response["Retry-After"] = str(error.wait)
    return response


def _named(request: HttpRequest, plugin: Plugin) -> ChatSession | None:
    """The conversation that the form belongs to, if it is the visitor's own."""
    named = ChatForm.session_in(request.POST)
    return _own(request, plugin).filter(pk=named).first() if named else None


def _address(session: ChatSession) -> str:
    return reverse("one_chat", args=[session.plugin.slug, session.pk])


def _streamed(request: HttpRequest, begun: Begun) -> HttpResponseBase:
    response = sse.response(_events(request, begun))
    # Where the conversation is from now on, also when the stream is stopped before its end.
    response["Content-Location"] = _address(begun.session)
    return response


def _events(request: HttpRequest, begun: Begun) -> AsyncGenerator[bytes]:
    def conclude(asked: live.Asked) -> dict[str, Any]:
        is_kept = asking.conclude(begun, asked)
        html = rendered(request, begun.session, begun.question.id) if is_kept else ""
        left = render_to_string("conversations/_left.html", {"left": left_of(request, begun.session.plugin)})
        return {"type": "turn", "id": str(begun.question.id), "html": html, "left": left.strip()}

    return live.body(begun.question, conclude=conclude)


def _whole(begun: Begun) -> HttpResponse:
    asking.conclude(begun, live.answered(begun.question))
    response = HttpResponseRedirect(f"{_address(begun.session)}#turn-{begun.question.id}")
    response.status_code = 303
    return response
