"""The page of one project: its documents, the person's conversations in it, and its members for its owner."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from conversations.models import ChatSession
from workspace.document_collection import DocumentCollection, add_forms_context, documents_context
from workspace.document_search import search_context
from workspace.forms import ROLES, MemberForm, ProjectForm
from workspace.page_base import render_page

_MAX_CONVERSATIONS = 20


def render_project(
    request: SignedInRequest, place: DocumentCollection, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """The page; `forms` stand in for the empty ones where something in them was wrong."""
    project = place.project
    assert project is not None
    context = {
        "project": project,
        "project_form": ProjectForm(user=request.user, project=project),
        "conversations": ChatSession.objects.private_to(request.user).filter(project=project)[:_MAX_CONVERSATIONS],
        **documents_context(request, place),
        **add_forms_context(),
        **search_context(request, place),
    }
    if project.role == "owner":
        context["members"] = project.knowledge_base.members.all()
        context["member_form"] = MemberForm(owner=project.owner)
        context["roles"] = ROLES
    return render_page(request, "workspace/project.html", {**context, **forms}, section="projects", status=status)
