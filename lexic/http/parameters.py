"""Parses the parameters of URLs and forms: numbers, pages of a list, words on one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

# PostgreSQL takes no greater id of a row, and there is none.
MAX_ROW_ID = 2**63 - 1
# Words that a list is searched by.
MAX_SEARCH_LENGTH = 200


def parse_natural(text: str, *, max_digits: int) -> int | None:
    """The number that these digits write; None for any other text, and for one of more digits than that."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= max_digits else None


def single_line(text: str, *, max_length: int) -> str:
    """The words of the text on one line, cut to this length, without the null characters that PostgreSQL refuses."""
    return " ".join(text.replace("\x00", " ").split())[:max_length].strip()


def get_page(request: HttpRequest, rows: QuerySet[Any] | Sequence[Any], *, per_page: int) -> Page[Any]:
    """The page of the rows that `page` of the address names; the first or the last where there is no such page."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))
