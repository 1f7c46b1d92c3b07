"""One document: how it stands, what is said about it, and what is done to it."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.lookup import DocumentAccess, NoSuchDocument, get_document_access
from api.documents.serializers import (
    DocumentChangeSerializer,
    DocumentSerializer,
    NewVersionSerializer,
    document_json,
)
from api.etags import etag_response, make_etag, require_match
from api.fields import EmptySerializer
from api.uploads import UploadParser, get_file, get_form_fields
from api.views import AuthorView
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import delete_document, reingest_document, replace_file, update_details
from knowledge.models import Document, KnowledgeBase


class DocumentView(AuthorView):
    @extend_schema(responses=DocumentSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        reach = get_document_access(request, plugin)
        return _document_response(request, reach.document(document), reach)

    @extend_schema(request=DocumentChangeSerializer, responses=DocumentSerializer)
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin, document)

    @extend_schema(request=DocumentChangeSerializer, responses=DocumentSerializer)
    def patch(self, request: Request, plugin: str, document: UUID) -> Response:
        """Change what is said about it. Questions use that at once; under another title it is read again."""
        reach = get_document_access(request, plugin)
        found = reach.own_document(document)
        with transaction.atomic():
            locked = _lock_document(request, found, reach)
            body = DocumentChangeSerializer(locked, data=request.data)
            body.is_valid(raise_exception=True)
            said = body.validated_data
            update_details(locked, title=said.get("title"), labels=body.said, metadata=said.get("metadata"))
        return _document_response(request, locked, reach)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, document: UUID) -> Response:
        """It stops answering at once; releases that read it keep it."""
        reach = get_document_access(request, plugin)
        found = reach.own_document(document)
        with transaction.atomic():
            # In the order in which a worker locks them.
            KnowledgeBase.objects.select_for_update().get(pk=found.knowledge_base_id)
            delete_document(_lock_document(request, found, reach))
        return Response(status=204)


class FileView(AuthorView):
    parser_classes = [UploadParser]

    @extend_schema(request={"multipart/form-data": NewVersionSerializer}, responses=DocumentSerializer)
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """Send a new version. The one that answers now goes on answering until this one has been read."""
        reach = get_document_access(request, plugin)
        found = reach.own_document(document)
        file = get_file(request)
        EmptySerializer(data=get_form_fields(request)).is_valid(raise_exception=True)
        check = partial(_require_document_match, request, reach=reach)
        replaced = replace_file(found, file_name=file.name or "", stream=file, check=check)
        return _document_response(request, replaced, reach)


class ProcessView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={202: DocumentSerializer})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Read it, or try again what failed; a web page is fetched anew. Safe to repeat."""
        reach = get_document_access(request, plugin)
        EmptySerializer.check(request)
        return _document_response(request, reingest_document(reach.own_document(document)), reach, status=202)


class CancelView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={200: DocumentSerializer, 204: None})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Stop reading it. It is then what it was before; 204 when it never answered, and is gone."""
        reach = get_document_access(request, plugin)
        EmptySerializer.check(request)
        kept = cancel_ingestion(reach.own_document(document))
        if kept is None:
            return Response(status=204)
        return _document_response(request, reach.document(kept.pk), reach)


def _lock_document(request: Request, document: Document, reach: DocumentAccess) -> Document:
    """The same row, nobody else's until the transaction ends. Raises `NoSuchDocument`, `ChangedSince`."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("knowledge_base").present()
    locked = rows.filter(pk=document.pk).first()
    if locked is None:
        raise NoSuchDocument
    _require_document_match(request, locked, reach=reach)
    return locked


def _require_document_match(request: Request, document: Document, *, reach: DocumentAccess) -> None:
    require_match(request, _document_etag(document, reach))


def _document_etag(document: Document, reach: DocumentAccess) -> str:
    return make_etag(document.pk, document.updated_at, reach.may_read(document), reach.may_change(document))


def _document_response(
    request: Request, document: Document, reach: DocumentAccess, *, status: int = 200
) -> Response:
    return etag_response(
        request, document_json(document, reach), etag=_document_etag(document, reach), status=status
    )
