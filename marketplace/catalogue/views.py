"""The marketplace: all that is published, searched and narrowed. Everything is in the address, so it can be shared."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lexic.http.parameters import MAX_SEARCH_LENGTH, parse_natural
from marketplace.catalogue import spelling
from marketplace.catalogue.browse_page import PER_PAGE, build_facets, build_pager, filter_chips, sort_choices
from marketplace.catalogue.listing_query import ListingQuery, parse_listing_query
from marketplace.catalogue.listing_search import ListingSearchResult, search_listings


@require_safe
def browse_view(request: HttpRequest) -> HttpResponse:
    """What makes no sense in the address is passed over; beyond the last page is the last page."""
    asked = parse_listing_query(dict(request.GET.lists()))
    number, found, instead = _search_or_correct(asked, parse_natural(request.GET.get("page", ""), max_digits=6) or 1)
    context = {
        "section": "marketplace",
        "wanted": asked,
        "instead": instead,
        "found": found,
        "facets": build_facets(asked, found.facets),
        "sorts": sort_choices(asked),
        "chips": filter_chips(asked),
        "pager": build_pager(asked, found, number=number),
        "longest": MAX_SEARCH_LENGTH,
    }
    return render(request, "marketplace/browse.html", context)


def _search_or_correct(asked: ListingQuery, number: int) -> tuple[int, ListingSearchResult, str]:
    """The page and what is on it; where nothing has the words, what has the most similar ones, and these."""
    page, found = _search_page(asked, number)
    meant = "" if found.total else spelling.correct_spelling(asked.words)
    if not meant:
        return page, found, ""
    page_of_meant, others = _search_page(replace(asked, words=meant), number)
    return (page_of_meant, others, meant) if others.total else (page, found, "")


def _search_page(asked: ListingQuery, number: int) -> tuple[int, ListingSearchResult]:
    found = search_listings(asked, offset=(number - 1) * PER_PAGE, limit=PER_PAGE)
    last = max(1, -(-found.total // PER_PAGE))
    if number <= last:
        return number, found
    return last, search_listings(asked, offset=(last - 1) * PER_PAGE, limit=PER_PAGE)
