"""Keeps all listings up to date on a schedule: days pass, sources are superseded, accounts are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from knowledge.models import Document
from marketplace.catalogue import spelling
from marketplace.listings import listing_embeddings
from marketplace.listings.daily_counts import count_days, update_listing_counts
from marketplace.listings.update_listing import relist
from marketplace.models import Listing
from plugins.models import Plugin, PluginQuerySet, Release

# What depends on the date alone is looked at once a day.
MAX_LISTING_AGE = timedelta(hours=24)
MAX_PER_REFRESH = 500
_LISTING_BATCH = 64


def refresh_stale_listings(*, now: datetime | None = None) -> list[Plugin]:
    """Count what was asked, and relist what is stale, a bounded number at a time. Returns those that were relisted."""
    now = now or timezone.now()
    count_days(today=now.date())
    update_listing_counts(today=now.date())
    relisted = list(stale_plugins(now=now)[:MAX_PER_REFRESH])
    _rebuild_listings(relisted)
    spelling.update_known_words()
    return relisted


def rebuild_all_listings(*, progress: Callable[[Plugin], None] = lambda plugin: None) -> int:
    """Rebuilds the listings of all published plugins, and counts every day that is not counted yet. Returns the number
    of plugins."""
    count_days(backfill=True)
    Listing.objects.exclude(plugin__in=Plugin.objects.listed()).delete()
    published = Plugin.objects.listed().order_by("pk")
    done = _rebuild_listings(published.iterator(chunk_size=_LISTING_BATCH), progress=progress)
    spelling.update_known_words()
    return done


def stale_plugins(*, now: datetime) -> PluginQuerySet:
    """Published plugins whose listing is missing, older than the plugin or one of its own documents, or older than a
    day; the oldest first."""
    changed = Document.objects.filter(
        knowledge_base__plugin=OuterRef("pk"), updated_at__gt=OuterRef("listing__updated_at")
    )
    is_stale = (
        Q(listing=None)
        | Q(listing__updated_at__lt=F("updated_at"))
        | Exists(changed)
        | Q(listing__updated_at__lt=now - MAX_LISTING_AGE)
        | Q(listing__vector=None)
    )
    is_released = Exists(Release.objects.filter(plugin=OuterRef("pk")))
    plugins = Plugin.objects.listed().filter(is_released, is_stale)
    return plugins.order_by(F("listing__updated_at").asc(nulls_first=True), "pk")


def _rebuild_listings(plugins: Iterable[Plugin], *, progress: Callable[[Plugin], None] = lambda plugin: None) -> int:
    done, batch = 0, []
    for plugin in plugins:
        if relist(plugin):
            batch.append(plugin)
        progress(plugin)
        done += 1
        if len(batch) == _LISTING_BATCH:
            listing_embeddings.embed_listings(batch)
            batch = []
    listing_embeddings.embed_listings(batch)
    return done
