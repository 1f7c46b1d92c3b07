"""The documents of a plugin: which there are, and how new ones come in."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.create import create_from_files, create_from_json
from api.documents.lookup import get_document_access
from api.documents.serializers import (
    IN_PROGRESS,
    DocumentSerializer,
    DocumentsParameters,
    DocumentsSerializer,
    NewDocumentSerializer,
    UploadSerializer,
    UploadsSerializer,
)
from api.pagination import DefaultPagination
from api.parsers import StrictJSONParser
from api.uploads import UploadParser
from api.views import AuthorView
from knowledge.models import Document, DocumentQuerySet, DocumentStatus

_IN_PROGRESS_FILTER = ~Q(status__in=[DocumentStatus.READY, DocumentStatus.FAILED])
_CREATED_SCHEMA = PolymorphicProxySerializer(
    component_name="Added", serializers=[DocumentSerializer, UploadsSerializer], resource_type_field_name=None
)


class DocumentsView(AuthorView):
    parser_classes = [StrictJSONParser, UploadParser]
    ordering = ("-created_at", "pk")

    @extend_schema(parameters=[DocumentsParameters], responses=DocumentsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """What the plugin reads, its own documents and those of attached knowledge bases, the newest first. `counts`
        tells how far they have come.
        """
        reach = get_document_access(request, plugin)
        said = DocumentsParameters.read(request)
        documents = _filter_documents(Document.objects.of_plugin(reach.plugin), said)
        pages = DefaultPagination()
        found = pages.paginate_queryset(_filter_by_status(documents, said), request, self)
        data = DocumentSerializer(found, many=True, context={"reach": reach}).data
        response = pages.get_paginated_response(data)
        response.data["counts"] = _status_counts(documents)
        return response

    @extend_schema(
        request={"multipart/form-data": UploadSerializer, "application/json": NewDocumentSerializer},
        responses={201: _CREATED_SCHEMA, 200: _CREATED_SCHEMA},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Add one document (a file, or `title` and `text`, or a `url`), or several files.

        201 when one came to be; its `status` then goes from queued to ready or failed while a worker reads it. 200 when
        all were there: the same bytes are the same document, so sending again is safe, and changes nothing that is
        said about it (PATCH does). Other bytes under the same name are a new version of it; a known `url` is fetched
        again. Labels that come with either hold from then on.
        """
        reach = get_document_access(request, plugin)
        if (request.content_type or "").startswith("multipart/"):
            return create_from_files(request, reach)
        return create_from_json(request, reach)


def _filter_documents(documents: DocumentQuerySet, said: dict[str, Any]) -> DocumentQuerySet:
    columns = {"sourceType": "source_type", "docType": "doc_type"}
    asked = {column: said[name] for name, column in columns.items() if name in said}
    if "tag" in said:
        asked["tags__contains"] = [said["tag"]]
    documents = documents.select_related("knowledge_base").filter(**asked)
    return documents.name_contains(said["q"]) if said.get("q") else documents


def _filter_by_status(documents: DocumentQuerySet, said: dict[str, Any]) -> DocumentQuerySet:
    status = said.get("status")
    if status is None:
        return documents
    return documents.filter(_IN_PROGRESS_FILTER if status == IN_PROGRESS else Q(status=status))


def _status_counts(documents: DocumentQuerySet) -> dict[str, int]:
    of_status = {status: Count("pk", filter=Q(status=status)) for status in DocumentStatus.values}
    return documents.aggregate(total=Count("pk"), working=Count("pk", filter=_IN_PROGRESS_FILTER), **of_status)
