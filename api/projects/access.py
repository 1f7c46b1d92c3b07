"""The project that an address names, among those that the caller may see. Anything else is a 404."""

from __future__ import annotations

from uuid import UUID

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from api.authentication import get_principal
from api.knowledge.access import PrivateDocumentAccess
from conversations.models import Project
from conversations.projects.access import find_own_project, find_project


def get_project(request: Request, pk: UUID, *, for_reading: bool = False) -> Project:
    """The project with the caller's `role`. The caller may see it, or change it where the method does.

    `for_reading`: this POST changes nothing of it. Raises `UnknownProject`, `ReadOnlyProject`.
    """
    changes = request.method not in SAFE_METHODS and not for_reading
    return find_project(get_principal(request), pk, for_editing=changes)


def get_own_project(request: Request, pk: UUID) -> Project:
    """The project, for what its owner alone may do. Raises `NotProjectOwner`, and what `get_project` raises."""
    return find_own_project(get_principal(request), pk)


def project_documents(request: Request, pk: UUID) -> PrivateDocumentAccess:
    """Its documents as the caller sees them. Raises `UnknownProject`, `ReadOnlyProject`."""
    project = get_project(request, pk)
    address = f"/api/projects/{project.pk}/documents"
    return PrivateDocumentAccess(base=project.knowledge_base, address=address, is_editor=project.role != "viewer")
