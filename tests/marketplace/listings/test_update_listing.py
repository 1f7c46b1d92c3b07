"""A listing says what its plugin is now: after publishing, going back, withdrawing, edits, and as time goes by."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from evaluation.models import EvaluationRun
from knowledge.models import Document, KnowledgeBase
from marketplace.catalogue import listing_refresh
from marketplace.catalogue.listing_query import ListingQuery
from marketplace.catalogue.listing_search import search_listings
from marketplace.listings import listing_embeddings
from marketplace.listings.listing_text import embedding_text
from marketplace.listings.update_listing import update_listing
from marketplace.models import Label, Listing
from marketplace.publishing.ownership_transfer import accept_ownership, offer_ownership
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import roll_back
from marketplace.publishing.withdraw import withdraw_from_marketplace
from marketplace.tasks import complete_listing, refresh_listings
from plugins.models import Plugin, Release
from tests.api.people import signed_in
from tests.marketplace.catalogue.made import listed, scorecard
from tests.remembered import remembered
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def draft(alice: User) -> Plugin:
    """Ready to be published: one document, no questions."""
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="You answer.")
    base = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name="Cover", revision=1)
    Document.objects.create(
        knowledge_base=base,
        title="Handbook",
        source_type="pdf",
        status="ready",
        ready_sha256="a" * 64,
        page_count=12,
        added_in=1,
    )
    return plugin


def test_publishing_lists_withdrawing_takes_away(draft: Plugin, alice: User) -> None:
    assert not Listing.objects.exists()
    release = publish(draft, by=alice).release
    listing = Listing.objects.get()
    assert (listing.release, listing.sources, listing.pages) == (release, 1, 12)
    assert listing.label == Label.NONE
    draft.refresh_from_db()
    withdraw_from_marketplace(draft)
    assert not Listing.objects.exists()


def test_going_back_lists_what_went_on_the_air(draft: Plugin, alice: User) -> None:
    first = publish(draft, by=alice).release
    draft.refresh_from_db()
    draft.system_prompt = "You answer otherwise."
    draft.save()
    publish(draft, by=alice)
    made = roll_back(draft, to=first, by=alice)
    assert Listing.objects.get().release == made


def test_relisting_twice_changes_nothing(draft: Plugin, alice: User) -> None:
    publish(draft, by=alice)
    draft.refresh_from_db()
    listing_embeddings.embed_listing(draft)
    before = Listing.objects.values().get()
    update_listing(draft)
    after = Listing.objects.values().get()
    assert {k: str(v) for k, v in before.items() if k != "updated_at"} == {
        k: str(v) for k, v in after.items() if k != "updated_at"
    }


@pytest.mark.parametrize("documents", [0, 5])
def test_relisting_takes_few_statements_whatever_there_is(
    draft: Plugin, alice: User, documents: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(documents):
        Document.objects.create(
            knowledge_base=draft.knowledge_base,
            title=str(number),
            source_type="text",
            status="ready",
            added_in=1,
        )
    listed(alice, "Other", card=scorecard())
    publish(draft, by=alice)
    draft.refresh_from_db()
    with django_assert_max_num_queries(9):
        update_listing(draft)


def test_an_edit_is_found_at_once(draft: Plugin, alice: User) -> None:
    publish(draft, by=alice)
    body = {"name": "Scaffolds", "domain": "site-safety", "tags": ["Ladders"], "tagline": "Standing safely."}
    assert signed_in(alice).patch("/api/plugins/cover", body, format="json").status_code == 200
    found = search_listings(ListingQuery(words="ladders"))
    assert [one.plugin.name for one in found.listings] == ["Scaffolds"]
    assert (found.facets.domains, found.facets.tags) == ({"Site safety": 1}, {"ladders": 1})


def test_an_edit_of_a_draft_lists_nothing(draft: Plugin, alice: User) -> None:
    assert signed_in(alice).patch("/api/plugins/cover", {"name": "Other"}, format="json").status_code == 200
    assert not Listing.objects.exists()


def test_the_worker_is_told_once_it_is_certain(
    draft: Plugin, alice: User, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(
        "marketplace.listings.update_listing.publish_task", lambda name, **arguments: told.append((name, arguments))
    )
    with django_capture_on_commit_callbacks(execute=True):
        publish(draft, by=alice)
    assert told == [("marketplace.complete_listing", {"plugin_id": str(draft.pk)})]


def test_a_new_owner_is_named(draft: Plugin, alice: User, bob: User) -> None:
    publish(draft, by=alice)
    draft.refresh_from_db()
    draft.editors.add(bob)
    offer_ownership(draft, to=bob, by=draft.owner)
    accept_ownership(draft, by=bob)
    assert Listing.objects.public().get().author == "Bob"


def test_an_address_is_no_name(draft: Plugin, alice: User) -> None:
    publish(draft, by=alice)
    User.objects.filter(pk=alice.pk).update(display_name="")
    assert "@" not in Listing.objects.public().get().author


# --- What a worker adds -----------------------------------------------------------------------------------------


def test_the_vector_is_computed_once_for_a_text(draft: Plugin, alice: User) -> None:
    publish(draft, by=alice)
    draft.refresh_from_db()
    assert Listing.objects.get().vector is None
    complete_listing(plugin_id=str(draft.pk))
    assert Listing.objects.get().vector is not None
    assert listing_embeddings.embed_listings([draft]) == 0
    draft.tagline = "Another line."
    assert listing_embeddings.embed_listings([draft]) == 1


def test_completing_what_is_not_public_does_nothing(draft: Plugin) -> None:
    complete_listing(plugin_id=str(draft.pk))
    assert not Listing.objects.exists()


def test_what_is_embedded_is_bounded(draft: Plugin) -> None:
    draft.description = "Cover. " * 10_000
    assert len(embedding_text(draft)) <= 1000


# --- What needs attention -----------------------------------------------------------------------------------------


def in_days(days: int) -> str:
    return (timezone.localdate() - timedelta(days=days)).isoformat()


def with_sources(alice: User, *superseded: int | None, card: dict[str, Any]) -> Listing:
    """Each superseded so many days ago, or not at all."""
    listing = listed(alice, "Cover", card=card)
    base = KnowledgeBase.objects.create(owner=alice, plugin=listing.plugin, name="x", revision=3)
    for number, ago in enumerate(superseded):
        on = None if ago is None else timezone.localdate() - timedelta(days=ago)
        Document.objects.create(
            knowledge_base=base, title=f"Doc {number}", source_type="pdf", added_in=1, superseded_on=on
        )
    pinned = [{"knowledge_base": base.pk, "revision": 3, "embedder": "local"}]
    Release.objects.create(plugin=listing.plugin, version="2.0.0", scorecard=card, knowledge=pinned)
    update_listing(listing.plugin)
    return Listing.objects.get()


def test_sources_that_were_superseded_since_need_attention(alice: User) -> None:
    listing = with_sources(alice, None, 3, 5, 400, -9, card=scorecard(date=in_days(10)))
    assert (listing.label, listing.sources, listing.superseded) == (Label.ATTENTION, 5, 3)
    assert listing.attention == "Two sources were superseded after it was measured."


def test_what_was_superseded_before_was_measured_so(alice: User) -> None:
    listing = with_sources(alice, None, 50, card=scorecard(date=in_days(10)))
    assert (listing.label, listing.attention, listing.superseded) == (Label.MEASURED, "", 1)


def test_documents_that_the_release_does_not_read_do_not_count(alice: User) -> None:
    listing = with_sources(alice, None, card=scorecard())
    base = KnowledgeBase.objects.get()
    Document.objects.create(knowledge_base=base, title="Later", source_type="pdf", added_in=4)
    Document.objects.create(knowledge_base=base, title="Gone", source_type="pdf", added_in=1, removed_in=2)
    Document.objects.create(knowledge_base=base, title="Removed since", source_type="pdf", added_in=1, removed_in=4)
    update_listing(listing.plugin)
    assert Listing.objects.get().sources == 2


def test_old_measurements_need_attention(alice: User) -> None:
    assert listed(alice, "Fresh", card=scorecard(date=in_days(180))).label == Label.MEASURED
    old = listed(alice, "Old", card=scorecard(date=in_days(181)))
    assert (old.label, old.attention) == (Label.ATTENTION, "It was measured more than 180 days ago.")


def test_questions_that_fail_since_the_release_need_attention(alice: User) -> None:
    listing = listed(alice, "Cover", card=scorecard())
    outcomes = [{"id": n, "question": "?", "passed": n < 8, "failures": []} for n in range(10)]
    EvaluationRun.objects.create(plugin=listing.plugin, content="c" * 64, questions=outcomes)
    update_listing(listing.plugin)
    assert Listing.objects.get().attention == "Asked again since, 8 of 10 golden questions went right."


def test_nothing_measured_needs_no_attention(alice: User) -> None:
    listing = with_sources(alice, 3, card={})
    assert (listing.label, listing.attention) == (Label.NONE, "")


# --- By itself ----------------------------------------------------------------------------------------------------


def test_what_is_stale_is_relisted(alice: User) -> None:
    kept, edited, old, missing = (listed(alice, name, embed=True) for name in ("a", "b", "c", "d"))
    now = timezone.now()
    Plugin.objects.filter(pk=edited.pk).update(updated_at=now + timedelta(seconds=1))
    Listing.objects.filter(pk=old.pk).update(updated_at=now - timedelta(hours=25))
    Listing.objects.filter(pk=missing.pk).delete()
    Plugin.objects.create(owner=alice, name="Draft", domain="x")
    relisted = listing_refresh.refresh_stale_listings(now=now)
    assert {one.pk for one in relisted} == {edited.pk, old.pk, missing.pk}
    assert kept.pk not in {one.pk for one in relisted}
    assert not Listing.objects.filter(vector=None).exists()


def test_a_change_of_its_own_documents_makes_a_listing_stale(alice: User) -> None:
    plugin, _ = (listed(alice, name, embed=True).plugin for name in ("a", "b"))
    base = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name="x")
    document = Document.objects.create(knowledge_base=base, title="Boots", source_type="pdf", added_in=1)
    now = timezone.now()
    Listing.objects.update(updated_at=now)
    Document.objects.filter(pk=document.pk).update(updated_at=now - timedelta(seconds=1))
    assert not listing_refresh.stale_plugins(now=now).exists()
    Document.objects.filter(pk=document.pk).update(updated_at=now + timedelta(seconds=1))
    assert set(listing_refresh.stale_plugins(now=now)) == {plugin}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_hand", [(), ("cover",), None], ids=["all", "one", "timetable"])
def test_a_plugin_that_is_withdrawn_while_it_is_relisted_stays_out(
    alice: User, by_hand: tuple[str, ...] | None
) -> None:
    plugin = listed(alice, "Cover", slug="cover").plugin
    Listing.objects.update(updated_at=timezone.now() - timedelta(hours=25))

    def withdraw(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            withdraw_from_marketplace(Plugin.objects.get(pk=plugin.pk))
            hold()

    def relist() -> None:
        with suppress(CommandError):  # it is not published
            refresh_listings() if by_hand is None else call_command("relist", *by_hand)

    wait_in_turn(withdraw, relist)
    assert not Listing.objects.exists()


def test_the_timetable_may_come_at_any_time() -> None:
    refresh_listings()
    refresh_listings()


def test_everything_is_relisted_by_hand(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    listed(alice, "Cover", slug="cover")
    Listing.objects.all().delete()
    call_command("relist")
    assert "Relisted 1 plugin." in capsys.readouterr().out
    assert Listing.objects.get().vector is not None
    call_command("relist", "cover", "--json")
    assert capsys.readouterr().out == '{"relisted": 1}\n'
    with pytest.raises(CommandError):
        call_command("relist", "nothing")
