"""Counts reviews by verdict. A listing keeps the three counts, so that no page counts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from uuid import UUID

from django.db import models, transaction

from marketplace.models import Listing, Review, ReviewVerdict

VerdictCounts = Mapping[str, int]


def review_counts(plugins: Collection[UUID]) -> dict[UUID, VerdictCounts]:
    """For each of these plugins `{"relied": n, "care": n, "wrong": n}`: the columns of a `Listing`. One statement."""
    counted = _counts_by_plugin(Review.objects.filter(plugin__in=plugins))
    return {plugin: {**_ZERO_COUNTS, **counted.get(plugin, {})} for plugin in plugins}


@transaction.atomic
def update_review_counts(plugin: UUID) -> None:
    """Called in the transaction in which a review of the plugin changed. Without a listing there is nothing to do."""
    # Locked before it is counted: of two reviews at one moment, the later one counts both.
    if Listing.objects.select_for_update().filter(pk=plugin).values("pk").first():
        Listing.objects.filter(pk=plugin).update(**review_counts([plugin])[plugin])


def repair_review_counts() -> int:
    """Put right what changed without a call of `update_review_counts`: the reviews of an account that is gone.
    Returns how many listings were wrong."""
    counted = _counts_by_plugin(Review.objects.all())
    kept = Listing.objects.values_list("pk", *ReviewVerdict.values)
    wrong = [
        pk for pk, *figures in kept if figures != [counted.get(pk, _ZERO_COUNTS).get(name, 0) for name in _ZERO_COUNTS]
    ]
    for plugin in wrong:
        update_review_counts(plugin)
    return len(wrong)


_ZERO_COUNTS: VerdictCounts = dict.fromkeys(ReviewVerdict.values, 0)


def _counts_by_plugin(reviews: models.QuerySet[Review]) -> dict[UUID, dict[str, int]]:
    counted: dict[UUID, dict[str, int]] = defaultdict(dict)
    rows = reviews.filter(is_hidden=False).order_by().values_list("plugin", "verdict")
    for plugin, verdict, count in rows.annotate(count=models.Count("pk")):
        counted[plugin][verdict] = count
    return counted
