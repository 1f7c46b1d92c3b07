"""What the public chat may read, in the pane of who may use a plugin."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from builder.readiness import reverse_pane
from knowledge.models import Document
from marketplace.models import Listing
from marketplace.publishing.publish import publish
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin
from tests.cover import give_document
from tests.pages.conftest import browsing, plugin
from tests.two_transactions import wait_in_turn

__all__ = ["browsing", "plugin"]

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def test_how_many_documents_are_public_is_said_and_all_are_marked_at_once(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    give_document(plugin, title="More", text="# More\n\nMore about boots.\n")
    template = give_document(plugin, title="Template", text="# Template\n\nWhat was worn?\n")
    Document.objects.filter(pk=template.pk).update(is_template=True)
    Plugin.objects.update(public_chat=True)
    client = browsing(alice)
    page = client.get(reverse_pane(plugin, "sharing")).content.decode()
    assert '<span class="num">0 of 3</span> documents are marked public.' in page
    assert "refuses every question until one is" in page
    assert "Mark all 2 of its own documents public" in page
    client.post(reverse_pane(plugin, "mark_public"))
    page = client.get(reverse_pane(plugin, "sharing")).content.decode()
    assert ('<span class="num">2 of 3</span>' in page, "of its own documents public" in page) == (True, False)


def test_the_public_page_counts_what_was_marked_at_once(browsing: Browse, alice: User, plugin: Plugin) -> None:
    Plugin.objects.update(public_chat=True, visibility="marketplace")
    publish(plugin, by=alice)
    assert Listing.objects.get().sources == 0
    browsing(alice).post(reverse_pane(plugin, "mark_public"))
    assert Listing.objects.get().sources == 1


@pytest.mark.parametrize("chats", [True, False])
def test_a_chat_is_spoken_of_only_where_there_is_one(
    browsing: Browse, alice: User, plugin: Plugin, chats: bool
) -> None:
    Plugin.objects.update(public_chat=chats, visibility="marketplace")
    publish(plugin, by=alice)
    page = browsing(alice).post(reverse_pane(plugin, "mark_public"), follow=True).content.decode()
    assert "Marked 1 document public." in page
    assert ("The public chat answers from them now." in page) is chats


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", ["mark_public", "knowledge_bulk"])
def test_marking_public_puts_no_plugin_back_that_was_withdrawn_meanwhile(
    browsing: Browse, alice: User, plugin: Plugin, door: str
) -> None:
    Plugin.objects.update(visibility="marketplace")
    publish(plugin, by=alice)
    client, document = browsing(alice), Document.objects.get()

    def withdraw(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            withdraw_from_marketplace(Plugin.objects.get())
            hold()

    def mark() -> None:
        client.post(reverse_pane(plugin, door), {"documents": [str(document.pk)], "act": "public"})

    wait_in_turn(withdraw, mark)
    assert Document.objects.filter(is_public=True).exists()
    assert not Listing.objects.exists()


def test_a_viewer_reads_it_and_marks_nothing(browsing: Browse, bob: User, charlie: User, plugin: Plugin) -> None:
    plugin.viewers.add(bob)
    assert "marked public" in browsing(bob).get(reverse_pane(plugin, "sharing")).content.decode()
    for person in (bob, charlie):
        assert browsing(person).post(reverse_pane(plugin, "mark_public")).status_code in (403, 404)
    assert not Document.objects.filter(is_public=True).exists()


def test_the_author_is_told_that_frames_need_https(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    url = reverse_pane(plugin, "sharing")
    told = "the chat forgets its conversation with every question"
    assert told not in client.get(url).content.decode()  # there is no frame yet
    client.post(reverse("admin:builder_use", args=[plugin.pk]), {"embed_origins": "https://www.example.org"})
    assert told in client.get(url).content.decode()
    assert told not in client.get(url, secure=True).content.decode()


def test_opening_the_chat_while_no_document_is_public_says_so(browsing: Browse, alice: User, plugin: Plugin) -> None:
    give_document(plugin, title="More", text="# More\n\nMore about boots.\n")
    client, url = browsing(alice), reverse("admin:builder_use", args=[plugin.pk])

    def said(**fields: str) -> list[tuple[str, str]]:
        response = client.post(url, fields, follow=True)
        return [(message.level_tag, str(message)) for message in response.context["messages"]]

    told = "Saved. No document is marked public yet, so the public chat refuses every question until one is."
    assert said(public_chat="on") == [("warning", told)]
    assert said() == [("success", "Saved. It applies once the plugin is published.")]
    Document.objects.update(is_public=True)
    assert said(public_chat="on") == [("success", "Saved. It applies once the plugin is published.")]
    Plugin.objects.update(is_published=True)
    assert said(public_chat="on") == [("success", "Saved.")]


def test_sites_are_written_with_commas_or_spaces_between_them(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client, url = browsing(alice), reverse("admin:builder_use", args=[plugin.pk])
    for written in ("https://a.example, https://b.example", "https://a.example https://b.example\n"):
        assert client.post(url, {"embed_origins": written}).status_code == 302
        plugin.refresh_from_db()
        assert plugin.embed_origins == ["https://a.example", "https://b.example"]
        Plugin.objects.update(embed_origins=[])


def test_a_site_that_is_no_origin_stays_in_the_field(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client, url = browsing(alice), reverse("admin:builder_use", args=[plugin.pk])
    page = client.post(url, {"embed_origins": "https://a.example/shop"}).content.decode()
    assert 'value="https://a.example/shop"' in page
    assert "An origin is a scheme and a host" in page
    plugin.refresh_from_db()
    assert plugin.embed_origins == []
