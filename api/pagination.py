"""Lists in pages by cursor: a page costs the same wherever it is, and no row comes twice."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.utils import DataError
from drf_spectacular.utils import inline_serializer
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Field, Serializer, URLField
from rest_framework.views import APIView

from api.fields import QueryParameters
from lexic.errors import InvalidInput
from lexic.http.parameters import parse_natural


class InvalidCursor(InvalidInput):
    """This cursor was not issued here."""

    code = "invalid_cursor"
    hint = "Begin without one, and follow `next` from there."


class InvalidLimit(InvalidInput):
    """The limit is a whole number from 1 to 200."""

    code = "invalid_limit"


class DefaultPagination(CursorPagination):
    """`{"results": […], "next": url | null, "previous": url | null}`. `?limit=` 1 to 200.

    The columns of the view's `ordering` together are unique.
    """

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = ("-created_at", "pk")

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        return tuple(getattr(view, "ordering", self.ordering))

    def get_page_size(self, request: Request) -> int:
        limit = request.query_params.get(self.page_size_query_param, str(self.page_size))
        size = parse_natural(limit, max_digits=3)
        if not size or size > self.max_page_size:
            raise InvalidLimit
        return size

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Raises `InvalidCursor` for one that was made up: its values go into a comparison of the database."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValueError, ValidationError, DataError):
            raise InvalidCursor from None

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link(), "previous": self.get_previous_link()})


def page_response(
    view: APIView,
    rows: Any,
    serializer: type[BaseSerializer],
    *,
    pages: DefaultPagination | None = None,
    context: dict[str, Any] | None = None,
    has_parameters: bool = False,
) -> Response:
    """The page of these rows that the view's request asks for. A view that reads parameters of its own
    `has_parameters`; any other takes none. Raises `ValidationError`, `InvalidCursor` and `InvalidLimit`."""
    if not has_parameters:
        QueryParameters.read(view.request)
    pages = pages or DefaultPagination()
    page = pages.paginate_queryset(rows, view.request, view)
    return pages.get_paginated_response(serializer(page, many=True, context=context or {}).data)


def page_serializer(name: str, row: type[BaseSerializer], **more: type[Field]) -> Serializer:
    """A page of such rows under the name `name`, where the one that the description makes by itself will not do."""
    fields = {"results": row(many=True), "next": URLField(allow_null=True), "previous": URLField(allow_null=True)}
    # Fields stand in the order in which they were made.
    return inline_serializer(name, {**fields, **{name: field() for name, field in more.items()}})
