"""A list of documents: which of them are asked for, and how far all of them have come."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from rest_framework.response import Response
from rest_framework.views import APIView

from api.documents import serializers
from api.documents.access import DocumentAccessProtocol
from api.pagination import page_response
from knowledge.models import DocumentQuerySet, DocumentStatus

_IN_PROGRESS_FILTER = ~Q(status__in=[DocumentStatus.READY, DocumentStatus.FAILED])


def documents_page(view: APIView, documents: DocumentQuerySet, access: DocumentAccessProtocol) -> Response:
    """The page of these documents that the view's request asks for, with `counts` of all that its filters name.

    Raises `ValidationError`, `InvalidCursor`, `InvalidLimit`.
    """
    parameters = serializers.DocumentsParameters.read(view.request)
    documents = _filter_documents(documents, parameters)
    rows, status = documents, parameters.get("status")
    if status is not None:
        rows = documents.filter(_IN_PROGRESS_FILTER if status == serializers.IN_PROGRESS else Q(status=status))
    context = {"access": access}
    response = page_response(view, rows, serializers.DocumentSerializer, context=context, has_parameters=True)
    response.data["counts"] = _status_counts(documents)
    return response


def _filter_documents(documents: DocumentQuerySet, parameters: dict[str, Any]) -> DocumentQuerySet:
    columns = {"sourceType": "source_type", "docType": "doc_type"}
    conditions = {column: parameters[name] for name, column in columns.items() if name in parameters}
    if "tag" in parameters:
        conditions["tags__contains"] = [parameters["tag"]]
    documents = documents.select_related("knowledge_base").filter(**conditions)
    return documents.name_contains(parameters["q"]) if parameters.get("q") else documents


def _status_counts(documents: DocumentQuerySet) -> dict[str, int]:
    by_status = {status: Count("pk", filter=Q(status=status)) for status in DocumentStatus.values}
    return documents.aggregate(total=Count("pk"), working=Count("pk", filter=_IN_PROGRESS_FILTER), **by_status)
