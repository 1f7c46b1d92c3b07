"""The plugin whose answer the first page shows."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db.models import Case, F, IntegerField, Value, When

from marketplace.models import Label, Listing
from marketplace.plugin_page.answers import sample_answer
from marketplace.plugin_page.sample import is_offered
from querying.shown import Shown

_NEAR = "process"
# Seconds. A plugin that is taken off the air disappears at once all the same: only which one it is, is remembered.
_CHOSEN_FOR = 60
_SHOWN_FOR = 300


@dataclass(frozen=True, kw_only=True)
class Featured:
    """A published plugin, and the sample that it shows; None where no plugin has marked one."""

    listing: Listing
    answer: Shown | None


def featured() -> Featured | None:
    """None where nothing is published. One statement while the choice is remembered."""
    listing = _of(caches[_NEAR].get("featured")) or _chosen()
    return Featured(listing=listing, answer=_answer(listing)) if listing else None


def _chosen() -> Listing | None:
    """The one that the operator names, if it has a sample, else the best measured one that has; without any sample,
    the best measured."""
    ranked = Listing.objects.public().annotate(
        has_sample=Case(When(sample={}, then=Value(0)), default=Value(1), output_field=IntegerField()),
        is_named=_one_if(plugin__slug=settings.FEATURED),
        is_measured=_one_if(label=Label.MEASURED),
    )
    best = ranked.order_by(
        "-has_sample",
        "-is_named",
        "-is_measured",
        F("right_at_least").desc(nulls_last=True),
        "-asked",
        "-released_at",
    )
    # Only what decides is sorted: samples are long.
    chosen = best.select_related(None).values_list("pk", flat=True).first()
    if chosen is not None:
        caches[_NEAR].set("featured", chosen, _CHOSEN_FOR)
    return _of(chosen)


def _of(pk: UUID | None) -> Listing | None:
    return Listing.objects.public().filter(pk=pk).first() if pk else None


def _one_if(**condition: object) -> Case:
    return Case(When(**condition, then=Value(1)), default=Value(0), output_field=IntegerField())


def _answer(listing: Listing) -> Shown | None:
    """What anybody may see of it, whoever looks."""
    if not listing.sample:
        return None
    key = f"featured:{listing.pk}:{listing.updated_at.timestamp()}:{listing.plugin.is_shared}"
    return caches[_NEAR].get_or_set(key, lambda: _drawn(listing), _SHOWN_FOR)


def _drawn(listing: Listing) -> Shown | None:
    return sample_answer(listing.sample, viewer=None) if is_offered(listing.plugin, listing.sample) else None
