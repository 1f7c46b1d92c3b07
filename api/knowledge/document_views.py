"""The views of private documents, the same for a person's own and those of a project."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from api.documents import serializers as documents
from api.documents.add_documents import add_documents
from api.documents.document_list import documents_page
from api.documents.one_document import change_document, document_response, remove_document
from api.fields import EmptySerializer
from api.knowledge.access import PrivateDocumentAccess
from api.parsers import StrictJSONParser
from api.uploads import UploadParser
from api.views import PrivateView
from knowledge.documents.lifecycle import reingest_document

NEW_DOCUMENT_SCHEMA = {
    "multipart/form-data": documents.UploadSerializer,
    "application/json": documents.NewDocumentSerializer,
}


class PrivateDocumentListView(PrivateView):
    parser_classes = [StrictJSONParser, UploadParser]
    ordering = ("-created_at", "pk")

    def list_documents(self, access: PrivateDocumentAccess) -> Response:
        """A page of them, with counts. Raises what `documents_page` raises."""
        return documents_page(self, access.documents(), access)

    def add_documents(self, request: Request, access: PrivateDocumentAccess) -> Response:
        """Raises `ReadOnlyDocuments`, and what `add_documents` raises."""
        access.new_document_base()  # before the body is looked at
        return add_documents(request, access)


class PrivateDocumentView(PrivateView):
    def show_document(self, request: Request, access: PrivateDocumentAccess, pk: UUID) -> Response:
        return document_response(request, access.document(pk), access)

    def change_document(self, request: Request, access: PrivateDocumentAccess, pk: UUID) -> Response:
        return change_document(request, access.own_document(pk), access)

    def delete_document(self, request: Request, access: PrivateDocumentAccess, pk: UUID) -> Response:
        return remove_document(request, access.own_document(pk), access)

    def read_again(self, request: Request, access: PrivateDocumentAccess, pk: UUID) -> Response:
        EmptySerializer.check(request)
        return document_response(request, reingest_document(access.own_document(pk)), access, status=202)
