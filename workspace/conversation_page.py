"""The page of a private conversation: its turns, the run that is at work, and the form to go on with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest, signed_in_user
from agents.asked_release import default_plugin
from agents.journal import may_read_content
from agents.models import AgentRun
from agents.progress import Progress
from conversations.chat_page import present_turns
from conversations.exchanges import exchanges_of
from conversations.models import ChatSession, Project
from conversations.user_documents import Scope, private_bases
from knowledge.models import Document, DocumentStatus
from lexic.errors import LexicError
from plugins.models import Plugin
from workspace.forms import MessageForm, TitleForm
from workspace.pages import render_page
from workspace.run_labels import running_label

_MAX_EXAMPLES, _MAX_PLUGINS = 3, 50


@dataclass(frozen=True, kw_only=True)
class RunningTurn:
    """A run that is at work: its steps so far, each with its milliseconds (None: it is being made), and the text that
    was written. `is_interrupted`: its process is gone, and another one takes it up."""

    run: AgentRun
    steps: tuple[tuple[str, int | None], ...]
    text: str
    is_interrupted: bool


def render_conversation(
    request: SignedInRequest,
    session: ChatSession | None,
    *,
    project: Project | None = None,
    text: str = "",
    title_form: TitleForm | None = None,
    error: LexicError | None = None,
) -> HttpResponse:
    """The conversation, or the beginning of one (None) in this project. `error` says why `text` was not sent; it stands
    in the box. `title_form` stands in for the empty one where something in it was wrong."""
    user = request.user
    project = session.project if session and session.open_project else None if session else project
    running = _running_turn(session, user) if session else None
    exchanges = exchanges_of(session, reader=user) if session else []
    plugin = default_plugin(user, project=project, session=session)
    context = {
        "session": session,
        "project": project,
        "turns": present_turns(exchanges, viewer=user),
        "running": running,
        "running_id": exchange_id(running.run) if running else None,
        "title_form": title_form or TitleForm(initial={"title": session.title if session else ""}),
        "ask_url": reverse("ask"),
        "asked_plugin": plugin,
        "plugins": [] if plugin else Plugin.objects.visible_to(user).order_by("-updated_at")[:_MAX_PLUGINS],
        "examples": [] if exchanges else _examples(user, project),
        "text": text,
        "most_characters": MessageForm.MAX_CHARACTERS,
    }
    status = 400 if title_form else 200
    return render_page(request, "workspace/conversation.html", context, section="chats", error=error, status=status)


def exchange_id(run: AgentRun) -> UUID:
    """The id of the exchange (`conversations.exchanges`) that the run answers."""
    return run.message.query_id or run.message.uuid


def render_turn(request: HttpRequest, session: ChatSession, asked: UUID) -> str:
    """The HTML of one exchange, for when the run is over; a question back has a form of its own."""
    user = signed_in_user(request)
    [turn] = present_turns([one for one in exchanges_of(session, reader=user) if one.id == asked], viewer=user)
    context: dict[str, Any] = {
        "turn": turn,
        "session": session,
        "ask_url": reverse("ask"),
        "csrf_token": get_token(request),
    }
    return render_to_string("conversations/_turn.html", context)


def _running_turn(session: ChatSession, user: User) -> RunningTurn | None:
    run = AgentRun.objects.running().filter(session=session).select_related("message", "session__project").first()
    if run is None:
        return None
    progress = Progress.read(run.events.order_by("number"))
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
    )


def _examples(user: User, project: Project | None) -> list[str]:
    """Questions to begin with, by the titles of the documents that came in last."""
    bases = private_bases(user, scope=Scope.PROJECT if project else Scope.PERSONAL, project=project)
    documents = Document.objects.present().filter(knowledge_base__in=bases, status=DocumentStatus.READY)
    titles = documents.filter(is_template=False).order_by("-created_at").values_list("title", flat=True)
    return [f"What does “{title}” say?" for title in titles[:_MAX_EXAMPLES]]
