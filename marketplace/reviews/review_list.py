"""The reviews of a plugin as its page shows them: how many say what, and the newest in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, ngettext

from accounts.models import User
from lexic.errors import LexicError
from lexic.http.parameters import parse_natural
from marketplace.listings.review_counts import review_counts
from marketplace.models import Listing, Review, ReviewVerdict
from marketplace.reviews.eligibility import MIN_QUESTIONS, check_may_review
from marketplace.reviews.save_review import review_by
from plugins.models import Plugin

PER_PAGE = 10
_MAX_PAGE_NUMBER = 10_000


@dataclass(frozen=True, kw_only=True)
class ReviewRow:
    """One review. `name` is all that is said of its author."""

    review: Review
    name: str
    use_summary: str
    is_mine: bool


@dataclass(frozen=True, kw_only=True)
class ReviewsSection:
    """What `templates/marketplace/_reviews.html` needs.

    `counts` is (words, number) of each verdict, always all three. `newer` and `older` are numbers of pages, None where
    there are none. `mine` is the viewer's own review, hidden or not; `refused` says why they may not write one.
    """

    plugin: Plugin
    rows: tuple[ReviewRow, ...]
    counts: tuple[tuple[str, int], ...]
    newer: int | None
    older: int | None
    mine: Review | None
    refused: LexicError | None
    may_reply: bool

    @property
    def rule(self) -> str:
        return gettext(
            "Only people who have asked it at least %(count)s questions, or installed a copy, can review it."
        ) % {"count": MIN_QUESTIONS}

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)


def build_reviews_section(plugin: Plugin, *, viewer: Any, page: int | str | None = None) -> ReviewsSection:
    """The reviews of a published plugin, the newest first.

    For the view of a plugin's page: put the result into its context as `reviews`, load `reviews.css`, and include
    `marketplace/_reviews.html`. `viewer` is `request.user`, whoever that is; `page` is `request.GET.get("reviews")` as
    it came. One statement for visitors, at most nine for people who have signed in, however many reviews there are;
    one more where `plugin.listing` is not loaded.
    """
    number = parse_page_number(page)
    start = (number - 1) * PER_PAGE
    found = list(Review.objects.filter(plugin=plugin).public()[start : start + PER_PAGE + 1])
    person = viewer if isinstance(viewer, User) else None
    mine = review_by(plugin, person) if person else None
    may_reply = bool(person and Plugin.objects.editable_by(person).contains(plugin))
    return ReviewsSection(
        plugin=plugin,
        rows=review_rows(found[:PER_PAGE], latest=plugin.version, viewer=person),
        counts=_verdict_counts(plugin),
        newer=number - 1 if number > 1 else None,
        older=number + 1 if len(found) > PER_PAGE else None,
        mine=mine,
        refused=_review_refusal(plugin, person) if person and not mine else None,
        may_reply=may_reply,
    )


def review_rows(reviews: Iterable[Review], *, latest: str, viewer: User | None = None) -> tuple[ReviewRow, ...]:
    """Takes reviews with their `author` and `release` loaded; `latest` is the version that agents ask now."""
    return tuple(
        ReviewRow(
            review=review,
            name=review.author.public_name if review.author else "",
            use_summary=use_summary(review, latest=latest),
            is_mine=viewer is not None and review.author_id == viewer.pk,
        )
        for review in reviews
    )


def use_summary(review: Review, *, latest: str) -> str:
    """`1,204 questions since June · release 2.2.1, an earlier one`."""
    parts = []
    if review.questions:
        day = review.asked_since
        is_this_year = day and day.year == timezone.localdate().year
        figure = number_format(review.questions, force_grouping=True)
        asked = ngettext("%(count)s question", "%(count)s questions", review.questions) % {"count": figure}
        if day:
            month = date_format(day, "F" if is_this_year else "YEAR_MONTH_FORMAT")
            asked = gettext("%(questions)s since %(month)s") % {"questions": asked, "month": month}
        parts.append(asked)
    if review.has_installed:
        parts.append(gettext("installed a copy"))
    if review.release:
        version = review.release.version
        said = gettext("release %(version)s") if version == latest else gettext("release %(version)s, an earlier one")
        parts.append(said % {"version": version})
    return " · ".join(parts)


def parse_page_number(said: int | str | None) -> int:
    """The page that an address asks for; 1 where it asks for none that could be."""
    return min(parse_natural(str(said or ""), max_digits=6) or 1, _MAX_PAGE_NUMBER)


def _verdict_counts(plugin: Plugin) -> tuple[tuple[str, int], ...]:
    try:
        listing = plugin.listing
    except Listing.DoesNotExist:
        counted = review_counts([plugin.pk])[plugin.pk]
        return tuple((gettext(str(verdict.label)), counted[verdict]) for verdict in ReviewVerdict)
    return tuple((gettext(str(verdict.label)), getattr(listing, verdict.value)) for verdict in ReviewVerdict)


def _review_refusal(plugin: Plugin, person: User) -> LexicError | None:
    try:
        check_may_review(plugin, person)
    except LexicError as error:
        return error
    return None
