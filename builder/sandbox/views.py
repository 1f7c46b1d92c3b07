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
from builder.panes import may_edit_plugin, render_pane
from builder.sandbox.conversation import make_question, own_queries
from builder.sandbox.forms import MAX_TURNS, AskForm, parse_query_ids
from builder.sandbox.turns import SandboxTurn, live_turn_details, make_turns
from lexic.database import release_connections
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.forms import InvalidQuestion
from querying.models import Query
from querying.presentation import question_run, sse
from querying.question.rate_limits import UserRateLimited, check_user_limit

_STARTER_QUESTIONS = 3


@require_GET
def show_sandbox(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The conversation whose queries the address names; without any, a new one."""
    assert isinstance(request.user, User)
    queries = own_queries(parse_query_ids(request.GET.get("turns", "")), plugin=plugin, user=request.user)
    said = {name: request.GET[name] for name in ("question", "facts") if name in request.GET}
    said |= {"version": request.GET.get("version", "draft"), "earlier": _join_ids(queries)}
    form = AskForm(plugin=plugin, initial=said)
    return _render_sandbox(request, plugin, form=form, turns=make_turns(queries, user=request.user))


@require_POST
def ask_question(request: HttpRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them; errors before the first event are plain JSON."""
    wants_stream = request.headers.get("Accept", "").startswith("text/event-stream")
    form = AskForm(request.POST, plugin=plugin)
    try:
        return _stream_answer(request, plugin, form) if wants_stream else _answer_page(request, plugin, form)
    except LexicError as error:
        if wants_stream:
            return JsonResponse(error.as_dict(), status=error.status, headers=_retry_after(error))
        return _render_sandbox(request, plugin, form=form, turns=_earlier_turns(request, plugin, form), error=error)


def _stream_answer(request: HttpRequest, plugin: Plugin, form: AskForm) -> HttpResponseBase:
    with release_connections():
        _check_question(request, form)
        assert isinstance(request.user, User)
        question = make_question(form, plugin=plugin, user=request.user, version=form.cleaned_data["version"])
        context = _turn_context(request, plugin)
    return sse.event_stream_response(
        question_run.stream_with_final_event(
            question, build_final_event=lambda asked: _turn_event(asked, context=context)
        )
    )


def _answer_page(request: HttpRequest, plugin: Plugin, form: AskForm) -> HttpResponse:
    """Everything on one page: the turns before, the answer, and beside it that of the version to compare with."""
    _check_question(request, form)
    assert isinstance(request.user, User)
    said, user = form.cleaned_data, request.user
    versions = dict.fromkeys([said["version"], said["other"] or said["version"]])
    questions = [make_question(form, plugin=plugin, user=user, version=version) for version in versions]
    context = _turn_context(request, plugin)
    turns = [_finished_turn(question_run.run_to_end(question), context=context) for question in questions]
    before = own_queries(said["earlier"], plugin=plugin, user=user)
    asked = [*before, *(turn.query for turn in turns[:1] if turn)]
    fresh = AskForm(plugin=plugin, initial={**_next_form_values(form), "earlier": _join_ids(asked)})
    shown = [*make_turns(before, user=user), *(turn for turn in turns if turn)]
    return _render_sandbox(request, plugin, form=fresh, turns=shown)


def _check_question(request: HttpRequest, form: AskForm) -> None:
    """Raises `InvalidQuestion` for what the form does not allow, `UserRateLimited` where a person asks too often."""
    if not form.is_valid():
        raise InvalidQuestion(form.first_error)
    assert isinstance(request.user, User)
    check_user_limit(request.user)


def _retry_after(error: LexicError) -> dict[str, str]:
    return {"Retry-After": str(error.retry_after)} if isinstance(error, UserRateLimited) else {}


def _next_form_values(form: AskForm) -> dict[str, Any]:
    """What stays in the form after an answer: everything but the question."""
    dropped = {"question", "token", "answer", "earlier"}
    return {name: form.data.get(name, "") for name in form.fields if name not in dropped}


def _earlier_turns(request: HttpRequest, plugin: Plugin, form: AskForm) -> list[SandboxTurn]:
    assert isinstance(request.user, User)
    ids = parse_query_ids(form.data.get("earlier", ""))
    return make_turns(own_queries(ids, plugin=plugin, user=request.user), user=request.user)


def _join_ids(queries: Sequence[Query]) -> str:
    return ",".join(str(query.pk) for query in queries[-MAX_TURNS:])


def _turn_context(request: HttpRequest, plugin: Plugin) -> dict[str, Any]:
    """What every turn needs to know of the page around it."""
    return {
        "plugin": plugin,
        "user": request.user,
        "may_change": may_edit_plugin(request, plugin),
        "earlier": request.POST.get("earlier", ""),
        # The turn of a stream is rendered when the request is over, and has forms as well.
        "csrf_token": get_token(request),
    }


def _finished_turn(asked: question_run.QuestionRun, *, context: dict[str, Any]) -> SandboxTurn | None:
    """The finished turn; None in the rare case that its audit row could not be written."""
    pk: UUID = asked.question.id
    query = Query.objects.filter(pk=pk).first()
    if query is None:
        return None
    (turn,) = make_turns([query], user=context["user"])
    return replace(turn, **live_turn_details(asked, user=context["user"], may_change=context["may_change"]))


def _turn_event(asked: question_run.QuestionRun, *, context: dict[str, Any]) -> dict[str, str]:
    """What the page without JavaScript shows as well."""
    turn = _finished_turn(asked, context=context)
    html = render_to_string("builder/sandbox/turn.html", {**context, "turn": turn}) if turn else ""
    return {"type": "turn", "id": str(asked.question.id), "html": html}


def _render_sandbox(
    request: HttpRequest,
    plugin: Plugin,
    *,
    form: AskForm,
    turns: list[SandboxTurn],
    error: LexicError | None = None,
) -> HttpResponse:
    starters = [] if turns else plugin.golden_questions.order_by("pk")[:_STARTER_QUESTIONS]
    context = {"form": form, "turns": turns, "error": error, "starters": starters}
    page = render_pane(
        request, plugin, "sandbox", "builder/sandbox/pane.html", {**_turn_context(request, plugin), **context}
    )
    page.status_code = error.status if error else 200
    return page
