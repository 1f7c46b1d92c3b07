"""A search as its page shows it: choices with their counts, chips that take one off, and links to the other pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from marketplace.catalogue.listing_query import ListingQuery, ListingSort, TrustFilter, UseFilter
from marketplace.catalogue.listing_search import FacetCounts, ListingSearchResult

PER_PAGE = 24
# So many are seen at once; the others after one more press.
VISIBLE_CHOICES = 8

_TRUST_LABELS = {
    TrustFilter.ANY: gettext_lazy("Any"),
    TrustFilter.MEASURED: gettext_lazy("Measured"),
    # xgettext:no-python-format
    TrustFilter.RIGHT: gettext_lazy("95% right of 10 questions or more"),
}
_USE_LABELS = {
    UseFilter.API: gettext_lazy("By API or MCP"),
    UseFilter.CHAT: gettext_lazy("Chat in the browser"),
    UseFilter.INSTALL: gettext_lazy("Install a copy"),
}
_SORT_LABELS = {
    ListingSort.BEST: gettext_lazy("best match"),
    ListingSort.RIGHT: gettext_lazy("most often right"),
    ListingSort.ASKED: gettext_lazy("most asked"),
    ListingSort.NEWEST: gettext_lazy("newest"),
    ListingSort.NAME: pgettext_lazy("sort order", "name"),
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """`count`: how many plugins there would be with it; None where that is not known."""

    value: str
    label: str
    count: int | None = None
    is_chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Facet:
    """`name` is that of its field; those of `kind` "radio" have one choice at a time. `more` are shown on demand."""

    name: str
    title: str
    kind: str
    choices: list[Choice]
    more: list[Choice]


@dataclass(frozen=True, kw_only=True)
class FilterChip:
    label: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Pager:
    """From the `first` to the `last` of `total`; the addresses are empty where there is no such page."""

    first: int
    last: int
    total: int
    previous: str
    following: str


def build_facets(wanted: ListingQuery, counted: FacetCounts) -> list[Facet]:
    """Always the same, in the same order. What is chosen is always among the choices."""
    domains = _counted_choices(wanted.domains, counted.domains)
    tags = _counted_choices(wanted.tags, counted.tags)
    trust = [
        Choice(value=one.value, label=str(label), count=counted.trust[one.value], is_chosen=wanted.trust == one)
        for one, label in _TRUST_LABELS.items()
    ]
    uses = [
        Choice(value=one.value, label=str(label), count=counted.uses[one.value], is_chosen=one in wanted.uses)
        for one, label in _USE_LABELS.items()
    ]
    facets = [
        _build_facet("domain", gettext("Domain"), domains),
        _build_facet("trust", gettext("Trust label"), trust, kind="radio"),
        _build_facet("use", gettext("How you may use it"), uses),
        _build_facet("tag", gettext("Tags"), tags),
    ]
    return [facet for facet in facets if facet.choices]


def sort_choices(wanted: ListingQuery) -> list[Choice]:
    """Without words nothing matches best. The usual order has no value, so that a new search has its own usual one."""
    usual = replace(wanted, sort=None).order
    return [
        Choice(value="" if one == usual else one.value, label=str(label), is_chosen=wanted.order == one)
        for one, label in _SORT_LABELS.items()
        if one != ListingSort.BEST or wanted.words
    ]


def filter_chips(wanted: ListingQuery) -> list[FilterChip]:
    """One for everything that narrows the search; each leads to the search without it."""
    domains = [(one, {"domains": _without_value(wanted.domains, one)}) for one in wanted.domains]
    trust = [(str(_TRUST_LABELS[wanted.trust]), {"trust": TrustFilter.ANY})] if wanted.trust != TrustFilter.ANY else []
    uses = [(str(_USE_LABELS[one]), {"uses": _without_value(wanted.uses, one)}) for one in wanted.uses]
    tags = [(one, {"tags": _without_value(wanted.tags, one)}) for one in wanted.tags]
    chips: list[tuple[str, dict[str, Any]]] = [*domains, *trust, *uses, *tags]
    return [FilterChip(label=label, address=search_url(wanted, **changed)) for label, changed in chips]


def build_pager(wanted: ListingQuery, found: ListingSearchResult, *, number: int) -> Pager:
    begin = (number - 1) * PER_PAGE
    has_more = begin + PER_PAGE < found.total
    return Pager(
        first=begin + 1,
        last=begin + len(found.listings),
        total=found.total,
        previous=search_url(wanted, page=number - 1) if number > 1 else "",
        following=search_url(wanted, page=number + 1) if has_more else "",
    )


def search_url(wanted: ListingQuery, *, page: int = 1, **changed: Any) -> str:
    query = wanted.query(**changed)
    parts = [part for part in (query, f"page={page}" if page > 1 else "") if part]
    return reverse("marketplace") + (f"?{'&'.join(parts)}" if parts else "")


def _build_facet(name: str, title: str, choices: list[Choice], *, kind: str = "checkbox") -> Facet:
    seen = max(VISIBLE_CHOICES, sum(one.is_chosen for one in choices))
    return Facet(name=name, title=title, kind=kind, choices=choices[:seen], more=choices[seen:])


def _counted_choices(chosen: Iterable[str], counts: Mapping[str, int]) -> list[Choice]:
    """What is chosen comes first, also where nothing is left of it."""
    gone = [Choice(value=one, label=one, count=0, is_chosen=True) for one in chosen if one not in counts]
    there = [Choice(value=one, label=one, count=count, is_chosen=one in set(chosen)) for one, count in counts.items()]
    return gone + there


def _without_value(values: tuple[Any, ...], value: object) -> tuple[Any, ...]:
    return tuple(one for one in values if one != value)
