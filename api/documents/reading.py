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

from api.documents.bodies import ChunkSerializer, ChunksSerializer, DocumentPageSerializer, DocumentPagesSerializer
from api.documents.reach import reach_of
from api.fields import Parameters
from api.pagination import Pages
from api.views import AuthorView
from knowledge.models import Document
from lexic.errors import NotFound

# A source without pages is one page, of any length.
LONGEST_PIECE = 20_000
LONGEST_TEXT = 200_000
_LAST = 2_000_000_000


class NoSuchPage(NotFound):
    """This document has no such page."""

    code = "unknown_page"
    hint = "Pages count from 1. A source without pages is one page."


class SpanParameters(Parameters):
    start = serializers.IntegerField(min_value=0, max_value=_LAST, default=0)
    length = serializers.IntegerField(min_value=1, max_value=LONGEST_TEXT, default=LONGEST_TEXT)


class FewPages(Pages):
    page_size = 10


class PagesView(AuthorView):
    ordering = ("number", "pk")

    @extend_schema(responses=DocumentPagesSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its pages in order, each with the first 20,000 characters of its text."""
        found = reach_of(request, plugin).readable_document(document)
        pages = FewPages()
        Parameters.read(request)
        rows = pages.paginate_queryset(_pieces(found, start=0, length=LONGEST_PIECE), request, self)
        return pages.get_paginated_response(DocumentPageSerializer(rows, many=True).data)


class PageView(AuthorView):
    @extend_schema(parameters=[SpanParameters], responses=DocumentPageSerializer)
    def get(self, request: Request, plugin: str, document: UUID, number: int) -> Response:
        """One page, or a part of a long one."""
        found = reach_of(request, plugin).readable_document(document)
        said = SpanParameters.read(request)
        rows = _pieces(found, **said).filter(number=number) if number <= _LAST else None
        row = rows.first() if rows is not None else None
        if row is None:
            raise NoSuchPage
        return Response(DocumentPageSerializer(row).data)


class ChunksView(AuthorView):
    ordering = ("index", "pk")

    @extend_schema(responses=ChunksSerializer)
    def get(self, request: Request, plugin: str, document: UUID) -> Response:
        """Its chunks in reading order."""
        found = reach_of(request, plugin).readable_document(document)
        chunks = _alive(found.chunks).annotate(page_number=F("page__number")).defer("content_hash")
        pages = Pages()
        Parameters.read(request)
        rows = pages.paginate_queryset(chunks, request, self)
        return pages.get_paginated_response(ChunkSerializer(rows, many=True).data)


def _pieces(document: Document, *, start: int, length: int) -> Any:
    """The pages with their text cut to this part already by the database: a page may be very long."""
    whole = Length("text")
    return (
        _alive(document.pages)
        .annotate(length=whole, start=Least(Value(start), whole), end=Least(Value(start + length), whole))
        .annotate(piece=Substr("text", start + 1, length))
        .values("pk", "number", "length", "start", "end", "piece")
    )


def _alive(rows: Any) -> Any:
    return rows.filter(added_in__isnull=False, removed_in=None)
