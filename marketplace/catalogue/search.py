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

from marketplace.catalogue import meaning
from marketplace.catalogue.sql import statement
from marketplace.catalogue.wanted import Sort, Trust, Use, Wanted, parsed
from marketplace.models import Label, Listing

# Below both, a listing is about something else. Measured on a dozen listings and 34 searches: what nothing was about
# stayed below 0.19; of what a listing was about in other words, four fifths were above 0.28.
NEAR_ENOUGH = 0.28
ENOUGH_WORDS = 0.3
MOST_CHOICES = 40

_NEAR, _COUNTED_FOR = "process", 60
_TRUSTED: Mapping[Trust, dict[str, Any]] = {
    Trust.ANY: {},
    Trust.MEASURED: {"label": Label.MEASURED},
    Trust.RIGHT: {"share_right__gte": 0.95},
}
_MOST_RIGHT = [models.F("right_at_least").desc(nulls_last=True)]
_ORDERS: Mapping[Sort, list[Any]] = {
    Sort.BEST: _MOST_RIGHT,  # of words that are none, such as a lone quotation mark
    Sort.RIGHT: _MOST_RIGHT,
    Sort.ASKED: ["-asked"],
    Sort.NEWEST: [],
    Sort.NAME: [Lower("plugin__name")],
}


@dataclass(frozen=True, kw_only=True)
class Facets:
    """How many would be left by each choice, all other facets as they are. Domains and tags by what was chosen, then
    by number; not more than 40 of each."""

    domains: Mapping[str, int]
    tags: Mapping[str, int]
    trust: Mapping[str, int]
    uses: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Found:
    """`total` fit, of which these `listings` were asked for, in order."""

    total: int
    listings: list[Listing]
    facets: Facets


def look_for(wanted: Wanted, *, offset: int = 0, limit: int = 24) -> Found:
    """What fits, from the one after `offset` on. Two statements.

    Where nothing is searched for, the counts are those of a minute ago at most: everybody who opens the
    marketplace sees the same ones.
    """
    if parsed(wanted.words).is_empty:
        total, facets = _counted(wanted)
        return Found(total=total, listings=list(_in_order(wanted, offset=offset, limit=limit)), facets=facets)
    total, ids, facets = _narrowed(wanted, offset=offset, limit=limit)
    rows = {one.pk: one for one in Listing.objects.public().filter(pk__in=ids)} if ids else {}
    # One that went off the air in between is left out.
    return Found(total=total, listings=[rows[pk] for pk in ids if pk in rows], facets=facets)


def _counted(wanted: Wanted) -> tuple[int, Facets]:
    name = f"catalogue:{hashlib.sha256(wanted.query(words='', sort=None).encode()).hexdigest()}"
    known: tuple[int, Facets] | None = caches[_NEAR].get(name)
    if known is None:
        total, _, facets = _narrowed(wanted, offset=0, limit=0)
        known = total, facets
        caches[_NEAR].set(name, known, _COUNTED_FOR)
    return known


def _in_order(wanted: Wanted, *, offset: int, limit: int) -> models.QuerySet[Listing]:
    """Those that the facets let pass; each order is that of an index, but for the names'."""
    narrowed: dict[str, Any] = {"domain__in": wanted.domains} if wanted.domains else {}
    narrowed |= {"tags__contains": list(wanted.tags)} if wanted.tags else {}
    narrowed |= {"plugin__public_chat": True} if Use.CHAT in wanted.uses else {}
    narrowed |= {"plugin__is_shared": True} if Use.INSTALL in wanted.uses else {}
    order = [*_ORDERS[wanted.order], "-released_at", "pk"]
    fitting = Listing.objects.filter(plugin__is_published=True, **narrowed, **_TRUSTED[wanted.trust])
    # Only those of the page are read whole: a late page passes over thousands.
    page = fitting.order_by(*order).values("pk")[offset : offset + limit]
    return Listing.objects.public().filter(pk__in=page).order_by(*order)


def _narrowed(wanted: Wanted, *, offset: int, limit: int) -> tuple[int, list[UUID], Facets]:
    words = parsed(wanted.words)
    vector = meaning.vector_of(words.meant)
    values = {
        "words": list(words.plain),
        "phrases": list(words.phrases),
        "excluded": list(words.excluded),
        "begun": list(words.begun),
        "embedder": meaning.EMBEDDER if vector is not None else None,
        "vector": None if vector is None else str(vector.tolist()),
        "is_search": bool(words.meant),
        "enough_words": ENOUGH_WORDS,
        "near_enough": NEAR_ENOUGH,
        "domains": list(wanted.domains),
        "tags": list(wanted.tags),
        "trust": wanted.trust.value,
        "uses": [use.value for use in wanted.uses],
        "sort": wanted.order.value,
        "offset": offset,
        "limit": limit,
        "most_choices": MOST_CHOICES,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("browse"), values)
        total, ids, domains, tags, trust, uses = cursor.fetchone()
    facets = Facets(domains=dict(_json(domains)), tags=dict(_json(tags)), trust=_json(trust), uses=_json(uses))
    return total, ids, facets


def _json(value: Any) -> Any:
    """Django has the driver hand JSON over as it is written."""
    return json.loads(value) if isinstance(value, str) else value
