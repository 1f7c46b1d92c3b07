"""The plugin whose answer the first page shows."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db.models import Case, F, IntegerField, Value, When

from marketplace.models import Label, Listing
from marketplace.plugin_page.sample_answers import offered_sample_answer
from querying.presentation.answer import AnswerPresentation

_FEATURED_CACHE = "process"
# Seconds. A plugin that is withdrawn disappears at once all the same: only which one it is, is remembered.
_CHOICE_SECONDS = 60
_ANSWER_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class FeaturedPlugin:
    """A published plugin, and the sample that it shows; None where no plugin has marked one."""

    listing: Listing
    answer: AnswerPresentation | None


def featured_plugin() -> FeaturedPlugin | None:
    """None where nothing is published. One statement while the choice is remembered."""
    listing = _public_listing(caches[_FEATURED_CACHE].get("featured")) or _choose_listing()
    return FeaturedPlugin(listing=listing, answer=_cached_answer(listing)) if listing else None


def _choose_listing() -> Listing | None:
    """The one that the operator names, if it has a sample, else the best measured one that has; without any sample,
    the best measured."""
    ranked = Listing.objects.public().annotate(
        has_sample=Case(When(sample={}, then=Value(0)), default=Value(1), output_field=IntegerField()),
        is_named=_one_when(plugin__slug=settings.FEATURED),
        is_measured=_one_when(label=Label.MEASURED),
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
        caches[_FEATURED_CACHE].set("featured", chosen, _CHOICE_SECONDS)
    return _public_listing(chosen)


def _public_listing(pk: UUID | None) -> Listing | None:
    return Listing.objects.public().filter(pk=pk).first() if pk else None


def _one_when(**condition: object) -> Case:
    return Case(When(**condition, then=Value(1)), default=Value(0), output_field=IntegerField())


def _cached_answer(listing: Listing) -> AnswerPresentation | None:
    """What anybody may see of it, whoever looks."""
    if not listing.sample:
        return None
    key = f"featured:{listing.pk}:{listing.updated_at.timestamp()}:{listing.plugin.is_shared}"
    return caches[_FEATURED_CACHE].get_or_set(
        key, lambda: offered_sample_answer(listing.plugin, listing.sample, viewer=None), _ANSWER_SECONDS
    )
