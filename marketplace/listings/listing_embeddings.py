"""The vectors of listings, computed by a worker, and the vectors of search queries.

They always come from the local embedder, whatever the knowledge bases use: a search by a visitor must neither cost
money nor wait for another service.
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
    """Computes the vector of the listing, unless it is up to date. Raises EmbedderError."""
    embed_listings([plugin])


def embed_listings(plugins: list[Plugin]) -> int:
    """Does the same for many listings at once, which is faster. Returns how many vectors were computed."""
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
    """The unit vector of the search text. None if the text has no words or the embedder fails: then only words are
    searched."""
    if not words:
        return None
    try:
        return get_embedder(LISTING_EMBEDDER).embed_one(words)
    except EmbedderError as error:
        logger.warning("searching by words alone: %s", error)
        return None
