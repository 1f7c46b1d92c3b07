"""The pane, and the address that questions are posted to: a stream for the script, a whole page for everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.panes import may_edit_plugin, render_pane
from builder.sandbox.conversation import make_question, own_queries
from builder.sandbox.forms import MAX_TURNS, AskForm, parse_query_ids
from builder.sandbox.turns import SandboxTurn, make_live_turn, make_turns
from evaluation.golden.propose_questions import questions_to_try
from lexic.database import release_connections
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.models import Query
from querying.presentation import question_run, sse
from querying.presentation.web_requests import error_response, wants_event_stream, with_status_of
from querying.question.user_limits import check_user_limit

_STARTER_QUESTIONS = 3
# What the form does not keep after an answer.
_NOT_KEPT = {"question", "token", "answer", "earlier"}


@require_GET
def show_sandbox(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The conversation whose queries the address names; without any, a new one."""
    queries = _named_queries(request.GET.get("turns", ""), plugin, request.user)
    initial = {name: request.GET[name] for name in ("question", "facts") if name in request.GET}
    initial |= {"version": request.GET.get("version", "draft"), "earlier": _join_ids(queries)}
    form = AskForm(plugin=plugin, initial=initial)
    return _render_sandbox(request, plugin, form=form, turns=make_turns(queries, user=request.user))


@require_POST
def ask_question(request: SignedInRequest, plugin: Plugin) -> HttpResponseBase:
    """Answers as server-sent events where the caller accepts them; errors before the first event are plain JSON."""
    user, form = request.user, AskForm(request.POST, plugin=plugin)

    def render_error(error: LexicError) -> HttpResponse:
        turns = make_turns(_named_queries(form.data.get("earlier", ""), plugin, user), user=user)
        return _render_sandbox(request, plugin, form=form, turns=turns, error=error)

    try:
        if wants_event_stream(request):
            return _stream_answer(request, plugin, form, user)
        return _answer_page(request, plugin, form, user)
    except LexicError as error:
        return error_response(request, error, render_page=render_error)


def _stream_answer(request: SignedInRequest, plugin: Plugin, form: AskForm, user: User) -> HttpResponseBase:
    with release_connections():
        form.check()
        check_user_limit(user)
        question = make_question(form, plugin=plugin, user=user, version=form.cleaned_data["version"])
        context = _turn_context(request, plugin)

    def build_final_event(run: question_run.QuestionRun) -> dict[str, str]:
        """What the page without JavaScript shows as well."""
        turn = make_live_turn(run, user=user, may_change=context["may_change"])
        html = render_to_string("builder/sandbox/turn.html", {**context, "turn": turn}) if turn else ""
        return {"type": "turn", "id": str(run.question.id), "html": html}

    return sse.event_stream_response(
        question_run.stream_with_final_event(question, build_final_event=build_final_event)
    )


def _answer_page(request: SignedInRequest, plugin: Plugin, form: AskForm, user: User) -> HttpResponse:
    """Everything on one page: the turns before, the answer, and beside it that of the version to compare with."""
    form.check()
    check_user_limit(user)
    fields, may_change = form.cleaned_data, may_edit_plugin(request, plugin)
    versions = dict.fromkeys([fields["version"], fields["other"] or fields["version"]])
    questions = [make_question(form, plugin=plugin, user=user, version=version) for version in versions]
    runs = [question_run.run_to_end(question) for question in questions]
    turns = [turn for run in runs if (turn := make_live_turn(run, user=user, may_change=may_change))]
    before = own_queries(fields["earlier"], plugin=plugin, user=user)
    kept = {name: form.data.get(name, "") for name in form.fields if name not in _NOT_KEPT}
    kept["earlier"] = _join_ids([*before, *(turn.query for turn in turns[:1])])
    next_form = AskForm(plugin=plugin, initial=kept)
    page = _render_sandbox(request, plugin, form=next_form, turns=[*make_turns(before, user=user), *turns])
    return with_status_of(runs[0], page)


def _named_queries(ids: str, plugin: Plugin, user: User) -> list[Query]:
    return own_queries(parse_query_ids(ids), plugin=plugin, user=user)


def _join_ids(queries: Sequence[Query]) -> str:
    return ",".join(str(query.pk) for query in queries[-MAX_TURNS:])


def _turn_context(request: SignedInRequest, plugin: Plugin) -> dict[str, Any]:
    """What every turn needs to know of the page around it."""
    return {
        "plugin": plugin,
        "user": request.user,
        "may_change": may_edit_plugin(request, plugin),
        "earlier": request.POST.get("earlier", ""),
        # The turn of a stream is rendered when the request is over, and has forms as well.
        "csrf_token": get_token(request),
    }


def _render_sandbox(
    request: SignedInRequest,
    plugin: Plugin,
    *,
    form: AskForm,
    turns: list[SandboxTurn],
    error: LexicError | None = None,
) -> HttpResponse:
    starters = [] if turns else questions_to_try(plugin, count=_STARTER_QUESTIONS)
    context = {"form": form, "turns": turns, "error": error, "starters": starters}
    return render_pane(
        request, plugin, "sandbox", "builder/sandbox/pane.html", {**_turn_context(request, plugin), **context}
    )
