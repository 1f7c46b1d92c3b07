"""The pages of one run: how its answer came about, and the draft that it made, to be saved."""

from __future__ import annotations

from itertools import chain, count
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from agents.journal.read_access import UnknownRun, may_read_content
from agents.models import AgentRun
from conversations.conversation_access import find_conversation
from conversations.models import ChatSession, Project
from knowledge.models import BaseKind, Document, KnowledgeBase
from knowledge.personal_knowledge_base import personal_knowledge_base
from workspace.conversation_page import exchange_id, find_run
from workspace.forms import DraftForm
from workspace.page_base import render_page, workspace_view
from workspace.run_diagram import run_flow
from workspace.run_results import draft_of


@workspace_view("GET")
def show_flow(request: SignedInRequest, conversation: UUID, run: UUID) -> HttpResponse:
    """The diagram, as a page, or alone for a page that is open already."""
    session, found = _readable_run(request.user, conversation, run)
    flow = run_flow(found, found.events.order_by("number"))
    context = {"session": session, "run": found, "flow": flow}
    if "HX-Request" in request.headers:
        return render(request, "workspace/_flow.html", context)
    return render_page(request, "workspace/flow.html", context, section="chats")


@workspace_view("GET", "POST")
def save_draft(request: SignedInRequest, conversation: UUID, run: UUID) -> HttpResponse:
    """GET: the draft, to be read and changed. POST: it becomes a document of the project, or of the person."""
    session, found = _readable_run(request.user, conversation, run)
    draft = draft_of(found.pk)
    if draft is None:
        raise UnknownRun
    project = _editable_project(session, request.user)
    data = request.POST if request.method == "POST" else None
    form = DraftForm(
        data, project=project, initial={"title": _free_title(draft.title, request.user), "text": draft.text}
    )
    if form.is_valid():
        is_of_project = project is not None and form.cleaned_data["place"] == DraftForm.PROJECT
        base = project.knowledge_base if project and is_of_project else personal_knowledge_base(request.user)
        if form.add_to(base):
            messages.success(request, f"The draft is saved in {project if is_of_project else 'My documents'}.")
            return HttpResponseRedirect(f"{reverse('conversation', args=[session.pk])}#turn-{exchange_id(found)}")
    context = {"session": session, "run": found, "form": form}
    status = 400 if form.errors else 200
    return render_page(request, "workspace/save_draft.html", context, section="chats", status=status)


def _readable_run(user: User, conversation: UUID, pk: UUID) -> tuple[ChatSession, AgentRun]:
    """The run with its conversation. Raises `UnknownConversation`, `UnknownRun`, the latter also where it read what the
    person can open no longer."""
    session = find_conversation(user, conversation)
    found = find_run(user, session, pk)
    if not may_read_content(found, user):
        raise UnknownRun
    return session, found


def _editable_project(session: ChatSession, user: User) -> Project | None:
    return Project.objects.editable_by(user).filter(pk=session.project_id).first() if session.project_id else None


def _free_title(title: str, user: User) -> str:
    """The title, with a number where a private document that the person can open is called so: under the same title a
    text would become a newer version of that one."""
    bases = KnowledgeBase.objects.visible_to(user).exclude(kind=BaseKind.PLUGIN)
    like = Document.objects.present().filter(knowledge_base__in=bases.values("pk"), title__startswith=title)
    taken = set(like.values_list("title", flat=True))
    numbered = chain([title], (f"{title} ({number})" for number in count(2)))
    return next(one for one in numbered if one not in taken)
