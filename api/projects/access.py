"""The project that an address names, among those that the caller may see. Anything else is a 404."""

from __future__ import annotations

from uuid import UUID

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from api.authentication import get_principal
from api.knowledge.access import PrivateDocumentAccess
from api.views import first_or_raise
from conversations.models import Project
from lexic.errors import NotAllowed, NotFound


class NoSuchProject(NotFound):
    """There is no such project among yours."""

    code = "unknown_project"


class ReadOnlyProject(NotAllowed):
    """You may look at this project, and not change it."""

    code = "read_only"
    hint = "Ask its owner to make you an editor."


class NotProjectOwner(NotAllowed):
    """Only the owner of the project may do this."""

    code = "only_its_owner"


def get_project(request: Request, pk: UUID, *, for_reading: bool = False) -> Project:
    """The project with the caller's `role`. The caller may see it, or change it where the method does.

    `for_reading`: this POST changes nothing of it. Raises `NoSuchProject`, `ReadOnlyProject`.
    """
    principal = get_principal(request)
    project = first_or_raise(Project.objects.visible_to(principal).as_seen_by(principal).filter(pk=pk), NoSuchProject)
    changes = request.method not in SAFE_METHODS and not for_reading
    if changes and project.role == "viewer":
        raise ReadOnlyProject
    return project


def get_own_project(request: Request, pk: UUID) -> Project:
    """The project, for what its owner alone may do. Raises `NotProjectOwner`, and what `get_project` raises."""
    project = get_project(request, pk)
    if project.role != "owner":
        raise NotProjectOwner
    return project


def project_documents(request: Request, pk: UUID) -> PrivateDocumentAccess:
    """Its documents as the caller sees them. Raises `NoSuchProject`, `ReadOnlyProject`."""
    project = get_project(request, pk)
    address = f"/api/projects/{project.pk}/documents"
    return PrivateDocumentAccess(base=project.knowledge_base, address=address, is_editor=project.role != "viewer")
