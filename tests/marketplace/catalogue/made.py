"""Plugins on the marketplace, made without documents: their listings are computed as those of any other."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.utils import timezone

from accounts.models import User
from marketplace.listings import listing_embeddings
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from plugins.models import Plugin, Release


def scorecard(right: int = 9, total: int = 10, *, refused: tuple[int, int] = (2, 2), **more: Any) -> dict[str, Any]:
    """Of so many questions to answer and to refuse; measured today unless it says otherwise."""
    return {
        "golden_total": total + refused[1],
        "golden_passed": right + refused[0],
        "answered": [right, total],
        "refused": list(refused),
        "asked_back": [0, 0],
        "cited": [right, total],
        "citation_precision": 0.9,
        "refusal_accuracy": 1.0,
        "p50_ms": 240.0,
        "p95_ms": 900.0,
        "answerer": "extractive",
        "calibrated": False,
        "date": timezone.localdate().isoformat(),
        **more,
    }


def listed(
    owner: User, name: str, *, card: dict[str, Any] | None = None, embed: bool = False, **fields: Any
) -> Listing:
    """A published plugin with a release, listed; with `embed`, found by meaning as well."""
    values = {"domain": "testing", "system_prompt": "You answer.", "is_published": True, **fields}
    plugin = Plugin.objects.create(owner=owner, name=name, **values)
    Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="You answer.", scorecard=card or {})
    listing = update_listing(plugin)
    assert listing
    if embed:
        listing_embeddings.embed_listing(plugin)
    return Listing.objects.get(pk=plugin.pk)


def day(text: str) -> date:
    return date.fromisoformat(text)
