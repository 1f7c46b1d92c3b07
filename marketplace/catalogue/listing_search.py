"""Searches the catalogue by words and by meaning, under facets, in two statements.

The score of a listing is half its cosine and half the share of the query's words that it contains; a word in the name
counts most, and in the description least. Both parts are absolute, so a listing that does not fit scores low even if no
other listing fits better.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import caches
from django.db import connection, models
from django.db.models.functions import Lower

from lexic.sql_files import read_sql
from marketplace.catalogue.listing_query import ListingQuery, ListingSort, TrustFilter, UseFilter, parse_words
from marketplace.listings import listing_embeddings
from marketplace.listings.trust_label import MIN_QUESTIONS, wilson_interval
from marketplace.models import Label, Listing
from plugins.models import Plugin

# A listing below both is not about the query. Measured on a dozen listings and 34 searches: unrelated listings stayed
# below 0.19; of the related listings that use other words, four fifths were above 0.28.
MIN_COSINE = 0.28
MIN_LEXICAL_SCORE = 0.3
MAX_FACET_CHOICES = 40

# Nine right of nine questions have a lower bound below that of ten of ten, so this asks for ten questions at least.
MIN_SHARE_RIGHT, MIN_RIGHT_AT_LEAST = 0.95, wilson_interval(MIN_QUESTIONS, MIN_QUESTIONS)[0]

_COUNTS_CACHE, _COUNTS_CACHE_SECONDS = "process", 60
_TRUST_CONDITIONS: Mapping[TrustFilter, dict[str, Any]] = {
    TrustFilter.ANY: {},
    TrustFilter.MEASURED: {"label": Label.MEASURED},
    TrustFilter.RIGHT: {"share_right__gte": MIN_SHARE_RIGHT, "right_at_least__gte": MIN_RIGHT_AT_LEAST},
}
_BY_RIGHT_AT_LEAST = [models.F("right_at_least").desc(nulls_last=True)]
_SORT_ORDERS: Mapping[ListingSort, list[Any]] = {
    ListingSort.BEST: _BY_RIGHT_AT_LEAST,  # of words that are none, such as a lone quotation mark
    ListingSort.RIGHT: _BY_RIGHT_AT_LEAST,
    ListingSort.ASKED: ["-asked"],
    ListingSort.NEWEST: [],
    ListingSort.NAME: [Lower("plugin__name")],
}


@dataclass(frozen=True, kw_only=True)
class FacetCounts:
    """For each choice of a facet, how many listings would be left if the other facets stay as they are. Chosen domains
    and tags come first, then the most frequent ones; at most 40 of each."""

    domains: Mapping[str, int]
    tags: Mapping[str, int]
    trust: Mapping[str, int]
    uses: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class ListingSearchResult:
    """The requested page of `listings` in their order, and the `total` that fits."""

    total: int
    listings: list[Listing]
    facets: FacetCounts


def search_listings(wanted: ListingQuery, *, offset: int = 0, limit: int = 24) -> ListingSearchResult:
    """The listings that fit, from `offset` on. Two statements.

    Without a search text, the counts may be up to a minute old, because everybody who opens the marketplace sees the
    same ones.
    """
    if parse_words(wanted.words).is_empty:
        total, facets = _cached_facet_counts(wanted)
        return ListingSearchResult(
            total=total, listings=list(_sorted_listings(wanted, offset=offset, limit=limit)), facets=facets
        )
    total, ids, facets = _run_search(wanted, offset=offset, limit=limit)
    rows = {one.pk: one for one in Listing.objects.public().filter(pk__in=ids)} if ids else {}
    # A listing that was withdrawn in the meantime is left out.
    return ListingSearchResult(total=total, listings=[rows[pk] for pk in ids if pk in rows], facets=facets)


def _cached_facet_counts(wanted: ListingQuery) -> tuple[int, FacetCounts]:
    name = f"catalogue:{hashlib.sha256(wanted.query(words='', sort=None).encode()).hexdigest()}"
    known: tuple[int, FacetCounts] | None = caches[_COUNTS_CACHE].get(name)
    if known is None:
        total, _, facets = _run_search(wanted, offset=0, limit=0)
        known = total, facets
        caches[_COUNTS_CACHE].set(name, known, _COUNTS_CACHE_SECONDS)
    return known


def _sorted_listings(wanted: ListingQuery, *, offset: int, limit: int) -> models.QuerySet[Listing]:
    """The listings that pass the facets. Each order has an index, except that by name."""
    narrowed: dict[str, Any] = {"domain__in": wanted.domains} if wanted.domains else {}
    narrowed |= {"tags__contains": list(wanted.tags)} if wanted.tags else {}
    narrowed |= {"plugin__public_chat": True} if UseFilter.CHAT in wanted.uses else {}
    narrowed |= {"plugin__is_shared": True} if UseFilter.INSTALL in wanted.uses else {}
    order = [*_SORT_ORDERS[wanted.order], "-released_at", "pk"]
    fitting = Listing.objects.filter(plugin__in=Plugin.objects.listed(), **narrowed, **_TRUST_CONDITIONS[wanted.trust])
    # Only the listings of the page are read in full, because a late page skips thousands.
    page = fitting.order_by(*order).values("pk")[offset : offset + limit]
    return Listing.objects.public().filter(pk__in=page).order_by(*order)


def _run_search(wanted: ListingQuery, *, offset: int, limit: int) -> tuple[int, list[UUID], FacetCounts]:
    words = parse_words(wanted.words)
    vector = listing_embeddings.query_vector(words.query_text)
    values = {
        "words": list(words.plain),
        "phrases": list(words.phrases),
        "excluded": list(words.excluded),
        "begun": list(words.prefix),
        "embedder": listing_embeddings.LISTING_EMBEDDER if vector is not None else None,
        "vector": None if vector is None else str(vector.tolist()),
        "is_search": bool(words.query_text),
        "enough_words": MIN_LEXICAL_SCORE,
        "near_enough": MIN_COSINE,
        "domains": list(wanted.domains),
        "tags": list(wanted.tags),
        "trust": wanted.trust.value,
        "min_share_right": MIN_SHARE_RIGHT,
        "min_right_at_least": MIN_RIGHT_AT_LEAST,
        "uses": [use.value for use in wanted.uses],
        "sort": wanted.order.value,
        "offset": offset,
        "limit": limit,
        "most_choices": MAX_FACET_CHOICES,
    }
    with connection.cursor() as cursor:
        cursor.execute(read_sql("marketplace", "browse"), values)
        total, ids, domains, tags, trust, uses = cursor.fetchone()
    facets = FacetCounts(
        domains=dict(_decoded_json(domains)),
        tags=dict(_decoded_json(tags)),
        trust=_decoded_json(trust),
        uses=_decoded_json(uses),
    )
    return total, ids, facets


def _decoded_json(value: Any) -> Any:
    """Decodes a JSON column, which Django has the driver return as text."""
    return json.loads(value) if isinstance(value, str) else value
