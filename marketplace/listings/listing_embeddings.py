"""Listings by what they mean: their vectors, computed by a worker, and those of what visitors look for.

Always the local embedder, whatever the site's knowledge bases use: a search by anybody must neither cost money nor
wait for somebody else's service.
"""

from __future__ import annotations

import logging
from uuid import UUID

import numpy as np

from knowledge.embedders import get_embedder
from knowledge.embedders.base import EmbedderError
from marketplace.listings.listing_text import embedding_text, text_hash
from marketplace.models import Listing
from plugins.models import Plugin

logger = logging.getLogger(__name__)
LISTING_EMBEDDER = "local"


def embed_listing(plugin: Plugin) -> None:
    """Give the plugin's listing the vector of what it says, unless it has that. Raises EmbedderError."""
    embed_listings([plugin])


def embed_listings(plugins: list[Plugin]) -> int:
    """The same for many at once: the embedder is fastest with many texts. Returns how many were computed."""
    embedded = Listing.objects.filter(embedder=LISTING_EMBEDDER, vector__isnull=False)
    known = dict(embedded.filter(pk__in=[one.pk for one in plugins]).values_list("pk", "embedded"))
    texts = {one.pk: embedding_text(one) for one in plugins}
    wanting: dict[UUID, str] = {pk: text for pk, text in texts.items() if known.get(pk) != text_hash(text)}
    vectors = get_embedder(LISTING_EMBEDDER).embed(list(wanting.values()))
    for (pk, text), vector in zip(wanting.items(), vectors, strict=True):
        columns = {"vector": vector.tolist(), "embedder": LISTING_EMBEDDER, "embedded": text_hash(text)}
        Listing.objects.filter(pk=pk).update(**columns)
    return len(wanting)


def query_vector(words: str) -> np.ndarray | None:
    """The unit vector of what somebody looks for; None without words, and where the embedder fails: then the words
    alone have to do."""
    if not words:
        return None
    try:
        return get_embedder(LISTING_EMBEDDER).embed_one(words)
    except EmbedderError as error:
        logger.warning("searching by words alone: %s", error)
        return None
