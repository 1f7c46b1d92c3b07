"""How a plugin is listed: computed from what it is, kept in one row, computed again whenever that may have changed."""

from __future__ import annotations

from datetime import date
from functools import partial, reduce
from operator import add
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchVector
from django.db import transaction
from django.db.models import Value
from django.utils import timezone

from marketplace.catalogue import days, measured, sources
from marketplace.catalogue.wording import domain_of, parts_of, tags_of
from marketplace.models import Install, Listing
from marketplace.reviews.counts import counts_of
from plugins.models import Plugin, Release

# Stemmed, and as it is written: a word that is only half typed is found by the second.
_CONFIGURATIONS = ("english", "simple")


def relist(plugin: Plugin, *, today: date | None = None) -> Listing | None:
    """Compute the plugin's listing and keep it; take it away where the plugin is not on the air.

    May be called at any time, as often as one likes. Nine statements at most, whatever the plugin holds, and no
    embedder: the vector and the sample are made by a worker (`tasks.complete_listing`), and stay as they are here.
    """
    release = plugin.latest_release() if plugin.is_published else None
    if release is None:
        Listing.objects.filter(pk=plugin.pk).delete()
        return None
    listing = Listing(plugin=plugin, release=release, **_columns(plugin, release, today or timezone.localdate()))
    kept = [field.name for field in Listing._meta.fields if field.name not in _BY_WORKER and not field.primary_key]
    Listing.objects.bulk_create([listing], update_conflicts=True, unique_fields=["plugin"], update_fields=kept)
    return listing


# What is not computed here.
_BY_WORKER = {"vector", "embedder", "embedded", "sample"}


def listed_anew(plugin: Plugin) -> None:
    """Called in the transaction that publishes or withdraws the plugin, or changes what its page says of it: the
    listing changes with it, and a worker sees to the rest once it is certain."""
    from marketplace.tasks import enqueue_listing  # which needs this module

    if relist(plugin):
        transaction.on_commit(partial(enqueue_listing, plugin.pk))


def listed_anew_if_public(plugin: Plugin) -> None:
    """The same after an edit, where a plugin that nobody sees costs nothing."""
    if plugin.is_published:
        listed_anew(plugin)


def _columns(plugin: Plugin, release: Release, today: date) -> dict[str, Any]:
    measures = measured.columns_of(release)
    read = sources.figures_of(release, today=today, measured_on=measures["measured_on"])
    attention = measured.attention_to(plugin, release, superseded=read.pop("since"), today=today)
    return {
        "domain": domain_of(plugin),
        "tags": tags_of(plugin),
        "label": measured.label_of(measures, attention=attention),
        "attention": attention,
        "released_at": release.created_at,
        "installs": Install.objects.filter(original=plugin).count(),
        "search": _search(plugin),
        **measures,
        **read,
        **days.last_month_of(plugin.pk, today=today),
        **_reviews(plugin.pk),
    }


def _reviews(plugin: UUID) -> dict[str, int]:
    return dict(counts_of([plugin])[plugin])


def _search(plugin: Plugin) -> Any:
    """The words of its listing: those of the name weigh most, those of the description least."""
    vectors = [
        SearchVector(Value(text), weight=weight, config=configuration)
        for weight, text in parts_of(plugin).items()
        for configuration in _CONFIGURATIONS
        if text
    ]
    return reduce(add, vectors)
