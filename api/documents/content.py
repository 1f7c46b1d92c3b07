"""The text of a document as it answers now: its pages, and the chunks they are cut into."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import F, Value
from django.db.models.functions import Least, Length, Substr
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.lookup import get_document_access
from api.documents.serializers import (
    ChunkSerializer,
    ChunksSerializer,
    DocumentPageSerializer,
    DocumentPagesSerializer,
)
from api.fields import QueryParameters
from api.pagination import DefaultPagination
from api.views import AuthorView
from knowledge.models import Document
from lexic.errors import NotFound

# A source without pages is one page, of any length.
MAX_EXCERPT_LENGTH = 20_000
MAX_PAGE_LENGTH = 200_000
_MAX_INTEGER = 2_000_000_000


class NoSuchPage(NotFound):
    """This document has no such page."""

    code = "unknown_page"
    hint = "Pages count from 1. A source without pages is one page."


class PageExcerptParameters(QueryParameters):
    start = serializers.IntegerField(min_value=0, max_value=_MAX_INTEGER, default=0)
    length = serializers.IntegerField(min_value=1, max_value=MAX_PAGE_LENGTH, default=MAX_PAGE_LENGTH)


class SmallPagination(DefaultPagination):
    page_size = 10


class PagesView(AuthorView):
    ordering = ("number", "pk")

    @extend_schema(responses=DocumentPagesSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its pages in order, each with the first 20,000 characters of its text."""
        found = get_document_access(request, plugin).readable_document(document)
        pages = SmallPagination()
        QueryParameters.read(request)
        rows = pages.paginate_queryset(_page_excerpts(found, start=0, length=MAX_EXCERPT_LENGTH), request, self)
        return pages.get_paginated_response(DocumentPageSerializer(rows, many=True).data)


class PageView(AuthorView):
    @extend_schema(parameters=[PageExcerptParameters], responses=DocumentPageSerializer)
    def get(self, request: Request, plugin: str, document: UUID, number: int) -> Response:
        """One page, or a part of a long one."""
        found = get_document_access(request, plugin).readable_document(document)
        said = PageExcerptParameters.read(request)
        rows = _page_excerpts(found, **said).filter(number=number) if number <= _MAX_INTEGER else None
        row = rows.first() if rows is not None else None
        if row is None:
            raise NoSuchPage
        return Response(DocumentPageSerializer(row).data)


class ChunksView(AuthorView):
    ordering = ("index", "pk")

    @extend_schema(responses=ChunksSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its chunks in reading order."""
        found = get_document_access(request, plugin).readable_document(document)
        chunks = _current_rows(found.chunks).annotate(page_number=F("page__number")).defer("content_hash")
        pages = DefaultPagination()
        QueryParameters.read(request)
        rows = pages.paginate_queryset(chunks, request, self)
        return pages.get_paginated_response(ChunkSerializer(rows, many=True).data)


def _page_excerpts(document: Document, *, start: int, length: int) -> Any:
    """The pages with their text cut to this part already by the database: a page may be very long."""
    whole = Length("text")
    return (
        _current_rows(document.pages)
        .annotate(length=whole, start=Least(Value(start), whole), end=Least(Value(start + length), whole))
        .annotate(piece=Substr("text", start + 1, length))
        .values("pk", "number", "length", "start", "end", "piece")
    )


def _current_rows(rows: Any) -> Any:
    return rows.filter(added_in__isnull=False, removed_in=None)
