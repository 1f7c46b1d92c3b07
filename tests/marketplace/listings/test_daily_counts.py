"""Questions counted by day: what may change is counted again, and what was counted outlives the query rows."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from accounts.models import User
from marketplace.listings.daily_counts import count_days, last_month_counts, update_listing_counts
from marketplace.models import DayOfPlugin, Install, Listing
from plugins.models import Plugin
from querying.models import Query
from tests.marketplace.catalogue.made import listed

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 21)


@pytest.fixture
def listing(alice: User) -> Listing:
    return listed(alice, "Cover", slug="cover")


def ask(listing: Listing, *outcomes: str, ago: int = 0, at: time = time(12), **fields: Any) -> None:
    for number, outcome in enumerate(outcomes):
        values = {"release": listing.release, "latency_ms": 100 * (number + 1), "sentences": 4, "unproven": 1}
        Query.objects.create(
            plugin=listing.plugin,
            release_name="cover@1.0.0",
            question="?",
            outcome=outcome,
            created_at=datetime.combine(TODAY - timedelta(days=ago), at, tzinfo=UTC),
            **{**values, **fields},
        )


def counted(**of: Any) -> list[tuple[int, int]]:
    """How long ago, and how many."""
    rows = DayOfPlugin.objects.filter(**of).order_by("-day").values_list("day", "asked")
    return [((TODAY - day).days, asked) for day, asked in rows]


def test_a_day_says_how_its_questions_ended(listing: Listing) -> None:
    ask(listing, "answered", "answered", "answered", "refused", "clarify", "failed", "abandoned")
    count_days(today=TODAY)
    (day,) = DayOfPlugin.objects.all()
    assert (day.asked, day.answered, day.refused, day.clarified, day.failed) == (7, 3, 1, 1, 2)
    assert (day.median_ms, day.p95_ms) == (200, 290)
    assert (day.sentences, day.dropped) == (28, 7)


def test_what_the_draft_is_asked_is_not_counted(listing: Listing) -> None:
    ask(listing, "answered", release=None)
    count_days(today=TODAY)
    assert counted() == []


def test_thanks_are_no_question(listing: Listing) -> None:
    ask(listing, "answered")
    ask(listing, "answered", reason="courtesy")
    count_days(today=TODAY)
    assert DayOfPlugin.objects.get().asked == 1


def test_without_answers_there_is_no_pace(listing: Listing) -> None:
    ask(listing, "refused")
    count_days(today=TODAY)
    assert DayOfPlugin.objects.values_list("median_ms", "p95_ms").get() == (None, None)


def test_days_are_those_of_utc(listing: Listing) -> None:
    ask(listing, "answered", at=time(0, 0))
    ask(listing, "answered", ago=1, at=time(23, 59, 59))
    count_days(today=TODAY)
    assert counted() == [(0, 1), (1, 1)]


def test_counting_again_changes_nothing_but_what_is_new(listing: Listing) -> None:
    for ago in (0, 1, 5, 400):
        ask(listing, "answered", "refused", ago=ago)
    count_days(today=TODAY)
    before = counted()
    assert before == [(0, 2), (1, 2), (5, 2), (400, 2)]
    count_days(today=TODAY)
    assert counted() == before
    ask(listing, "answered")
    ask(listing, "answered", ago=1)
    count_days(today=TODAY)
    assert counted() == [(0, 3), (1, 3), (5, 2), (400, 2)]


def test_a_timetable_that_stood_still_misses_no_day(listing: Listing) -> None:
    ask(listing, "answered", ago=6)
    count_days(today=TODAY - timedelta(days=6))
    ask(listing, "answered", ago=6)
    ask(listing, "answered", ago=4)
    ask(listing, "answered", ago=2)
    count_days(today=TODAY)
    assert counted() == [(2, 1), (4, 1), (6, 2)]


def test_days_outlive_the_audit_rows(listing: Listing) -> None:
    ask(listing, "answered", "answered", ago=5)
    ask(listing, "answered", ago=1)
    count_days(today=TODAY)
    Query.objects.filter(created_at__lt=datetime(2026, 11, 17, tzinfo=UTC)).delete()
    count_days(today=TODAY, backfill=True)
    assert counted() == [(1, 1), (5, 2)]


def test_days_that_nobody_counted_are_counted_by_hand(listing: Listing) -> None:
    ask(listing, "answered", ago=1)
    count_days(today=TODAY)
    ask(listing, "answered", ago=50)  # out of a backup
    count_days(today=TODAY)
    assert counted() == [(1, 1)]
    count_days(today=TODAY, backfill=True)
    assert counted() == [(1, 1), (50, 1)]


def test_plugins_are_counted_apart(listing: Listing, alice: User) -> None:
    other = listed(alice, "Other")
    ask(listing, "answered")
    ask(other, "refused", "refused")
    count_days(today=TODAY)
    assert (counted(plugin=listing.pk), counted(plugin=other.pk)) == ([(0, 1)], [(0, 2)])


def test_it_takes_the_same_statements_for_any_number(
    listing: Listing, alice: User, django_assert_num_queries: Any
) -> None:
    ask(listing, "answered")
    count_days(today=TODAY)
    for name in ("a", "b", "c"):
        ask(listed(alice, name), "answered", ago=1)
    with django_assert_num_queries(2):
        count_days(today=TODAY)
    with django_assert_num_queries(1):
        assert update_listing_counts(today=TODAY) == 4
    with django_assert_num_queries(1):
        assert update_listing_counts(today=TODAY) == 0


def test_listings_say_the_last_thirty_days(listing: Listing, alice: User) -> None:
    ask(listing, "answered", "answered", ago=29)
    ask(listing, "answered", ago=30)
    ask(listing, "answered")
    count_days(today=TODAY)
    copy = Plugin.objects.create(owner=alice, name="Copy", domain="x")
    Install.objects.create(
        copy=copy, original=listing.plugin, original_name="Cover", original_author="Alice", version="1.0.0"
    )
    update_listing_counts(today=TODAY)
    listing.refresh_from_db()
    assert (listing.asked, listing.dropped_share, listing.installs) == (3, 0.25, 1)
    assert last_month_counts(listing.pk, today=TODAY) == {"asked": 3, "dropped_share": 0.25}


def test_without_questions_nothing_is_claimed(listing: Listing) -> None:
    assert last_month_counts(listing.pk, today=TODAY) == {"asked": 0, "dropped_share": None}
