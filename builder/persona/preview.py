"""A question to the persona as it stands in the form, before it is saved."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.panes import HtmxRequest, may_edit_plugin
from builder.persona.draft import draft_as_written
from builder.sandbox.turns import make_live_turn
from lexic.errors import LexicError
from lexic.http.parameters import single_line
from plugins.models import Plugin
from querying.forms import MAX_QUESTION_CHARACTERS
from querying.presentation.question_run import run_to_end
from querying.question.user_limits import check_user_limit
from querying.types.question import Caller, Question


def try_persona(request: HtmxRequest, plugin: Plugin) -> HttpResponse:
    """The answer that the draft would give with what stands in the form now. Nothing is saved; the question is logged
    like one of the sandbox, which is where the form leads without a script."""
    question = single_line(request.POST.get("question", ""), max_length=MAX_QUESTION_CHARACTERS)
    if not request.htmx:
        address = reverse("admin:builder_sandbox", args=[plugin.pk], query={"question": question})
        return HttpResponseRedirect(address)
    if not question:
        return render(request, "builder/_persona_answer.html", {"problem": "Type a question first."})
    try:
        return _answer(request, plugin, question)
    except LexicError as error:
        return render(request, "builder/_persona_answer.html", {"problem": error.message_with_hint})


def _answer(request: SignedInRequest, plugin: Plugin, question: str) -> HttpResponse:
    user = request.user
    check_user_limit(user)
    caller = Caller(name=f"user:{user.pk}", user_id=user.pk)
    run = run_to_end(Question(text=question, release=draft_as_written(plugin, request.POST), caller=caller))
    turn = make_live_turn(run, user=user, may_change=may_edit_plugin(request, plugin))
    context = {
        "turn": turn,
        "plugin": plugin,
        "problem": "" if turn else "The answer could not be recorded. Ask again.",
    }
    return render(request, "builder/_persona_answer.html", context)
