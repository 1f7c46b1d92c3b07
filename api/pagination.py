"""Lists in pages: by cursor, so that a page costs the same wherever it is, and nothing is seen twice."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.utils import DataError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from lexic.errors import InvalidInput


class InvalidCursor(InvalidInput):
    """This cursor is none that was given out here."""

    code = "invalid_cursor"
    hint = "Begin without one, and follow `next` from there."


class InvalidLimit(InvalidInput):
    """The limit is a whole number from 1 to 200."""

    code = "invalid_limit"


class DefaultPagination(CursorPagination):
    """`{"results": […], "next": url | null, "previous": url | null}`. `?limit=` 1 to 200.

    The view's `ordering` names columns that together tell any two rows apart.
    """

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = ("-created_at", "pk")

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        return tuple(getattr(view, "ordering", self.ordering))

    def get_page_size(self, request: Request) -> int:
        asked = request.query_params.get(self.page_size_query_param, str(self.page_size))
        if not (asked.isascii() and asked.isdigit() and len(asked) <= 3 and 1 <= int(asked) <= self.max_page_size):
            raise InvalidLimit
        return int(asked)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Raises `BadCursor` for one that was made up: what it holds goes into a comparison of the database."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValueError, ValidationError, DataError):
            raise InvalidCursor from None

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link(), "previous": self.get_previous_link()})
