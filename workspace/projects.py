"""`/projects`: a person's projects, and those that they were let into."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect

from accounts.signed_in_request import SignedInRequest
from conversations.models import ChatSession, Project
from conversations.projects.access import UnknownProject, find_own_project, find_shared_project
from knowledge.models import BaseMember
from lexic.errors import LexicError
from lexic.http.parameters import get_page
from privacy.project_deletion import delete_project, project_deletion
from workspace.document_collection import DocumentCollection, find_place, with_place
from workspace.forms import MemberForm, ProjectForm
from workspace.page_base import render_page, workspace_view
from workspace.project_page import render_project

_PER_PAGE = 30


@workspace_view("GET", "POST")
def list_projects(request: SignedInRequest) -> HttpResponse:
    """GET: the list. POST: make a project, and go to it."""
    form = ProjectForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        try:
            made = Project.objects.create_with_base(owner=request.user, **form.cleaned_data)
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            return redirect("project", made.pk)
    projects = Project.objects.visible_to(request.user).as_seen_by(request.user).order_by("-updated_at", "pk")
    context = {"page": get_page(request, projects, per_page=_PER_PAGE), "form": form}
    status = 400 if form.errors else 200
    return render_page(request, "workspace/projects.html", context, section="projects", status=status)


@workspace_view("GET", "POST")
@with_place
def show_project(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    """GET: the project. POST: save its name, description and plugin."""
    if request.method != "POST":
        return render_project(request, place)
    assert place.project is not None
    form = ProjectForm(request.POST, user=request.user, project=place.project)
    if not form.is_valid():
        return render_project(request, place, status=400, project_form=form)
    changed = {name: form.cleaned_data[name] for name in form.changed_data}
    if not place.project.change(**changed):
        raise UnknownProject
    messages.success(request, "Saved.")
    return redirect("project", place.project.pk)


@workspace_view("GET", "POST")
def remove_project(request: SignedInRequest, project: UUID) -> HttpResponse:
    """Says what goes with it; then, when that is confirmed, deletes it. Only its owner may."""
    found = find_own_project(request.user, project)
    if request.method == "POST":
        delete_project(found)
        messages.success(request, f"“{found}” is deleted.")
        return redirect("projects")
    context = {"project": found, "deletion": project_deletion(found)}
    return render_page(request, "workspace/delete_project.html", context, section="projects")


@workspace_view("GET", "POST")
def leave_project(request: SignedInRequest, project: UUID) -> HttpResponse:
    """Says what a member gives up; then, when that is confirmed, takes them off the project."""
    found = find_shared_project(request.user, project)
    if request.method == "POST":
        found.remove_person(request.user)
        messages.success(request, f"You have left “{found}”.")
        return redirect("projects")
    conversations = ChatSession.objects.private_to(request.user).filter(project=found).count()
    context = {"project": found, "conversations": conversations}
    return render_page(request, "workspace/leave_project.html", context, section="projects")


@workspace_view("POST")
def save_member(request: SignedInRequest, project: UUID) -> HttpResponse:
    """Lets an address in, or gives it another role. It says the same whether anybody has the address."""
    found = find_own_project(request.user, project)
    form = MemberForm(request.POST, owner=found.owner)
    if form.is_valid():
        try:
            found.set_member(form.cleaned_data["email"], form.cleaned_data["role"])
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            messages.success(request, f"{form.cleaned_data['email']} can now open the project.")
            return _to_members(found)
    place = find_place(request.user, project, for_editing=True)
    return render_project(request, place, status=400, member_form=form)


@workspace_view("POST")
def remove_member(request: SignedInRequest, project: UUID) -> HttpResponse:
    """Takes an address off the project."""
    found = find_own_project(request.user, project)
    member = BaseMember.objects.filter(knowledge_base=found.knowledge_base_id)
    address = request.POST.get("email", "")[:254]
    if member.for_address(address).exists():
        found.remove_member(address)
        messages.success(request, f"{address} can no longer open the project.")
    return _to_members(found)


def _to_members(project: Project) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{redirect('project', project.pk).url}#members-title")
