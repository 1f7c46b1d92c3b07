"""`/api/knowledge`: a person's own documents, and a search in all that is theirs."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from api.documents import serializers as documents
from api.fields import EmptySerializer, validated
from api.knowledge.access import personal_documents
from api.knowledge.document_views import NEW_DOCUMENT_SCHEMA, PrivateDocumentListView, PrivateDocumentView
from api.knowledge.serializers import UserDocumentResultsSerializer, UserDocumentSearchSerializer
from api.projects.access import get_project
from api.views import PrivateView
from conversations.private_document_search import DocumentScope, UserDocumentSearch, search_user_documents
from knowledge.personal_knowledge_base import personal_knowledge_base
from querying.question.user_limits import check_user_limit


class PersonalDocumentsView(PrivateDocumentListView):
    @extend_schema(parameters=[documents.DocumentsParameters], responses=documents.DocumentsSerializer)
    def get(self, request: Request) -> Response:
        """Your own documents, the newest first. Nobody else reads them, and no plugin does. `counts` tells how far they
        have come."""
        return self.list_documents(personal_documents(self.principal))

    @extend_schema(
        request=NEW_DOCUMENT_SCHEMA,
        responses={201: documents.ADDED_SCHEMA, 200: documents.ADDED_SCHEMA},
    )
    def post(self, request: Request) -> Response:
        """Add documents of your own, as to a plugin: one (a file, or `title` and `text`, or a `url`), or several files.
        A key needs the capability to author."""
        base = personal_knowledge_base(self.get_maker())
        return self.add_documents(request, personal_documents(self.principal, made=base))


class PersonalDocumentView(PrivateDocumentView):
    @extend_schema(responses=documents.DocumentSerializer)
    def get(self, request: Request, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        return self.show_document(request, personal_documents(self.principal), document)

    @extend_schema(request=documents.DocumentChangeSerializer, responses=documents.DocumentSerializer)
    def patch(self, request: Request, document: UUID) -> Response:
        """Change what is said about it. Under another title it is read again."""
        return self.change_document(request, personal_documents(self.principal), document)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, document: UUID) -> Response:
        """Delete it. It answers nothing from now on, and its file is deleted within hours."""
        return self.delete_document(request, personal_documents(self.principal), document)


class PersonalDocumentRetryView(PrivateDocumentView):
    @extend_schema(request=EmptySerializer, responses={202: documents.DocumentSerializer})
    def post(self, request: Request, document: UUID) -> Response:
        """Try again what failed, or read it once more; a web page is fetched anew. Safe to repeat."""
        return self.read_again(request, personal_documents(self.principal), document)


class UserDocumentSearchView(PrivateView):
    is_read_only = True

    def check_replay(self, request: Request) -> None:
        if project := validated(UserDocumentSearchSerializer(data=request.data)).get("projectId"):
            get_project(request, project, for_reading=True)
        super().check_replay(request)

    @extend_schema(request=UserDocumentSearchSerializer, responses=UserDocumentResultsSerializer)
    def post(self, request: Request) -> Response:
        """Passages of your own documents, and of a project's, for a question; best first, as sources. Documents that
        are templates are left out."""
        body = validated(UserDocumentSearchSerializer(data=request.data))
        project = get_project(request, body["projectId"], for_reading=True) if body.get("projectId") else None
        self.check_opens_private()  # after the project, which is not there for such a key
        if isinstance(self.principal, User):
            check_user_limit(self.principal)
        options = UserDocumentSearch(
            principal=self.principal,
            text=body["query"],
            scope=DocumentScope(body["scope"]),
            project=project,
            top_k=body["topK"],
            min_score=body["minScore"],
        )
        return Response(UserDocumentResultsSerializer({"results": search_user_documents(options)}).data)
