"""Lists in pages: by cursor, so that a page costs the same wherever it is, and nothing is seen twice."""

from __future__ import annotations

from typing import Any

from rest_framework.pagination import CursorPagination
from rest_framework.response import Response


class Pages(CursorPagination):
    """`{"results": […], "next": url | null, "previous": url | null}`. `?limit=` 1 to 200.

    The view's `ordering` names columns that together tell any two rows apart.
    """

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = ("-created_at", "pk")

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link(), "previous": self.get_previous_link()})
