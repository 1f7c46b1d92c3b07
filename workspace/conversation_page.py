"""The page of a private conversation: its turns, the running run, and the form for the next message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest, signed_in_user
from agents.journal.progress import Progress
from agents.journal.read_access import UnknownRun, may_read_content
from agents.messages.choose_release import default_plugin
from agents.messages.send_message import MAX_ATTACHED_CHARACTERS, MAX_ATTACHMENTS, MODEL_NAMES
from agents.models import AgentRun
from conversations.exchanges import exchanges_of
from conversations.models import ChatSession, Project
from lexic.errors import LexicError
from workspace.conversation_start import attachable_documents, conversation_examples
from workspace.conversation_turns import conversation_turns
from workspace.forms import TitleForm, plugin_choices
from workspace.page_base import render_page
from workspace.run_labels import running_label

# The panel beside each answer.
PANEL = "workspace/_panel.html"


@dataclass(frozen=True, kw_only=True)
class UnsentMessage:
    """The content of the form: a message that was not sent, or documents that were chosen on another page."""

    text: str = ""
    documents: tuple[UUID, ...] = ()
    text_name: str = ""
    pasted: str = ""
    thinks: bool = False
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class RunningTurn:
    """A run in progress: its steps so far with their milliseconds (None while a step runs), and the text written so
    far. `is_interrupted`: its process has ended, and another one will resume it. `last_event` is the number of the
    newest event."""

    run: AgentRun
    steps: tuple[tuple[str, int | None], ...]
    text: str
    is_interrupted: bool
    last_event: int


def render_conversation(
    request: SignedInRequest,
    session: ChatSession | None,
    *,
    project: Project | None = None,
    kept: UnsentMessage | None = None,
    title_form: TitleForm | None = None,
    error: LexicError | None = None,
) -> HttpResponse:
    """Renders the conversation, or the page for beginning one in this project (None). `error` says why the message in
    `kept` was not sent. `title_form` replaces the empty form if its input was invalid."""
    user = request.user
    project = session.project if session and session.open_project else None if session else project
    running = _running_turn(session, user) if session else None
    exchanges = exchanges_of(session, reader=user) if session else []
    plugin = default_plugin(user, project=project, session=session)
    kept = kept or UnsentMessage()
    context = {
        "session": session,
        "project": project,
        "turns": conversation_turns(session, exchanges, viewer=user) if session else [],
        "running": running,
        "running_id": exchange_id(running.run) if running else None,
        "title_form": title_form or TitleForm(initial={"title": session.title if session else ""}),
        "ask_url": reverse("ask"),
        "asked_plugin": plugin,
        "plugins": [] if plugin else plugin_choices(user),
        "examples": [] if exchanges else conversation_examples(user, project=project, plugin=plugin),
        "kept": kept,
        "attachable": attachable_documents(user, project=project, chosen=kept.documents),
        "most_attachments": MAX_ATTACHMENTS,
        "most_attached": MAX_ATTACHED_CHARACTERS,
        "has_model": settings.LEXIC_LLM != "extractive",
        "models": [name for name in MODEL_NAMES if settings.AGENTS.models.get(name)],
        "beside": PANEL,
    }
    status = 400 if title_form else 200
    return render_page(request, "workspace/conversation.html", context, section="chats", error=error, status=status)


def find_run(user: User, session: ChatSession, pk: UUID) -> AgentRun:
    """The run of this conversation, with its message. Raises `UnknownRun`."""
    runs = AgentRun.objects.visible_to(user).select_related("message", "session")
    found = runs.filter(session=session, pk=pk).first()
    if found is None:
        raise UnknownRun
    return found


def exchange_id(run: AgentRun) -> UUID:
    """The id of the exchange (`conversations.exchanges`) that the run answers."""
    return run.message.query_id or run.message.uuid


def render_turn(request: HttpRequest, session: ChatSession, asked: UUID) -> str:
    """The HTML of one exchange, shown when the run is over. A clarification has a form of its own."""
    user = signed_in_user(request)
    exchanges = exchanges_of(session, reader=user)
    last = next(number for number, one in enumerate(exchanges) if one.id == asked)
    turn = conversation_turns(session, exchanges[max(0, last - 1) : last + 1], viewer=user)[-1]
    context: dict[str, Any] = {
        "turn": turn,
        "session": session,
        "ask_url": reverse("ask"),
        "csrf_token": get_token(request),
        "beside": PANEL,
    }
    return render_to_string("conversations/_turn.html", context)


def _running_turn(session: ChatSession, user: User) -> RunningTurn | None:
    run = AgentRun.objects.running().filter(session=session).select_related("message", "session__project").first()
    if run is None:
        return None
    events = list(run.events.order_by("number"))
    progress = Progress.read(events)
    may_read = may_read_content(run, user)
    calls = [call for call in progress.calls if call.id in progress.started]
    return RunningTurn(
        run=run,
        steps=tuple(
            (running_label(call.tool), progress.finished[call.id].ms if call.id in progress.finished else None)
            for call in calls
        ),
        text=progress.text if may_read else "",
        is_interrupted=run.is_interrupted,
        last_event=events[-1].number if events else 0,
    )
