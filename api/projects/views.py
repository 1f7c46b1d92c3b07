"""`/api/projects`: the documents of one matter, and who works on it."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Principal
from api.authentication import get_principal
from api.documents import serializers as documents
from api.etags import etag_response, make_etag, require_match
from api.fields import validated
from api.knowledge.document_views import NEW_DOCUMENT_SCHEMA, PrivateDocumentListView, PrivateDocumentView
from api.pagination import page_response
from api.projects import serializers
from api.projects.access import get_own_project, get_project, project_documents
from api.views import PrivateView, first_or_raise
from conversations.models import Project
from conversations.projects.access import NotProjectOwner, UnknownProject
from knowledge.models import KnowledgeBase
from privacy.project_deletion import delete_project
from querying.releases import find_plugin


class ProjectsView(PrivateView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.ProjectSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your projects, and those that you were let into, the newest first."""
        projects = Project.objects.visible_to(self.principal).as_seen_by(self.principal)
        return page_response(self, projects, serializers.ProjectSerializer)

    @extend_schema(request=serializers.NewProjectSerializer, responses={201: serializers.ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Make a project with a knowledge base of its own. A key needs the capability to author."""
        maker = self.get_maker()
        fields = _project_fields(serializers.NewProjectSerializer(data=request.data), principal=self.principal)
        project = Project.objects.create_with_base(owner=maker, **fields)
        response = _project_response(request, _project_as_seen(request, project.pk), status=201)
        response["Location"] = f"/api/projects/{project.pk}"
        return response


class ProjectView(PrivateView):
    @extend_schema(responses=serializers.ProjectSerializer)
    def get(self, request: Request, project: UUID) -> Response:
        """One project."""
        return _project_response(request, get_project(request, project))

    @extend_schema(request=serializers.ProjectChangeSerializer, responses=serializers.ProjectSerializer)
    def patch(self, request: Request, project: UUID) -> Response:
        """Change its name, its description, or the plugin that its conversations ask (null: none). Only its owner
        changes the plugin."""
        found = get_project(request, project)
        fields = _project_fields(serializers.ProjectChangeSerializer(data=request.data), principal=self.principal)
        if "plugin" in fields and found.role != "owner":
            raise NotProjectOwner
        with transaction.atomic():
            _lock_version(request, found.pk)
            if not found.change(**fields):
                raise UnknownProject
        return _project_response(request, _project_as_seen(request, found.pk))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, project: UUID) -> Response:
        """Delete it with its documents and everybody's conversations in it. Only its owner may."""
        found = get_own_project(request, project)
        with transaction.atomic():
            delete_project(_lock_version(request, found.pk))
        return Response(status=204)


class ProjectMembersView(PrivateView):
    @extend_schema(request=serializers.ProjectMembersSerializer, responses=serializers.ProjectSerializer)
    def put(self, request: Request, project: UUID) -> Response:
        """Say who opens the project beside you; whoever is not named is removed. Only its owner may.

        An address counts once somebody has confirmed it here. The answer is the same whether anybody has. The ETag is
        that of the project.
        """
        found = get_own_project(request, project)
        members = serializers.ProjectMembersSerializer(data=request.data)
        validated(members)
        with transaction.atomic():
            _lock_version(request, found.pk)
            found.set_members(members.roles)
        return _project_response(request, _project_as_seen(request, found.pk))


def _project_fields(body: serializers.NewProjectSerializer, *, principal: Principal) -> dict[str, Any]:
    """The columns that a body sets. Raises `ValidationError`, `UnknownPlugin`."""
    fields = validated(body)
    if fields.get("plugin") is not None:
        fields["plugin"] = find_plugin(fields["plugin"], principal=principal)
    return fields


def _lock_version(request: Request, pk: UUID) -> Project:
    """The project, whose columns and members stay as they are until the transaction ends. Raises `UnknownProject`,
    `PreconditionFailed`."""
    rows = Project.objects.select_for_update(of=("self",), no_key=True).filter(pk=pk)
    locked = first_or_raise(rows, UnknownProject)
    KnowledgeBase.objects.select_for_update(no_key=True).get(pk=locked.knowledge_base_id)
    shown = _project_as_seen(request, pk)
    require_match(request, _etag(serializers.ProjectSerializer(shown).data))
    return locked


def _project_as_seen(request: Request, pk: UUID) -> Project:
    """Raises `UnknownProject` where it has been deleted meanwhile."""
    return first_or_raise(Project.objects.as_seen_by(get_principal(request)).filter(pk=pk), UnknownProject)


def _project_response(request: Request, project: Project, *, status: int = 200) -> Response:
    data = serializers.ProjectSerializer(project).data
    return etag_response(request, data, etag=_etag(data), status=status)


def _etag(data: Any) -> str:
    """An ETag of everything that is shown, because other people change the documents and the plugin's name."""
    return make_etag(json.dumps(data, sort_keys=True, default=str))


# --- Its documents ------------------------------------------------------------------------------------------


class ProjectDocumentsView(PrivateDocumentListView):
    @extend_schema(parameters=[documents.DocumentsParameters], responses=documents.DocumentsSerializer)
    def get(self, request: Request, project: UUID) -> Response:
        """Its documents, the newest first; `counts` tells how far they have come."""
        return self.list_documents(project_documents(request, project))

    @extend_schema(request=NEW_DOCUMENT_SCHEMA, responses={201: documents.ADDED_SCHEMA, 200: documents.ADDED_SCHEMA})
    def post(self, request: Request, project: UUID) -> Response:
        """Add documents as to a plugin: one (a file, or `title` and `text`, or a `url`), or several files. A key needs
        the capability to author. They count for the owner of the project."""
        return self.add_documents(request, project_documents(request, project))


class ProjectDocumentView(PrivateDocumentView):
    @extend_schema(responses=documents.DocumentSerializer)
    def get(self, request: Request, project: UUID, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        return self.show_document(request, project_documents(request, project), document)

    @extend_schema(request=documents.DocumentChangeSerializer, responses=documents.DocumentSerializer)
    def patch(self, request: Request, project: UUID, document: UUID) -> Response:
        """Change what is said about it. Under another title it is read again."""
        return self.change_document(request, project_documents(request, project), document)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, project: UUID, document: UUID) -> Response:
        """Delete it. It answers nothing from now on, and its file is deleted within hours."""
        return self.delete_document(request, project_documents(request, project), document)
