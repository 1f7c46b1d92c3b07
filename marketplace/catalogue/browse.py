"""The marketplace: all that is published, searched and narrowed. Everything is in the address, so it can be shared."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from marketplace.catalogue import spelling
from marketplace.catalogue.search import Found, look_for
from marketplace.catalogue.shown import PER_PAGE, chips_of, facets_of, pager_of, sorts_of
from marketplace.catalogue.wanted import LONGEST_WORDS, Wanted, wanted


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """What makes no sense in the address is passed over; beyond the last page is the last page."""
    asked = wanted(dict(request.GET.lists()))
    number, found, instead = _shown(asked, _number(request.GET.get("page", "")))
    context = {
        "section": "marketplace",
        "wanted": asked,
        "instead": instead,
        "found": found,
        "facets": facets_of(asked, found.facets),
        "sorts": sorts_of(asked),
        "chips": chips_of(asked),
        "pager": pager_of(asked, found, number=number),
        "longest": LONGEST_WORDS,
    }
    return render(request, "marketplace/browse.html", context)


def _shown(asked: Wanted, number: int) -> tuple[int, Found, str]:
    """The page and what is on it; where nothing has the words, what has the most similar ones, and these."""
    page, found = _page(asked, number)
    meant = "" if found.total else spelling.meant_by(asked.words)
    if not meant:
        return page, found, ""
    page_of_meant, others = _page(replace(asked, words=meant), number)
    return (page_of_meant, others, meant) if others.total else (page, found, "")


def _page(asked: Wanted, number: int) -> tuple[int, Found]:
    found = look_for(asked, offset=(number - 1) * PER_PAGE, limit=PER_PAGE)
    last = max(1, -(-found.total // PER_PAGE))
    if number <= last:
        return number, found
    return last, look_for(asked, offset=(last - 1) * PER_PAGE, limit=PER_PAGE)


def _number(said: str) -> int:
    """From 1; what is none is the first page."""
    is_number = said.isascii() and said.isdigit() and len(said) <= 6
    return max(1, int(said)) if is_number else 1
