"""What a plugin reads: its documents, how they are added, read and changed, their text, and what retrieval finds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Q, Value
from django.db.models.functions import Least, Length, Substr
from django.urls import reverse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents import serializers
from api.documents.access import DocumentAccess, NoSuchDocument, get_document_access
from api.documents.create import create_from_files, create_from_json
from api.etags import etag_response, make_etag, require_match
from api.fields import EmptySerializer, QueryParameters, validated
from api.pagination import DefaultPagination, page_response
from api.parsers import StrictJSONParser
from api.uploads import UploadParser, get_file, get_form_fields
from api.views import AuthorView, first_or_raise, put_like
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import delete_document, reingest_document, replace_file, update_details
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, KnowledgeBase
from language.word_matching import terms_by_word
from lexic.errors import NotFound
from querying.releases import snapshot
from querying.retrieval.search_explanation import ExplainedPassage, explain_search

# Characters of each page in a list. A source without pages is one page, of any length.
MAX_EXCERPT_LENGTH = 20_000
_IN_PROGRESS_FILTER = ~Q(status__in=[DocumentStatus.READY, DocumentStatus.FAILED])
_CREATED_SCHEMA = PolymorphicProxySerializer(
    component_name="Added",
    serializers=[serializers.DocumentSerializer, serializers.UploadsSerializer],
    resource_type_field_name=None,
)


class NoSuchPage(NotFound):
    """This document has no such page."""

    code = "unknown_page"
    hint = "Pages count from 1. A source without pages is one page."


# --- The documents of a plugin ----------------------------------------------------------------------------


class DocumentsView(AuthorView):
    parser_classes = [StrictJSONParser, UploadParser]
    ordering = ("-created_at", "pk")

    @extend_schema(parameters=[serializers.DocumentsParameters], responses=serializers.DocumentsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """What the plugin reads, its own documents and those of attached knowledge bases, the newest first. `counts`
        tells how far they have come.
        """
        access = get_document_access(request, plugin)
        parameters = serializers.DocumentsParameters.read(request)
        documents = _filter_documents(Document.objects.of_plugin(access.plugin), parameters)
        rows, status = documents, parameters.get("status")
        if status is not None:
            rows = documents.filter(_IN_PROGRESS_FILTER if status == serializers.IN_PROGRESS else Q(status=status))
        response = page_response(self, rows, serializers.DocumentSerializer, context={"reach": access})
        response.data["counts"] = _status_counts(documents)
        return response

    @extend_schema(
        request={
            "multipart/form-data": serializers.UploadSerializer,
            "application/json": serializers.NewDocumentSerializer,
        },
        responses={201: _CREATED_SCHEMA, 200: _CREATED_SCHEMA},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Add one document (a file, or `title` and `text`, or a `url`), or several files.

        201 when one came to be; its `status` then goes from queued to ready or failed while a worker reads it. 200 when
        all were there: the same bytes are the same document, so sending again is safe, and changes nothing that is
        said about it (PATCH does). Other bytes under the same name are a new version of it; a known `url` is fetched
        again. Labels that come with either hold from then on.
        """
        access = get_document_access(request, plugin)
        if (request.content_type or "").startswith("multipart/"):
            return create_from_files(request, access)
        return create_from_json(request, access)


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


# --- One document -----------------------------------------------------------------------------------------


class DocumentView(AuthorView):
    @extend_schema(responses=serializers.DocumentSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        access = get_document_access(request, plugin)
        return _document_response(request, access.document(document), access)

    @extend_schema(request=serializers.DocumentChangeSerializer, responses=serializers.DocumentSerializer)
    def patch(self, request: Request, plugin: str, document: UUID) -> Response:
        """Change what is said about it. Questions use that at once; under another title it is read again."""
        access = get_document_access(request, plugin)
        found = access.own_document(document)
        with transaction.atomic():
            locked = _lock_document(request, found, access)
            changes = serializers.DocumentChangeSerializer(locked, data=request.data)
            fields = validated(changes)
            update_details(
                locked, title=fields.get("title"), labels=changes.validated_labels, metadata=fields.get("metadata")
            )
        return _document_response(request, locked, access)

    put = put_like(patch)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, document: UUID) -> Response:
        """It stops answering at once; releases that read it keep it. Not under legal hold (409 `legal_hold`)."""
        access = get_document_access(request, plugin)
        found = access.own_document(document)
        with transaction.atomic():
            # Workers lock the knowledge base first, too.
            KnowledgeBase.objects.select_for_update().get(pk=found.knowledge_base_id)
            delete_document(_lock_document(request, found, access))
        return Response(status=204)


class FileView(AuthorView):
    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": serializers.NewVersionSerializer}, responses=serializers.DocumentSerializer
    )
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """Send a new version. The one that answers now goes on answering until this one has been read."""
        access = get_document_access(request, plugin)
        found = access.own_document(document)
        file = get_file(request)
        validated(EmptySerializer(data=get_form_fields(request)))
        check = partial(_require_document_match, request, access=access)
        replaced = replace_file(found, file_name=file.name or "", stream=file, check=check)
        return _document_response(request, replaced, access)


class ProcessView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={202: serializers.DocumentSerializer})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Read it, or try again what failed; a web page is fetched anew. Safe to repeat."""
        access = get_document_access(request, plugin)
        EmptySerializer.check(request)
        return _document_response(request, reingest_document(access.own_document(document)), access, status=202)


class CancelView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={200: serializers.DocumentSerializer, 204: None})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Stop reading it. It is then what it was before; 204 when it never answered, and is gone."""
        access = get_document_access(request, plugin)
        EmptySerializer.check(request)
        remaining = cancel_ingestion(access.own_document(document))
        if remaining is None:
            return Response(status=204)
        return _document_response(request, access.document(remaining.pk), access)


def _lock_document(request: Request, document: Document, access: DocumentAccess) -> Document:
    """The same row, locked until the transaction ends. Raises `NoSuchDocument`, `PreconditionFailed`."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("knowledge_base").present()
    locked = first_or_raise(rows.filter(pk=document.pk), NoSuchDocument)
    _require_document_match(request, locked, access=access)
    return locked


def _require_document_match(request: Request, document: Document, *, access: DocumentAccess) -> None:
    require_match(request, _document_etag(document, access))


def _document_etag(document: Document, access: DocumentAccess) -> str:
    return make_etag(document.pk, document.updated_at, access.may_read(document), access.may_change(document))


def _document_response(request: Request, document: Document, access: DocumentAccess, *, status: int = 200) -> Response:
    data = serializers.document_json(document, access)
    return etag_response(request, data, etag=_document_etag(document, access), status=status)


# --- Its text, and what retrieval finds -------------------------------------------------------------------


class PagesView(AuthorView):
    ordering = ("number", "pk")

    @extend_schema(responses=serializers.DocumentPagesSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its pages in order, each with the first 20,000 characters of its text."""
        found = get_document_access(request, plugin).readable_document(document)
        pages = DefaultPagination()
        pages.page_size = 10
        QueryParameters.read(request)
        rows = _page_excerpts(found, start=0, length=MAX_EXCERPT_LENGTH)
        return page_response(self, rows, serializers.DocumentPageSerializer, pages=pages)


class PageView(AuthorView):
    @extend_schema(parameters=[serializers.PageExcerptParameters], responses=serializers.DocumentPageSerializer)
    def get(self, request: Request, plugin: str, document: UUID, number: int) -> Response:
        """One page, or a part of a long one."""
        found = get_document_access(request, plugin).readable_document(document)
        excerpts = _page_excerpts(found, **serializers.PageExcerptParameters.read(request))
        if number > serializers.MAX_INTEGER:
            raise NoSuchPage
        return Response(
            serializers.DocumentPageSerializer(first_or_raise(excerpts.filter(number=number), NoSuchPage)).data
        )


class ChunksView(AuthorView):
    ordering = ("index", "pk")

    @extend_schema(responses=serializers.ChunksSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its chunks in reading order."""
        found = get_document_access(request, plugin).readable_document(document)
        chunks = _current_rows(found.chunks).annotate(page_number=F("page__number")).defer("content_hash")
        QueryParameters.read(request)
        return page_response(self, chunks, serializers.ChunkSerializer)


def _page_excerpts(document: Document, *, start: int, length: int) -> Any:
    """The pages with a part of their text. The database cuts it, because a page may be very long."""
    whole = Length("text")
    return (
        _current_rows(document.pages)
        .annotate(length=whole, start=Least(Value(start), whole), end=Least(Value(start + length), whole))
        .annotate(piece=Substr("text", start + 1, length))
        .values("pk", "number", "length", "start", "end", "piece")
    )


def _current_rows(rows: Any) -> Any:
    return rows.filter(added_in__isnull=False, removed_in=None)


class SearchView(AuthorView):
    @extend_schema(parameters=[serializers.SearchParameters], responses=serializers.FindingsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """Passages of the draft's knowledge for a question, also those that its policy would leave out."""
        access = get_document_access(request, plugin)
        parameters = serializers.SearchParameters.read(request)
        document_id = access.document(parameters["document"]).pk if "document" in parameters else None
        explained = explain_search(snapshot(access.plugin), parameters["q"], document_id=document_id)
        words = terms_by_word(parameters["q"])
        body = {
            "query": parameters["q"],
            "topK": access.plugin.top_k,
            "threshold": access.plugin.threshold,
            "results": [_finding_json(one, access, words) for one in explained.findings[: parameters["limit"]]],
            "missing": list(explained.missing),
        }
        return Response(serializers.FindingsSerializer(body).data)


def _finding_json(finding: ExplainedPassage, access: DocumentAccess, words: Mapping[str, set[str]]) -> dict[str, Any]:
    passage = finding.passage
    may_read = passage.knowledge_base_id in access.readable
    span = urlencode({"start": passage.start, "end": passage.end})
    return {
        "documentId": passage.document_id,
        "document": passage.document_title,
        "pageNumber": passage.page_number,
        "sectionPath": list(passage.section_path),
        "start": passage.start,
        "end": passage.end,
        "content": passage.content if may_read else None,
        "url": f"{reverse('source', args=[passage.page_id])}?{span}" if may_read else None,
        "cosine": passage.cosine,
        "lexical": passage.lexical,
        "score": passage.score,
        "isRead": finding.is_read,
        "whyNot": finding.why_not,
        "matched": [word for word, terms in words.items() if not terms.isdisjoint(finding.matched)],
    }
