"""Who can see a plugin: one choice, in words, on the publish page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from knowledge.documents.lifecycle import delete_document
from knowledge.models import Document
from marketplace import tasks
from marketplace.models import Listing, PublishingRun
from marketplace.publishing.audience_choices import Audience, audience_of, describe_visibility
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from plugins.visibility import Visibility
from querying.releases import snapshot
from tests.cover import give_document, published
from tests.evaluation.goldens import add_goldens
from tests.pages.conftest import browsing, plugin

__all__ = ["browsing", "plugin", "published"]

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def choose(client: Client, plugin: Plugin, audience: str, **more: str) -> list[tuple[str, str]]:
    data = {"audience": audience, "pane": "publish", **more}
    response = client.post(reverse("admin:builder_audience", args=[plugin.pk]), data, follow=True)
    plugin.refresh_from_db()
    back = reverse("admin:builder_publish", args=[plugin.pk])
    assert [address for address, _ in response.redirect_chain] in ([back], [])  # bad input stays in the form
    return [(message.level_tag, str(message)) for message in response.context["messages"]]


def test_each_choice_says_what_it_makes_public(browsing: Browse, alice: User, published: Plugin) -> None:
    content = browsing(alice).get(reverse("admin:builder_publish", args=[published.pk])).content.decode()
    for words in (
        "Nothing is published.",
        "Only you and the people listed under Sharing can ask its releases.",
        "Anyone with an API key of this site can ask its releases by the name boots.",
        "Nobody can guess the address",
        "Anyone finds its page in the marketplace",
        "titles and dates of 1 document, not their text.",
        "No document is marked public yet: every question would be refused.",
        "Never public: the persona, the draft, keys, and who asked what.",
    ):
        assert words in content
    Plugin.objects.update(public_chat=True)
    published.refresh_from_db()
    assert any("titles and dates of 0 public documents" in fact for fact in describe_visibility(published).now.facts)


def test_a_published_plugin_shows_what_its_release_says_of_public_documents(published: Plugin) -> None:
    Plugin.objects.update(public_only=True)
    published.refresh_from_db()
    assert any("titles and dates of 1 document, not" in fact for fact in describe_visibility(published).now.facts)
    draft = snapshot(published)
    said = describe_visibility(published, of=draft).now.facts
    assert any("titles and dates of 0 public documents" in fact for fact in said)


def test_a_draft_offers_what_comes_once_it_is_published(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = browsing(alice).get(reverse("admin:builder_publish", args=[plugin.pk])).content.decode()
    assert "Who can see it once it is published" in content
    assert 'name="audience" value="private"' not in content
    assert "error" in dict(choose(browsing(alice), plugin, "private"))
    Document.objects.update(is_public=True)
    assert choose(browsing(alice), plugin, "marketplace", public_chat="on") == [
        ("success", "Saved. It applies once the plugin is published.")
    ]
    assert (plugin.public_chat, audience_of(plugin)) == (True, Audience.PRIVATE)


def test_the_choice_is_kept_and_a_chat_needs_a_page(browsing: Browse, alice: User, published: Plugin) -> None:
    client = browsing(alice)
    assert audience_of(published) == Audience.MARKETPLACE
    assert choose(client, published, "marketplace", public_chat="on")[0][0] == "warning"  # no document is public
    Document.objects.update(is_public=True)
    for audience in ("people", "key", "unlisted", "marketplace"):
        assert choose(client, published, audience, public_chat="on", is_shared="on") == [("success", "Saved.")]
        assert audience_of(published) == audience
        assert (published.public_chat, published.is_shared) == (audience in ("unlisted", "marketplace"), True)
    assert choose(client, published, "key") == [("success", "Saved.")]
    assert (published.public_chat, published.is_shared) == (False, False)
    assert "is withdrawn" in choose(client, published, "private")[0][1]
    assert not published.is_published


def test_the_unlisted_page_has_an_address_that_its_author_renews(
    browsing: Browse, alice: User, published: Plugin
) -> None:
    client, publish_page = browsing(alice), reverse("admin:builder_publish", args=[published.pk])
    assert "It gets its address when you save this choice." in client.get(publish_page).content.decode()
    choose(client, published, "unlisted")
    before = published.page_token
    assert f"/marketplace/{before}" in client.get(publish_page).content.decode()
    renew = reverse("admin:builder_renew_page_address", args=[published.pk])
    assert client.post(renew, {"pane": "publish"}).headers["Location"] == publish_page
    published.refresh_from_db()
    assert published.page_token not in ("", before)
    after = published.page_token
    choose(client, published, "marketplace")
    client.post(renew)
    published.refresh_from_db()
    assert published.page_token == after  # there is nothing to renew
    choose(client, published, "unlisted")
    assert published.page_token == after


def test_no_chat_is_opened_where_there_is_no_page(browsing: Browse, alice: User, published: Plugin) -> None:
    choose(browsing(alice), published, "key")
    said = browsing(alice).post(reverse("admin:builder_use", args=[published.pk]), {"public_chat": "on"})
    assert "It has no public page" in said.content.decode()
    published.refresh_from_db()
    assert not published.public_chat


def test_sharing_while_no_document_is_public_says_what_it_opens(
    browsing: Browse,
    alice: User,
    published: Plugin,
) -> None:
    said = "Saved. No document is marked public, but a copy holds them all, and anyone can read their pages."
    assert choose(browsing(alice), published, "marketplace", is_shared="on") == [("warning", said)]
    assert "the persona" not in describe_visibility(published).never


def test_bad_input_and_strangers_change_nothing(
    browsing: Browse,
    alice: User,
    bob: User,
    published: Plugin,
) -> None:
    assert choose(browsing(alice), published, "everybody", is_shared="on")[0][0] == "error"
    assert not published.is_shared
    published.viewers.add(bob)
    address = reverse("admin:builder_audience", args=[published.pk])
    assert browsing(bob).post(address, {"audience": "private"}).status_code == 404


def test_after_publishing_one_is_told_what_to_do_next(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client, address = browsing(alice), reverse("admin:builder_published", args=[plugin.pk])
    publish_page = reverse("admin:builder_publish", args=[plugin.pk])
    assert client.get(address).headers["Location"] == publish_page
    answer = client.post(publish_page, {"notes": ""}, follow=True)
    assert answer.redirect_chain == [(address, 302)]
    content = answer.content.decode()
    for words in ("/marketplace/boots", "Create an API key", "Who can see it: Marketplace"):
        assert words in content
    assert "/api/v1/query" not in content  # the key comes with it
    Plugin.objects.update(public_chat=True)
    assert "Put the chat on a web site of yours" in client.get(address).content.decode()
    Plugin.objects.update(embed_origins=["https://boots.example"])
    assert "data-plugin=&quot;boots&quot; defer" in client.get(address).content.decode()
    ApiKey.objects.issue(owner=alice, name="Site agent")
    content = client.get(address).content.decode()
    for words in ("your key <b>Site agent</b>", "/api/v1/query", "After how long are boots replaced?"):
        assert words in content


def test_who_can_see_the_first_release_has_to_be_chosen(browsing: Browse, alice: User, plugin: Plugin) -> None:
    address, client = reverse("admin:builder_publish", args=[plugin.pk]), browsing(alice)
    assert client.get(address).context["chosen_audience"] == ""
    Plugin.objects.update(visibility=Visibility.KEY)
    assert client.get(address).context["chosen_audience"] == "key"
    Plugin.objects.update(visibility=Visibility.MARKETPLACE, is_published=True)
    assert client.get(address).context["chosen_audience"] == "marketplace"


def test_publishing_saves_who_can_see_it_as_well(browsing: Browse, alice: User, plugin: Plugin) -> None:
    Document.objects.update(is_public=True)
    address = reverse("admin:builder_publish", args=[plugin.pk])
    client = browsing(alice)
    client.post(address, {"audience": "unlisted"})
    plugin.refresh_from_db()
    assert audience_of(plugin) == Audience.UNLISTED
    said = client.post(address, {"audience": "private", "version": "2.0.0"}).context
    assert any("A release is for others too." in str(message) for message in said["messages"])
    assert said["chosen_audience"] == "private"
    plugin.refresh_from_db()
    assert (audience_of(plugin), plugin.releases.count()) == (Audience.UNLISTED, 1)


def test_lx_094_copies_that_cannot_be_shared_publish_nothing(browsing: Browse, alice: User, plugin: Plugin) -> None:
    Plugin.objects.update(public_only=True)
    plugin.refresh_from_db()
    client = browsing(alice)
    said = client.post(
        reverse("admin:builder_publish", args=[plugin.pk]),
        {"audience": "marketplace", "public_chat": "on", "is_shared": "on"},
    ).context
    plugin.refresh_from_db()
    assert (plugin.is_published, plugin.public_chat, plugin.is_shared) == (False, False, False)
    assert (said["chosen_audience"], said["is_copying"]) == ("marketplace", True)


def test_copies_that_would_hold_what_the_chat_does_not_show_are_refused_with_the_reason(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    address, client = reverse("admin:builder_publish", args=[plugin.pk]), browsing(alice)
    said = client.post(address, {"audience": "marketplace", "public_chat": "on", "is_shared": "on"}).context
    assert "not public, and a copy would hold it all" in str(next(iter(said["messages"])))
    plugin.refresh_from_db()
    assert (plugin.is_published, plugin.is_shared) == (False, False)


def test_a_release_that_nobody_could_copy_is_told_before_it_is_made(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    Document.objects.update(is_public=True)
    address, client = reverse("admin:builder_publish", args=[plugin.pk]), browsing(alice)
    client.post(address, {"audience": "marketplace", "public_chat": "on", "is_shared": "on"})
    plugin.refresh_from_db()
    assert (plugin.is_published, plugin.is_shared) == (True, True)
    words = "Nobody can install a copy like this."
    assert words not in client.get(address).content.decode()
    give_document(plugin, title="Gloves", text="# Gloves\n\nGloves are replaced monthly.\n")
    page = client.get(address)
    assert (page.context["visibility"].public, page.context["visibility"].documents) == (1, 2)
    assert words in page.content.decode()
    assert (
        choose(client, plugin, "marketplace", public_chat="on", is_shared="on")[0][0] == "success"
    )  # of the release that is out


def test_the_pane_of_who_may_use_it_refuses_such_copies_as_well(
    browsing: Browse, alice: User, published: Plugin
) -> None:
    address, client = reverse("admin:builder_use", args=[published.pk]), browsing(alice)
    said = client.post(address, {"is_shared": "on", "public_chat": "on"}).content.decode()
    assert "not public, and a copy would hold it all" in said
    published.refresh_from_db()
    assert (published.is_shared, published.public_chat) == (False, False)
    Document.objects.update(is_public=True)
    client.post(address, {"is_shared": "on", "public_chat": "on"})
    published.refresh_from_db()
    assert (published.is_shared, published.public_chat) == (True, True)


@pytest.fixture
def for_key_holders(published: Plugin) -> Plugin:
    """1.0.0 reads an internal document, and the draft does not any more."""
    internal = give_document(published, title="Internal", text="# Internal\n\nThe safe is behind the boots.\n")
    published.visibility = Visibility.KEY
    published.save()
    publish(published, by=published.owner)
    delete_document(internal)
    return published


TO_EVERYBODY = {"audience": "marketplace", "is_shared": "on"}


def is_open(plugin: Plugin) -> bool:
    plugin.refresh_from_db()
    opened = {plugin.visibility == Visibility.MARKETPLACE, plugin.is_shared, Listing.objects.filter(pk=plugin).exists()}
    assert len(opened) == 1
    return opened.pop()


def test_a_release_that_is_refused_leaves_who_can_see_the_earlier_one(
    browsing: Browse, alice: User, for_key_holders: Plugin
) -> None:
    Plugin.objects.update(system_prompt="")
    page = browsing(alice).post(reverse("admin:builder_publish", args=[for_key_holders.pk]), TO_EVERYBODY)
    assert not is_open(for_key_holders)
    assert "It has no persona." in page.content.decode()
    Plugin.objects.update(system_prompt="You are a safety engineer.")
    page = browsing(alice).post(
        reverse("admin:builder_publish", args=[for_key_holders.pk]), {**TO_EVERYBODY, "version": "0.0.1"}
    )
    assert not is_open(for_key_holders)
    assert (page.context["chosen_audience"], page.context["is_copying"]) == ("marketplace", True)


def test_who_can_see_it_changes_when_the_worker_publishes(
    browsing: Browse, alice: User, for_key_holders: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: None)
    add_goldens(for_key_holders, right=1)
    client, address = browsing(alice), reverse("admin:builder_publish", args=[for_key_holders.pk])
    page = client.post(address, TO_EVERYBODY, follow=True)
    assert "Who can see it from then on: Marketplace." in page.content.decode()
    assert page.context["chosen_audience"] == "key"  # that of the release which is out
    assert not is_open(for_key_holders)
    client.post(address, TO_EVERYBODY)  # once more
    run = PublishingRun.objects.get()
    tasks.publish_plugin(run_id=str(run.pk))
    run.refresh_from_db()
    assert run.state == PublishingRun.State.PUBLISHED
    assert is_open(for_key_holders)


def test_who_was_to_see_what_was_cancelled_stays_in_the_form(
    browsing: Browse, alice: User, for_key_holders: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: None)
    add_goldens(for_key_holders, right=1)
    client, address = browsing(alice), reverse("admin:builder_publish", args=[for_key_holders.pk])
    client.post(address, TO_EVERYBODY)
    client.post(reverse("admin:builder_publish_cancel", args=[for_key_holders.pk]))
    assert not is_open(for_key_holders)
    context = client.get(address).context
    assert (context["chosen_audience"], context["is_copying"]) == ("marketplace", True)
    Plugin.objects.update(visibility=Visibility.PEOPLE)  # somebody has chosen since
    context = client.get(address).context
    assert (context["chosen_audience"], context["is_copying"]) == ("people", False)


def test_who_can_see_it_is_not_changed_back_by_what_was_being_published(
    browsing: Browse, alice: User, for_key_holders: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: None)
    add_goldens(for_key_holders, right=1)
    client = browsing(alice)
    client.post(reverse("admin:builder_publish", args=[for_key_holders.pk]), TO_EVERYBODY)
    choose(client, for_key_holders, "people")
    run = PublishingRun.objects.get()
    tasks.publish_plugin(run_id=str(run.pk))
    run.refresh_from_db()
    assert (run.state, for_key_holders.releases.count()) == (PublishingRun.State.FAILED, 2)
    assert "Somebody changed who can see the plugin" in run.error
    for_key_holders.refresh_from_db()
    assert audience_of(for_key_holders) == Audience.PEOPLE


def test_copies_are_not_allowed_of_what_became_private_meanwhile(
    browsing: Browse, alice: User, for_key_holders: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: None)
    Document.objects.update(is_public=True)
    add_goldens(for_key_holders, right=1)
    said = {**TO_EVERYBODY, "public_chat": "on"}
    browsing(alice).post(reverse("admin:builder_publish", args=[for_key_holders.pk]), said)
    Document.objects.update(is_public=False)
    run = PublishingRun.objects.get()
    tasks.publish_plugin(run_id=str(run.pk))
    run.refresh_from_db()
    assert "not public, and a copy would hold it all" in run.error
    assert not is_open(for_key_holders)
