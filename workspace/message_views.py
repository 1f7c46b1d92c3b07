"""A message in a private conversation: it begins a run, whose events come as they are written, or as a page."""

from __future__ import annotations

import time
from uuid import UUID, uuid4

from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from agents.execution import background_runs
from agents.messages.send_message import DEFAULT_THINKING_TOKENS, MAX_MESSAGE_CHARACTERS, SentMessage, send_message
from agents.models import AgentRun
from conversations.conversation_access import find_conversation
from conversations.models import ChatSession, Project
from lexic.database import release_connections
from lexic.errors import LexicError
from lexic.middleware.request_limit import free_request_slot
from querying.presentation import sse
from querying.presentation.web_requests import error_response, wants_event_stream
from querying.question.user_limits import check_user_limit
from workspace.conversation_page import UnsentMessage, exchange_id, find_run, render_conversation
from workspace.forms import MessageForm
from workspace.page_base import workspace_view
from workspace.run_stream import stream_run

# Seconds that a browser without a script waits for the answer; then it gets the page that asks again by itself.
_MAX_WAIT = 45.0
_POLL_SECONDS = 0.2
# Longer than it takes to end a run whose process has died.
_STOP_WAIT = 5.0


@workspace_view("GET", "POST")
def ask(request: SignedInRequest) -> HttpResponseBase:
    """Begins a run. Events where the caller accepts them, else the conversation's page once the answer is there. What
    is wrong before the first event is plain JSON, or the page with the message kept."""
    if request.method != "POST":  # reloaded, or opened from somewhere
        return redirect("chats")
    form = MessageForm(request.POST)
    with release_connections():
        try:
            run = _begin(request.user, form)
        except LexicError as error:
            return error_response(request, error, render_page=lambda error: _error_page(request, form, error))
    url = reverse("conversation", args=[run.session_id])
    if wants_event_stream(request):
        response = sse.event_stream_response(stream_run(request, run))
        response["Content-Location"] = url
        return response
    wait_for_end(run, seconds=_MAX_WAIT)
    return HttpResponseRedirect(f"{url}#turn-{exchange_id(run)}", status=303)


@workspace_view("GET")
def follow(request: SignedInRequest, conversation: UUID, run: UUID) -> HttpResponseBase:
    """The events of a run from the first on, for a page that was opened while it works."""
    with release_connections():
        found = find_run(request.user, find_conversation(request.user, conversation), run)
    return sse.event_stream_response(stream_run(request, found))


@workspace_view("POST")
def stop(request: SignedInRequest, conversation: UUID) -> HttpResponse:
    """Has the run of the conversation stop within two seconds. What was written is kept."""
    session = find_conversation(request.user, conversation)
    for run in AgentRun.objects.running().filter(session=session):
        background_runs.stop(run)
        wait_for_end(run, seconds=_STOP_WAIT)
    return redirect("conversation", session.pk)


def wait_for_end(run: AgentRun, *, seconds: float) -> None:
    """Returns when the run has ended, or after so many seconds."""
    free_request_slot()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with release_connections():
            if not AgentRun.objects.running().filter(pk=run.pk).exists():
                return
        time.sleep(_POLL_SECONDS)


def _begin(user: User, form: MessageForm) -> AgentRun:
    """The run of this message, at work. Raises what stands in its way."""
    form.check()
    said = form.cleaned_data
    check_user_limit(user)
    conversation = said["session"] or None
    sent = SentMessage(
        text=form.message,
        conversation=conversation,
        project=None if conversation else said["project"] or None,
        plugin=said["plugin"] or None,
        documents=form.documents,
        texts=form.texts,
        model=said["model"],
        thinks=said["thinks"],
        thinking_tokens=DEFAULT_THINKING_TOKENS if said["thinks"] else 0,
    )
    return send_message(sent, principal=user)


def _error_page(request: SignedInRequest, form: MessageForm, error: LexicError) -> HttpResponse:
    """The page of the conversation that the form belongs to, or of a new one, with the message kept."""
    user, said = request.user, form.cleaned_data
    session = ChatSession.objects.private_to(user).select_related("project").filter(pk=said.get("session") or uuid4())
    project = Project.objects.visible_to(user).filter(pk=said.get("project") or uuid4())
    kept = UnsentMessage(
        text=request.POST.get("question", "")[:MAX_MESSAGE_CHARACTERS],
        documents=form.documents,
        text_name=said.get("text_name", ""),
        pasted=said.get("text", ""),
        thinks=said.get("thinks", False),
        model=said.get("model", ""),
    )
    return render_conversation(request, session.first(), project=project.first(), kept=kept, error=error)
