"""Computes the listing of a plugin, which is kept in one row, and again whenever it may have changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial, reduce
from operator import add
from typing import Any

from django.contrib.postgres.search import SearchVector
from django.db import transaction
from django.db.models import Value
from django.utils import timezone

from lexic.publish_task import publish_task
from marketplace.listings import daily_counts, release_documents, scorecard_columns
from marketplace.listings.listing_text import plugin_domain, plugin_tags, weighted_texts
from marketplace.listings.review_counts import review_counts
from marketplace.models import Install, Listing
from plugins.models import Plugin, PluginQuerySet, Release

# Stemmed, and as it is written: a word that is only half typed is found by the second.
_TEXT_SEARCH_CONFIGS = ("english", "simple")


def update_listing(plugin: Plugin, *, today: date | None = None) -> Listing | None:
    """Compute the plugin's listing and keep it; take it away where the plugin is not to be listed. One that is unlisted
    has none, so no list can come upon it (`build_listing`).

    May be called at any time, as often as one likes. Nine statements at most, whatever the plugin holds, and no
    embedder: the vector and the sample are made by a worker (`tasks.complete_listing`), and stay as they are here.
    """
    release = plugin.latest_release() if plugin.is_listed else None
    if release is None:
        Listing.objects.filter(pk=plugin.pk).delete()
        return None
    listing = build_listing(plugin, release, today=today)
    kept = [field.name for field in Listing._meta.fields if field.name not in _WORKER_COLUMNS and not field.primary_key]
    Listing.objects.bulk_create([listing], update_conflicts=True, unique_fields=["plugin"], update_fields=kept)
    return listing


def build_listing(plugin: Plugin, release: Release, *, today: date | None = None) -> Listing:
    """What a listing of this release says, without keeping it."""
    return Listing(plugin=plugin, release=release, **_listing_columns(plugin, release, today or timezone.localdate()))


# What is not computed here.
_WORKER_COLUMNS = {"vector", "embedder", "embedded", "sample"}


def update_and_enqueue_listing(plugin: Plugin) -> None:
    """Called in the transaction that publishes or withdraws the plugin, or changes what its page says of it: the
    listing changes with it, and a worker sees to the rest once it is certain."""
    if update_listing(plugin):
        enqueue = partial(publish_task, "marketplace.complete_listing", plugin_id=str(plugin.pk))
        transaction.on_commit(enqueue)


def update_listing_if_published(plugin: Plugin) -> None:
    """Updates the listing after an edit, if the plugin is published; otherwise it costs nothing."""
    if plugin.is_published:
        update_and_enqueue_listing(plugin)


@contextmanager
def locked_for_listing(plugin: Plugin) -> Iterator[None]:
    """A transaction for a change that the listing of a published plugin shows. The plugin is locked first, as
    publishing and withdrawing do, so that no listing is made for a plugin that was withdrawn meanwhile."""
    with transaction.atomic():
        locked = _lock(plugin).get()
        yield
        update_listing_if_published(locked)


@transaction.atomic
def relist(plugin: Plugin) -> Listing | None:
    """Updates the listing of the plugin as it is stored by now, with the plugin locked for the same reason."""
    locked = _lock(plugin).first()
    return update_listing(locked) if locked else None


def _lock(plugin: Plugin) -> PluginQuerySet:
    return Plugin.objects.select_for_update(no_key=True).filter(pk=plugin.pk)


def _listing_columns(plugin: Plugin, release: Release, today: date) -> dict[str, Any]:
    measures = scorecard_columns.scorecard_columns(release)
    read = release_documents.source_figures(release, today=today, measured_on=measures["measured_on"])
    attention = scorecard_columns.attention_sentence(plugin, release, superseded=read.pop("since"), today=today)
    del read["paged"]
    return {
        "domain": plugin_domain(plugin),
        "tags": plugin_tags(plugin),
        "label": scorecard_columns.listing_label(measures, attention=attention),
        "attention": attention,
        "released_at": release.created_at,
        "installs": Install.objects.filter(original=plugin).count(),
        "search": _listing_search_vector(plugin),
        **measures,
        **read,
        **daily_counts.last_month_counts(plugin.pk, today=today),
        **review_counts([plugin.pk])[plugin.pk],
    }


def _listing_search_vector(plugin: Plugin) -> Any:
    """The words of its listing: those of the name weigh most, those of the description least."""
    vectors = [
        SearchVector(Value(text), weight=weight, config=configuration)
        for weight, text in weighted_texts(plugin).items()
        for configuration in _TEXT_SEARCH_CONFIGS
        if text
    ]
    return reduce(add, vectors)
