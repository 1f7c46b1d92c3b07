"""The documents of a plugin: list, add, read and change them, read their text, and preview what retrieval finds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import F, Q, Value
from django.db.models.functions import Least, Length, Substr
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents import serializers
from api.documents.access import DocumentAccess, get_document_access
from api.documents.add_documents import add_documents
from api.documents.document_list import documents_page
from api.documents.one_document import (
    change_document,
    document_response,
    remove_document,
    require_document_match,
)
from api.fields import EmptySerializer, validated
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import DefaultPagination, page_response
from api.parsers import StrictJSONParser
from api.uploads import UploadParser, get_file, get_form_fields
from api.views import AuthorView, first_or_raise, put_like
from knowledge.citation_url import source_path
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import reingest_document, replace_file
from knowledge.models import Document
from knowledge.recognised_text import ReadBy
from language.word_matching import terms_by_word
from lexic.errors import NotFound
from querying.releases import snapshot
from querying.retrieval.search_explanation import ExplainedPassage, explain_search

# Characters of each page in a list. A source without pages is one page, of any length.
MAX_EXCERPT_LENGTH = 20_000


class UnknownPage(NotFound):
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
        return documents_page(self, Document.objects.of_plugin(access.plugin), access)

    @extend_schema(
        request={
            "multipart/form-data": serializers.UploadSerializer,
            "application/json": serializers.NewDocumentSerializer,
        },
        responses={201: serializers.ADDED_SCHEMA, 200: serializers.ADDED_SCHEMA},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Add one document (a file, or `title` and `text`, or a `url`), or several files.

        201 when one came to be; its `status` then goes from queued to ready or failed while a worker reads it. 200 when
        all were there: the same bytes are the same document, so sending again is safe, and changes nothing that is
        said about it (PATCH does). Other bytes under the same name are a new version of it; a known `url` is fetched
        again. Labels that come with either hold from then on.
        """
        access = get_document_access(request, plugin)
        return add_documents(request, access)


# --- One document -----------------------------------------------------------------------------------------


class DocumentView(AuthorView):
    @extend_schema(responses=serializers.DocumentSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """How it stands. The ETag changes with every step while it is read: If-None-Match makes polling cheap."""
        access = get_document_access(request, plugin)
        return document_response(request, access.document(document), access)

    @extend_schema(request=serializers.DocumentChangeSerializer, responses=serializers.DocumentSerializer)
    def patch(self, request: Request, plugin: str, document: UUID) -> Response:
        """Change what is said about it. Questions use that at once; under another title it is read again."""
        access = get_document_access(request, plugin)
        return change_document(request, access.own_document(document), access)

    put = put_like(patch)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, document: UUID) -> Response:
        """It stops answering at once; releases that read it keep it. Not under legal hold (409 `legal_hold`)."""
        access = get_document_access(request, plugin)
        return remove_document(request, access.own_document(document), access)


class FileView(AuthorView):
    content_negotiation_class = IgnoreAcceptNegotiation

    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": serializers.NewVersionSerializer}, responses=serializers.DocumentSerializer
    )
    def put(self, request: Request, plugin: str, document: UUID) -> Response:
        """Send a new version. The one that answers now keeps answering until this one has been read."""
        access = get_document_access(request, plugin)
        found = access.own_document(document)
        file = get_file(request)
        validated(EmptySerializer(data=get_form_fields(request)))
        check = partial(require_document_match, request, access=access)
        replaced = replace_file(found, file_name=file.name or "", stream=file, check=check)
        return document_response(request, replaced, access)


class ProcessView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={202: serializers.DocumentSerializer})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Read it, or try again what failed; a web page is fetched anew. Safe to repeat."""
        access = get_document_access(request, plugin)
        EmptySerializer.check(request)
        return document_response(request, reingest_document(access.own_document(document)), access, status=202)


class CancelView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={200: serializers.DocumentSerializer, 204: None})
    def post(self, request: Request, plugin: str, document: UUID) -> Response:
        """Stop reading it. It is then what it was before; 204 when it never answered, and is gone."""
        access = get_document_access(request, plugin)
        EmptySerializer.check(request)
        remaining = cancel_ingestion(access.own_document(document))
        if remaining is None:
            return Response(status=204)
        return document_response(request, access.document(remaining.pk), access)


# --- Its text, and what retrieval finds -------------------------------------------------------------------


class PagesView(AuthorView):
    ordering = ("number", "pk")

    @extend_schema(responses=serializers.DocumentPagesSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its pages in order, each with the first 20,000 characters of its text."""
        found = get_document_access(request, plugin).readable_document(document)
        pages = DefaultPagination()
        pages.page_size = 10
        rows = _page_excerpts(found, start=0, length=MAX_EXCERPT_LENGTH)
        return page_response(self, rows, serializers.DocumentPageSerializer, pages=pages)


class PageView(AuthorView):
    @extend_schema(parameters=[serializers.PageExcerptParameters], responses=serializers.DocumentPageSerializer)
    def get(self, request: Request, plugin: str, document: UUID, number: int) -> Response:
        """One page, or a part of a long one."""
        found = get_document_access(request, plugin).readable_document(document)
        excerpts = _page_excerpts(found, **serializers.PageExcerptParameters.read(request))
        if number > serializers.MAX_INTEGER:
            raise UnknownPage
        return Response(
            serializers.DocumentPageSerializer(first_or_raise(excerpts.filter(number=number), UnknownPage)).data
        )


class ChunksView(AuthorView):
    ordering = ("index", "pk")

    @extend_schema(responses=serializers.ChunksSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its chunks in reading order."""
        found = get_document_access(request, plugin).readable_document(document)
        page = {"page_number": F("page__number"), "page_label": F("page__label")}
        chunks = _current_rows(found.chunks).annotate(**page).defer("content_hash")
        return page_response(self, chunks, serializers.ChunkSerializer)


def _page_excerpts(document: Document, *, start: int, length: int) -> Any:
    """The pages with a part of their text. The database cuts it, because a page may be very long."""
    whole = Length("text")
    return (
        _current_rows(document.pages)
        .annotate(length=whole, start=Least(Value(start), whole), end=Least(Value(start + length), whole))
        .annotate(piece=Substr("text", start + 1, length), is_recognised=Q(read_by=ReadBy.OCR))
        .values("pk", "number", "label", "length", "start", "end", "piece", "is_recognised", "confidence")
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
    return {
        "documentId": passage.document_id,
        "document": passage.document_title,
        "pageNumber": passage.page_number,
        "pageLabel": passage.page_label,
        "sectionPath": list(passage.section_path),
        "start": passage.start,
        "end": passage.end,
        "content": passage.content if may_read else None,
        "url": source_path(passage.page_id, start=passage.start, end=passage.end) if may_read else None,
        "cosine": passage.cosine,
        "lexical": passage.lexical,
        "score": passage.score,
        "isRead": finding.is_read,
        "whyNot": finding.why_not,
        "matched": [word for word, terms in words.items() if not terms.isdisjoint(finding.matched)],
    }
