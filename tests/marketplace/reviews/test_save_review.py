"""Reviews are written, changed, answered and taken back, and the listing keeps their counts."""

from __future__ import annotations

import pytest

from accounts.models import ApiKey, User
from marketplace.listings.review_counts import repair_review_counts, review_counts, update_review_counts
from marketplace.models import Review
from marketplace.reviews.eligibility import NotEnoughUse, OwnPlugin
from marketplace.reviews.save_review import (
    ReviewIsHidden,
    ReviewTextTooLong,
    TextContainsKey,
    delete_review,
    save_reply,
    save_review,
)
from plugins.models import Plugin, Release
from tests.marketplace.reviews.conftest import ask, counts, people, reviewed

pytestmark = pytest.mark.django_db


def test_a_review_says_what_it_rests_on(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=7)
    review = save_review(plugin, by=dora, verdict="relied", text="  Exact. ")
    assert (review.text, review.questions, review.release) == ("Exact.", 7, plugin.latest_release())
    assert (review.is_replied, counts(plugin)) == (False, (1, 0, 0))


def test_a_second_review_takes_the_place_of_the_first(plugin: Plugin, dora: User, alice: User) -> None:
    ask(plugin, dora)
    first = save_review(plugin, by=dora, verdict="relied", text="Exact.")
    save_reply(first, text="Thank you.")
    newer = Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="Brief.")
    ask(plugin, dora, times=1)
    save_review(plugin, by=dora, verdict="wrong", text="Not any more.")
    review = Review.objects.get()
    assert (review.verdict, review.release, review.questions, review.reply) == ("wrong", newer, 6, "Thank you.")
    assert review.created_at < review.updated_at
    assert counts(plugin) == (0, 0, 1)


def test_who_may_not_review_writes_nothing(plugin: Plugin, dora: User, alice: User) -> None:
    for person, error in ((dora, NotEnoughUse), (alice, OwnPlugin)):
        with pytest.raises(error):
            save_review(plugin, by=person, verdict="relied", text="")
    assert not Review.objects.exists()


def test_whoever_works_on_it_by_now_may_only_take_their_review_back(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    review = save_review(plugin, by=dora, verdict="relied", text="")
    plugin.editors.add(dora)
    with pytest.raises(OwnPlugin):
        save_review(plugin, by=dora, verdict="wrong", text="")
    delete_review(review)
    assert counts(plugin) == (0, 0, 0)


def test_a_review_can_be_mended_after_the_questions_are_gone(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=9)
    save_review(plugin, by=dora, verdict="relied", text="")
    dora.queries.all().delete()
    review = save_review(plugin, by=dora, verdict="care", text="With care.")
    review.refresh_from_db()
    assert (review.verdict, review.questions) == ("care", 9)


def test_a_key_is_not_published_in_a_review_or_a_reply(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    _, secret = ApiKey.objects.issue(owner=dora, name="agent")
    with pytest.raises(TextContainsKey):
        save_review(plugin, by=dora, verdict="relied", text=f"I use {secret} for it.")
    with pytest.raises(TextContainsKey):
        save_reply(reviewed(plugin, dora), text=secret)


def test_a_text_has_an_end(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    assert len(save_review(plugin, by=dora, verdict="relied", text="x" * 2000).text) == 2000
    with pytest.raises(ReviewTextTooLong):
        save_review(plugin, by=dora, verdict="relied", text="x" * 2001)


def test_a_reply_is_changed_and_taken_back_and_makes_no_review_newer(plugin: Plugin, dora: User) -> None:
    review = reviewed(plugin, dora)
    before = review.updated_at
    save_reply(review, text="Thank you.")
    review.refresh_from_db()
    assert (review.reply, review.is_replied, review.updated_at) == ("Thank you.", True, before)
    save_reply(review, text="  ")
    review.refresh_from_db()
    assert (review.reply, review.is_replied) == ("", False)


def test_a_hidden_review_cannot_be_written_again(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    review = save_review(plugin, by=dora, verdict="wrong", text="Rude words.")
    Review.objects.update(is_hidden=True)
    review.refresh_from_db()
    with pytest.raises(ReviewIsHidden):
        save_review(plugin, by=dora, verdict="wrong", text="Ruder words.")
    delete_review(review)
    assert list(Review.objects.values_list("verdict", "text", "is_hidden")) == [("", "", True)]
    with pytest.raises(ReviewIsHidden):
        save_review(plugin, by=dora, verdict="wrong", text="Ruder words.")


def test_counts_leave_hidden_reviews_out(plugin: Plugin) -> None:
    for number, person in enumerate(people(4)):
        reviewed(plugin, person, verdict="care", is_hidden=number == 0)
    assert review_counts([plugin.pk]) == {plugin.pk: {"relied": 0, "care": 3, "wrong": 0}}
    update_review_counts(plugin.pk)
    assert counts(plugin) == (0, 3, 0)


def test_the_reviews_of_an_account_that_is_gone_are_counted_off(plugin: Plugin, dora: User, charlie: User) -> None:
    for person in (dora, charlie):
        reviewed(plugin, person)
    update_review_counts(plugin.pk)
    dora.delete()
    assert counts(plugin) == (2, 0, 0)
    assert (repair_review_counts(), counts(plugin), repair_review_counts()) == (1, (1, 0, 0), 0)


def test_without_a_listing_there_is_nothing_to_count(plugin: Plugin, dora: User) -> None:
    plugin.listing.delete()
    ask(plugin, dora)
    save_review(plugin, by=dora, verdict="relied", text="")
    assert repair_review_counts() == 0
