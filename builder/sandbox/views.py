"""The pane, and the address that questions are posted to: a stream for the script, a whole page for everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from builder.panes import may_change, render
from builder.sandbox.conversation import own_queries, question_of
from builder.sandbox.forms import MOST_TURNS, AskForm, ids_of
from builder.sandbox.turns import Turn, extras_of, turns_of
from lexic.database import release_connections
from lexic.errors import InvalidInput, LexicError
from plugins.models import Plugin
from querying import live, sse
from querying.models import Query
from querying.pace import AskedTooOften, check_pace

_STARTERS = 3


class UnfitQuestion(InvalidInput):
    """This cannot be asked."""


@require_GET
def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The conversation whose queries the address names; without any, a new one."""
    assert isinstance(request.user, User)
    queries = own_queries(ids_of(request.GET.get("turns", "")), plugin=plugin, user=request.user)
    said = {name: request.GET[name] for name in ("question", "facts") if name in request.GET}
    said |= {"version": request.GET.get("version", "draft"), "earlier": _joined(queries)}
    form = AskForm(plugin=plugin, initial=said)
    return _page(request, plugin, form=form, turns=turns_of(queries, user=request.user))


@require_POST
def ask(request: HttpRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them; errors before the first event are plain JSON."""
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    form = AskForm(request.POST, plugin=plugin)
    try:
        return _streamed(request, plugin, form) if wants_stream else _whole(request, plugin, form)
    except LexicError as error:
        if wants_stream:
            return JsonResponse(error.as_dict(), status=error.status, headers=_retry_after(error))
        return _page(request, plugin, form=form, turns=_earlier(request, plugin, form), error=error)


def _streamed(request: HttpRequest, plugin: Plugin, form: AskForm) -> HttpResponseBase:
    with release_connections():
        _check(request, form)
        assert isinstance(request.user, User)
        question = question_of(form, plugin=plugin, user=request.user, version=form.cleaned_data["version"])
        context = _context(request, plugin)
    return sse.response(live.body(question, conclude=lambda asked: _last_event(asked, context=context)))


def _whole(request: HttpRequest, plugin: Plugin, form: AskForm) -> HttpResponse:
    """Everything on one page: the turns before, the answer, and beside it that of the version to compare with."""
    _check(request, form)
    assert isinstance(request.user, User)
    said, user = form.cleaned_data, request.user
    versions = dict.fromkeys([said["version"], said["other"] or said["version"]])
    questions = [question_of(form, plugin=plugin, user=user, version=version) for version in versions]
    context = _context(request, plugin)
    turns = [_turn(live.answered(question), context=context) for question in questions]
    before = own_queries(said["earlier"], plugin=plugin, user=user)
    asked = [*before, *(turn.query for turn in turns[:1] if turn)]
    fresh = AskForm(plugin=plugin, initial={**_kept(form), "earlier": _joined(asked)})
    shown = [*turns_of(before, user=user), *(turn for turn in turns if turn)]
    return _page(request, plugin, form=fresh, turns=shown)


def _check(request: HttpRequest, form: AskForm) -> None:
    """Raises `UnfitQuestion` for what the form does not allow, `AskedTooOften` where a person is a machine."""
    if not form.is_valid():
        raise UnfitQuestion(form.first_error, hint="Nothing was asked.")
    assert isinstance(request.user, User)
    check_pace(request.user)


def _retry_after(error: LexicError) -> dict[str, str]:
    return {"Retry-After": str(error.wait)} if isinstance(error, AskedTooOften) else {}


def _kept(form: AskForm) -> dict[str, Any]:
    """What stays in the form after an answer: everything but the question."""
    dropped = {"question", "token", "answer", "earlier"}
    return {name: form.data.get(name, "") for name in form.fields if name not in dropped}


def _earlier(request: HttpRequest, plugin: Plugin, form: AskForm) -> list[Turn]:
    assert isinstance(request.user, User)
    ids = ids_of(form.data.get("earlier", ""))
    return turns_of(own_queries(ids, plugin=plugin, user=request.user), user=request.user)


def _joined(queries: Sequence[Query]) -> str:
    return ",".join(str(query.pk) for query in queries[-MOST_TURNS:])


def _context(request: HttpRequest, plugin: Plugin) -> dict[str, Any]:
    """What every turn needs to know of the page around it."""
    return {
        "plugin": plugin,
        "user": request.user,
        "may_change": may_change(request, plugin),
        "earlier": request.POST.get("earlier", ""),
        # The turn of a stream is rendered when the request is over, and has forms as well.
        "csrf_token": get_token(request),
    }


def _turn(asked: live.Asked, *, context: dict[str, Any]) -> Turn | None:
    """The finished turn; None in the rare case that its audit row could not be written."""
    pk: UUID = asked.question.id
    query = Query.objects.filter(pk=pk).first()
    if query is None:
        return None
    (turn,) = turns_of([query], user=context["user"])
    return replace(turn, **extras_of(asked, user=context["user"], may_change=context["may_change"]))


def _last_event(asked: live.Asked, *, context: dict[str, Any]) -> dict[str, str]:
    """What the page without JavaScript shows as well."""
    turn = _turn(asked, context=context)
    html = render_to_string("builder/sandbox/turn.html", {**context, "turn": turn}) if turn else ""
    return {"type": "turn", "id": str(asked.question.id), "html": html}


def _page(
    request: HttpRequest, plugin: Plugin, *, form: AskForm, turns: list[Turn], error: LexicError | None = None
) -> HttpResponse:
    starters = [] if turns else plugin.golden_questions.order_by("pk")[:_STARTERS]
    context = {"form": form, "turns": turns, "error": error, "starters": starters}
    page = render(request, plugin, "sandbox", "builder/sandbox/pane.html", {**_context(request, plugin), **context})
    page.status_code = error.status if error else 200
    return page
