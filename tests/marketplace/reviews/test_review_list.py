"""What a plugin's page says of its reviews."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from marketplace.listings.review_counts import update_review_counts
from marketplace.models import Review
from marketplace.reviews.review_list import PER_PAGE, build_reviews_section, parse_page_number, use_summary
from plugins.models import Plugin, Release
from tests.marketplace.reviews.conftest import ask, people, reviewed

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()


def html(plugin: Plugin, viewer: Any = NOBODY, page: Any = None) -> str:
    shown = build_reviews_section(plugin, viewer=viewer, page=page)
    return render_to_string("marketplace/_reviews.html", {"reviews": shown, "user": viewer})


def test_each_verdict_is_counted_and_none_is_averaged(plugin: Plugin) -> None:
    for person, verdict in zip(people(4), ("relied", "relied", "wrong", "relied"), strict=True):
        reviewed(plugin, person, verdict=verdict)
    update_review_counts(plugin.pk)
    plugin.refresh_from_db()
    shown = build_reviews_section(plugin, viewer=NOBODY)
    assert shown.counts == (("Relied on it", 3), ("Used with care", 0), ("Was wrong for me", 1))
    assert shown.total == 4


def test_without_a_listing_they_are_counted_now(plugin: Plugin, dora: User) -> None:
    plugin.listing.delete()
    reviewed(plugin, dora)
    assert build_reviews_section(Plugin.objects.get(), viewer=NOBODY).total == 1


def test_the_newest_come_first_by_page(plugin: Plugin) -> None:
    now = timezone.now()
    for number, person in enumerate(people(PER_PAGE + 2)):
        reviewed(plugin, person, text=f"Review {number}", updated_at=now - timedelta(days=number))
    first, second = (build_reviews_section(plugin, viewer=NOBODY, page=page) for page in (None, "2"))
    assert [row.review.text for row in first.rows][:2] == ["Review 0", "Review 1"]
    assert ((first.newer, first.older), (second.newer, second.older)) == ((None, 2), (1, None))
    assert [row.review.text for row in second.rows] == ["Review 10", "Review 11"]
    assert "No more reviews." in html(plugin, page="9")


def test_hidden_reviews_are_for_nobody_but_their_author_to_know_of(plugin: Plugin, dora: User, alice: User) -> None:
    reviewed(plugin, dora, text="Rude words.", is_hidden=True)
    for viewer in (NOBODY, alice, dora):
        assert "Rude words." not in html(plugin, viewer)
    assert "removed after a report" in html(plugin, dora)


def test_only_the_name_they_go_by_is_said_of_anybody(plugin: Plugin, alice: User) -> None:
    alice.display_name = "alice@example.org"
    alice.save()
    for person, name in zip(people(3), ("", "eve@example.org", "Frank"), strict=True):
        User.objects.filter(pk=person.pk).update(display_name=name)
        reviewed(plugin, person, reply="Thanks.", replied_at=timezone.now())
    page = html(plugin)
    assert "@" not in page
    assert (page.count("<bdi>Unnamed member</bdi>"), page.count("<bdi>Frank</bdi>")) == (5, 1)


def test_text_is_text(plugin: Plugin, dora: User) -> None:
    User.objects.filter(pk=dora.pk).update(display_name="<b>Dora</b>")
    words = "<script>alert(1)</script> [a](javascript:alert(1)) https://evil.example/"
    reviewed(plugin, dora, text=words, reply=words, replied_at=timezone.now())
    page = html(plugin)
    assert "<script>" not in page
    assert "<b>Dora" not in page
    assert 'href="https://evil' not in page
    assert 'href="javascript' not in page


def test_a_review_of_an_older_release_says_so(plugin: Plugin, dora: User) -> None:
    review = reviewed(plugin, dora, questions=1204, asked_since=date(2020, 6, 3), has_installed=True)
    assert use_summary(review, latest="1.0.0") == "1,204 questions since June 2020 · installed a copy · release 1.0.0"
    plugin.set_live_release(Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="Brief."))
    assert "release 1.0.0, an earlier one" in html(plugin)


def test_a_release_that_is_gone_is_not_named(plugin: Plugin, dora: User) -> None:
    assert use_summary(reviewed(plugin, dora, release=None, questions=1), latest="1.0.0") == "1 question"


def test_what_one_may_do_stands_beside_it(plugin: Plugin, dora: User, alice: User, bob: User) -> None:
    review = reviewed(plugin, dora)
    plugin.editors.add(bob)
    assert "Your review" in html(plugin, dora)
    assert "Change<span" in html(plugin, dora)
    for person in (alice, bob):
        assert f"/reviews/{review.pk}/reply" in html(plugin, person)
        assert "Write a review" not in html(plugin, person)
    assert "/reply" not in html(plugin)
    assert "Write a review" in html(plugin)
    assert f"/reviews/{review.pk}/report" in html(plugin)


def test_how_much_is_missing_is_said(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=2)
    assert "You have asked it 2 questions." in html(plugin, dora)
    ask(plugin, dora, times=3)
    assert "Write a review" in html(plugin, dora)


def test_a_viewer_of_the_builder_is_not_asked_for_a_review(plugin: Plugin, bob: User) -> None:
    plugin.viewers.add(bob)
    assert "Write a review" not in html(plugin, bob)


@pytest.mark.parametrize("number", [1, 9])
def test_statements_do_not_depend_on_the_number_of_reviews(
    plugin: Plugin, dora: User, number: int, django_assert_num_queries: Any
) -> None:
    for person in people(number):
        reviewed(plugin, person, reply="Thanks.", replied_at=timezone.now())
    plugin = Plugin.objects.select_related("listing", "owner").get()
    with django_assert_num_queries(1):
        html(plugin)
    with django_assert_num_queries(7):
        build_reviews_section(plugin, viewer=dora)


@given(st.one_of(st.none(), st.text(), st.integers()))
def test_any_page_may_be_asked_for(said: Any) -> None:
    assert 1 <= parse_page_number(said) <= 10_000


def test_reviews_go_with_the_account(plugin: Plugin, dora: User) -> None:
    reviewed(plugin, dora)
    dora.delete()
    assert not Review.objects.exists()
