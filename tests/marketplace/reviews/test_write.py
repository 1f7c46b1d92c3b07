"""Reviews are written, changed, answered and taken back, and the listing keeps their counts."""

from __future__ import annotations

import pytest

from accounts.models import ApiKey, User
from marketplace.models import Review
from marketplace.reviews.counts import counts_of, recount, recount_all
from marketplace.reviews.used import OnesOwn, UsedTooLittle
from marketplace.reviews.write import HoldsKey, IsHidden, TooLong, reply, take_back, write
from plugins.models import Plugin, Release
from tests.marketplace.reviews.conftest import ask, counts, people, reviewed

pytestmark = pytest.mark.django_db


def test_a_review_says_what_it_rests_on(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=7)
    review = write(plugin, by=dora, verdict="relied", text="  Exact. ")
    assert (review.text, review.questions, review.release) == ("Exact.", 7, plugin.latest_release())
    assert (review.is_replied, counts(plugin)) == (False, (1, 0, 0))


def test_a_second_review_takes_the_place_of_the_first(plugin: Plugin, dora: User, alice: User) -> None:
    ask(plugin, dora)
    first = write(plugin, by=dora, verdict="relied", text="Exact.")
    reply(first, text="Thank you.")
    newer = Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="Brief.")
    ask(plugin, dora, times=1)
    write(plugin, by=dora, verdict="wrong", text="Not any more.")
    review = Review.objects.get()
    assert (review.verdict, review.release, review.questions, review.reply) == ("wrong", newer, 6, "Thank you.")
    assert review.created_at < review.updated_at
    assert counts(plugin) == (0, 0, 1)


def test_who_may_not_review_writes_nothing(plugin: Plugin, dora: User, alice: User) -> None:
    for person, error in ((dora, UsedTooLittle), (alice, OnesOwn)):
        with pytest.raises(error):
            write(plugin, by=person, verdict="relied", text="")
    assert not Review.objects.exists()


def test_whoever_works_on_it_by_now_may_only_take_their_review_back(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    review = write(plugin, by=dora, verdict="relied", text="")
    plugin.editors.add(dora)
    with pytest.raises(OnesOwn):
        write(plugin, by=dora, verdict="wrong", text="")
    take_back(review)
    assert counts(plugin) == (0, 0, 0)


def test_a_review_can_be_mended_after_the_questions_are_gone(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=9)
    write(plugin, by=dora, verdict="relied", text="")
    dora.queries.all().delete()
    review = write(plugin, by=dora, verdict="care", text="With care.")
    review.refresh_from_db()
    assert (review.verdict, review.questions) == ("care", 9)


def test_a_key_is_not_published_in_a_review_or_a_reply(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    _, secret = ApiKey.objects.issue(owner=dora, name="agent")
    with pytest.raises(HoldsKey):
        write(plugin, by=dora, verdict="relied", text=f"I use {secret} for it.")
    with pytest.raises(HoldsKey):
        reply(reviewed(plugin, dora), text=secret)


def test_a_text_has_an_end(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    assert len(write(plugin, by=dora, verdict="relied", text="x" * 2000).text) == 2000
    with pytest.raises(TooLong):
        write(plugin, by=dora, verdict="relied", text="x" * 2001)


def test_a_reply_is_changed_and_taken_back_and_makes_no_review_newer(plugin: Plugin, dora: User) -> None:
    review = reviewed(plugin, dora)
    before = review.updated_at
    reply(review, text="Thank you.")
    review.refresh_from_db()
    assert (review.reply, review.is_replied, review.updated_at) == ("Thank you.", True, before)
    reply(review, text="  ")
    review.refresh_from_db()
    assert (review.reply, review.is_replied) == ("", False)


def test_a_hidden_review_cannot_be_written_again(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    review = write(plugin, by=dora, verdict="wrong", text="Rude words.")
    Review.objects.update(is_hidden=True)
    review.refresh_from_db()
    with pytest.raises(IsHidden):
        write(plugin, by=dora, verdict="wrong", text="Ruder words.")
    take_back(review)
    assert list(Review.objects.values_list("text", "is_hidden")) == [("", True)]
    with pytest.raises(IsHidden):
        write(plugin, by=dora, verdict="wrong", text="Ruder words.")


def test_counts_leave_hidden_reviews_out(plugin: Plugin) -> None:
    for number, person in enumerate(people(4)):
        reviewed(plugin, person, verdict="care", is_hidden=number == 0)
    assert counts_of([plugin.pk]) == {plugin.pk: {"relied": 0, "care": 3, "wrong": 0}}
    recount(plugin.pk)
    assert counts(plugin) == (0, 3, 0)


def test_the_reviews_of_an_account_that_is_gone_are_counted_off(plugin: Plugin, dora: User, charlie: User) -> None:
    for person in (dora, charlie):
        reviewed(plugin, person)
    recount(plugin.pk)
    dora.delete()
    assert counts(plugin) == (2, 0, 0)
    assert (recount_all(), counts(plugin), recount_all()) == (1, (1, 0, 0), 0)


def test_without_a_listing_there_is_nothing_to_count(plugin: Plugin, dora: User) -> None:
    plugin.listing.delete()
    ask(plugin, dora)
    write(plugin, by=dora, verdict="relied", text="")
    assert recount_all() == 0
