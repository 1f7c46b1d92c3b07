"""One document: how it stands, what is said about it, and what is done to it."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.bodies import DocumentChangeSerializer, DocumentSerializer, NewVersionSerializer, document_json
from api.documents.reach import NoSuchDocument, Reach, reach_of
from api.etags import etag_of, require_match, tagged
from api.fields import NothingSerializer
from api.uploads import Uploads, fields_of, file_of
from api.views import AuthorView
from knowledge.add import delete_document, read_again, replace_file
from knowledge.describe import describe
from knowledge.models import Document, KnowledgeBase
from knowledge.stop import stop_reading


class DocumentView(AuthorView):
    @extend_schema(responses=DocumentSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        reach = reach_of(request, plugin)
        return _answer(request, reach.document(document), reach)

    @extend_schema(request=DocumentChangeSerializer, responses=DocumentSerializer)
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin, document)

    @extend_schema(request=DocumentChangeSerializer, responses=DocumentSerializer)
    def patch(self, request: Request, plugin: str, document: UUID) -> Response:
        """Change what is said about it. Questions use that at once; under another title it is read again."""
        reach = reach_of(request, plugin)
        found = reach.own_document(document)
        with transaction.atomic():
            locked = _locked(request, found, reach)
            body = DocumentChangeSerializer(locked, data=request.data)
            body.is_valid(raise_exception=True)
            said = body.validated_data
            describe(locked, title=said.get("title"), said=body.said, metadata=said.get("metadata"))
        return _answer(request, locked, reach)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, document: UUID) -> Response:
        """It stops answering at once; releases that read it keep it."""
        reach = reach_of(request, plugin)
        found = reach.own_document(document)
        with transaction.atomic():
            # In the order in which a worker locks them.
            KnowledgeBase.objects.select_for_update().get(pk=found.knowledge_base_id)
            delete_document(_locked(request, found, reach))
        return Response(status=204)


class FileView(AuthorView):
    parser_classes = [Uploads]

    @extend_schema(request={"multipart/form-data": NewVersionSerializer}, responses=DocumentSerializer)
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """Send a new version. The one that answers now goes on answering until this one has been read."""
        reach = reach_of(request, plugin)
        found = reach.own_document(document)
        file = file_of(request)
        NothingSerializer(data=fields_of(request)).is_valid(raise_exception=True)
        check = partial(_check, request, reach=reach)
        replaced = replace_file(found, file_name=file.name or "", stream=file, check=check)
        return _answer(request, replaced, reach)


class ProcessView(AuthorView):
    @extend_schema(request=NothingSerializer, responses={202: DocumentSerializer})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Read it, or try again what failed; a web page is fetched anew. Safe to repeat."""
        reach = reach_of(request, plugin)
        NothingSerializer.check(request)
        return _answer(request, read_again(reach.own_document(document)), reach, status=202)


class CancelView(AuthorView):
    @extend_schema(request=NothingSerializer, responses={200: DocumentSerializer, 204: None})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Stop reading it. It is then what it was before; 204 when it never answered, and is gone."""
        reach = reach_of(request, plugin)
        NothingSerializer.check(request)
        kept = stop_reading(reach.own_document(document))
        if kept is None:
            return Response(status=204)
        return _answer(request, reach.document(kept.pk), reach)


def _locked(request: Request, document: Document, reach: Reach) -> Document:
    """The same row, nobody else's until the transaction ends. Raises `NoSuchDocument`, `ChangedSince`."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("knowledge_base").present()
    locked = rows.filter(pk=document.pk).first()
    if locked is None:
        raise NoSuchDocument
    _check(request, locked, reach=reach)
    return locked


def _check(request: Request, document: Document, *, reach: Reach) -> None:
    require_match(request, _tag(document, reach))


def _tag(document: Document, reach: Reach) -> str:
    return etag_of(document.pk, document.updated_at, reach.may_read(document), reach.may_change(document))


def _answer(request: Request, document: Document, reach: Reach, *, status: int = 200) -> Response:
    return tagged(request, document_json(document, reach), etag=_tag(document, reach), status=status)
