"""The documents of a plugin: which there are, and how new ones come in."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.adding import add_files, add_one
from api.documents.bodies import (
    WORKING,
    DocumentSerializer,
    DocumentsParameters,
    DocumentsSerializer,
    NewDocumentSerializer,
    UploadSerializer,
    UploadsSerializer,
)
from api.documents.reach import reach_of
from api.pagination import Pages
from api.parsers import StrictJSONParser
from api.uploads import Uploads
from api.views import AuthorView
from knowledge.models import Document, DocumentQuerySet, DocumentStatus

_WORKING = ~Q(status__in=[DocumentStatus.READY, DocumentStatus.FAILED])
_ADDED = PolymorphicProxySerializer(
    component_name="Added", serializers=[DocumentSerializer, UploadsSerializer], resource_type_field_name=None
)


class DocumentsView(AuthorView):
    parser_classes = [StrictJSONParser, Uploads]
    ordering = ("-created_at", "pk")

    @extend_schema(parameters=[DocumentsParameters], responses=DocumentsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """What the plugin reads, its own documents and those of attached knowledge bases, the newest first. `counts`
        tells how far they have come.
        """
        reach = reach_of(request, plugin)
        said = DocumentsParameters.read(request)
        documents = _narrowed(Document.objects.of_plugin(reach.plugin), said)
        pages = Pages()
        found = pages.paginate_queryset(_in_status(documents, said), request, self)
        data = DocumentSerializer(found, many=True, context={"reach": reach}).data
        response = pages.get_paginated_response(data)
        response.data["counts"] = _counts(documents)
        return response

    @extend_schema(
        request={"multipart/form-data": UploadSerializer, "application/json": NewDocumentSerializer},
        responses={201: _ADDED, 200: _ADDED},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Add one document (a file, or `title` and `text`, or a `url`), or several files.

        201 when one came to be; its `status` then goes from queued to ready or failed while a worker reads it. 200 when
        all were there: the same bytes are the same document, so sending again is safe, and changes nothing that is
        said about it (PATCH does). Other bytes under the same name are a new version of it; a known `url` is fetched
        again. Labels that come with either hold from then on.
        """
        reach = reach_of(request, plugin)
        if (request.content_type or "").startswith("multipart/"):
            return add_files(request, reach)
        return add_one(request, reach)


def _narrowed(documents: DocumentQuerySet, said: dict[str, Any]) -> DocumentQuerySet:
    columns = {"sourceType": "source_type", "docType": "doc_type"}
    asked = {column: said[name] for name, column in columns.items() if name in said}
    if "tag" in said:
        asked["tags__contains"] = [said["tag"]]
    documents = documents.select_related("knowledge_base").filter(**asked)
    return documents.called(said["q"]) if said.get("q") else documents


def _in_status(documents: DocumentQuerySet, said: dict[str, Any]) -> DocumentQuerySet:
    status = said.get("status")
    if status is None:
        return documents
    return documents.filter(_WORKING if status == WORKING else Q(status=status))


def _counts(documents: DocumentQuerySet) -> dict[str, int]:
    of_status = {status: Count("pk", filter=Q(status=status)) for status in DocumentStatus.values}
    return documents.aggregate(total=Count("pk"), working=Count("pk", filter=_WORKING), **of_status)
