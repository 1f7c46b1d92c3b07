"""Looking in the catalogue: by words and by meaning, narrowed by facets, in two statements.

A listing's score is half its cosine and half the share of the words asked that stand in it, where the name weighs
most and the description least. Both are absolute, so that what fits nothing scores low, however little else there is.
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

from marketplace.catalogue.listing_query import ListingQuery, ListingSort, TrustFilter, UseFilter, parse_words
from marketplace.listings import listing_embeddings
from marketplace.listings.trust_label import MIN_QUESTIONS, wilson_interval
from marketplace.models import Label, Listing
from marketplace.sql import sql_statement
from plugins.models import Plugin

# Below both, a listing is about something else. Measured on a dozen listings and 34 searches: what nothing was about
# stayed below 0.19; of what a listing was about in other words, four fifths were above 0.28.
MIN_COSINE = 0.28
MIN_LEXICAL_SCORE = 0.3
MAX_FACET_CHOICES = 40

# Nine questions of which all are right have a lower range than ten, so this asks for ten questions at least.
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
    """How many would be left by each choice, all other facets as they are. Domains and tags by what was chosen, then
    by number; not more than 40 of each."""

    domains: Mapping[str, int]
    tags: Mapping[str, int]
    trust: Mapping[str, int]
    uses: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class ListingSearchResult:
    """`total` fit, of which these `listings` were asked for, in order."""

    total: int
    listings: list[Listing]
    facets: FacetCounts


def search_listings(wanted: ListingQuery, *, offset: int = 0, limit: int = 24) -> ListingSearchResult:
    """What fits, from the one after `offset` on. Two statements.

    Where nothing is searched for, the counts are those of a minute ago at most: everybody who opens the
    marketplace sees the same ones.
    """
    if parse_words(wanted.words).is_empty:
        total, facets = _cached_facet_counts(wanted)
        return ListingSearchResult(
            total=total, listings=list(_sorted_listings(wanted, offset=offset, limit=limit)), facets=facets
        )
    total, ids, facets = _run_search(wanted, offset=offset, limit=limit)
    rows = {one.pk: one for one in Listing.objects.public().filter(pk__in=ids)} if ids else {}
    # One that was withdrawn in between is left out.
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
    """Those that the facets let pass; each order is that of an index, but for the names'."""
    narrowed: dict[str, Any] = {"domain__in": wanted.domains} if wanted.domains else {}
    narrowed |= {"tags__contains": list(wanted.tags)} if wanted.tags else {}
    narrowed |= {"plugin__public_chat": True} if UseFilter.CHAT in wanted.uses else {}
    narrowed |= {"plugin__is_shared": True} if UseFilter.INSTALL in wanted.uses else {}
    order = [*_SORT_ORDERS[wanted.order], "-released_at", "pk"]
    fitting = Listing.objects.filter(plugin__in=Plugin.objects.listed(), **narrowed, **_TRUST_CONDITIONS[wanted.trust])
    # Only those of the page are read whole: a late page passes over thousands.
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
        cursor.execute(sql_statement("browse"), values)
        total, ids, domains, tags, trust, uses = cursor.fetchone()
    facets = FacetCounts(
        domains=dict(_decoded_json(domains)),
        tags=dict(_decoded_json(tags)),
        trust=_decoded_json(trust),
        uses=_decoded_json(uses),
    )
    return total, ids, facets


def _decoded_json(value: Any) -> Any:
    """Django has the driver hand JSON over as it is written."""
    return json.loads(value) if isinstance(value, str) else value
