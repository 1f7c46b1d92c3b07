"""Plugins on a similar subject."""

from __future__ import annotations

from uuid import UUID

from django.core.cache import caches
from pgvector.django import MaxInnerProduct

from marketplace.catalogue.listing_search import MIN_COSINE
from marketplace.models import Listing
from plugins.models import Plugin

MAX_SIMILAR = 3
# Comparing ten thousand listings takes some milliseconds, and the result changes only when plugins do.
_SIMILAR_CACHE_SECONDS = 3600


def similar_listings(plugin: Plugin, listing: Listing | None) -> list[Listing]:
    """The listings with the most similar pages, else the most asked ones of the same domain. One statement, or three
    when nothing is cached."""
    if listing is None:
        return []
    key, cache = f"similar:{plugin.pk}:{listing.release_id}", caches["process"]
    ids = cache.get_or_set(key, lambda: _nearest_listing_ids(plugin.pk, listing), _SIMILAR_CACHE_SECONDS) or []
    # What was withdrawn since is not shown, whatever is cached.
    found = {one.pk: one for one in Listing.objects.public().defer("vector", "search", "sample").filter(pk__in=ids)}
    return [found[pk] for pk in ids if pk in found]


def _nearest_listing_ids(pk: UUID, listing: Listing) -> list[UUID]:
    others = Listing.objects.exclude(pk=pk)
    ids: list[UUID] = []
    # All vectors have unit length, so the inner product ranks as the cosine does, and is faster.
    vector = Listing.objects.filter(pk=pk).values_list("vector", flat=True).first()
    if vector is not None:
        comparable = others.filter(embedder=listing.embedder, vector__isnull=False)
        nearest = comparable.annotate(negative_cosine=MaxInnerProduct("vector", vector)).order_by("negative_cosine")
        found = nearest.values_list("pk", "negative_cosine")[:MAX_SIMILAR]
        ids = [pk for pk, negative_cosine in found if -negative_cosine >= MIN_COSINE]
    if len(ids) < MAX_SIMILAR:
        alike = others.filter(domain=listing.domain).exclude(pk__in=ids).order_by("-asked", "pk")
        ids += list(alike.values_list("pk", flat=True)[: MAX_SIMILAR - len(ids)])
    return ids
