"""What keeps all listings true without anybody calling: days pass, sources are superseded, accounts are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from marketplace.catalogue import meaning, spelling
from marketplace.catalogue.days import count_days, spread_counts
from marketplace.catalogue.listing import relist
from marketplace.models import Listing
from plugins.models import Plugin, PluginQuerySet, Release

# What depends on the date alone is looked at once a day.
LISTED_FOR = timedelta(hours=24)
MOST_AT_ONCE = 500
_BATCH = 64


def refresh(*, now: datetime | None = None) -> list[Plugin]:
    """Count what was asked, and relist what is stale, a bounded number at a time. Returns those that were relisted."""
    now = now or timezone.now()
    count_days(today=now.date())
    spread_counts(today=now.date())
    relisted = list(stale(now=now)[:MOST_AT_ONCE])
    _relist_all(relisted)
    spelling.learn()
    return relisted


def relist_everything(*, progress: Callable[[Plugin], None] = lambda plugin: None) -> int:
    """All published plugins anew, and every day that nobody has counted. Returns how many plugins there are."""
    count_days(backfill=True)
    Listing.objects.filter(plugin__is_published=False).delete()
    published = Plugin.objects.filter(is_published=True).order_by("pk")
    done = _relist_all(published.iterator(chunk_size=_BATCH), progress=progress)
    spelling.learn()
    return done


def stale(*, now: datetime) -> PluginQuerySet:
    """Published plugins whose listing is missing, older than the plugin, or older than a day; the oldest first."""
    is_stale = (
        Q(listing=None)
        | Q(listing__updated_at__lt=F("updated_at"))
        | Q(listing__updated_at__lt=now - LISTED_FOR)
        | Q(listing__vector=None)
    )
    is_released = Exists(Release.objects.filter(plugin=OuterRef("pk")))
    plugins = Plugin.objects.filter(is_released, is_stale, is_published=True)
    return plugins.order_by(F("listing__updated_at").asc(nulls_first=True), "pk")


def _relist_all(plugins: Iterable[Plugin], *, progress: Callable[[Plugin], None] = lambda plugin: None) -> int:
    done, batch = 0, []
    for plugin in plugins:
        if relist(plugin):
            batch.append(plugin)
        progress(plugin)
        done += 1
        if len(batch) == _BATCH:
            meaning.embed_all(batch)
            batch = []
    meaning.embed_all(batch)
    return done
