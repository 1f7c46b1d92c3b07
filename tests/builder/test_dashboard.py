"""The first page of the builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from builder.dashboard import WEEK
from builder.readiness import reverse_pane
from evaluation.models import GoldenQuestion
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin, Release
from querying.models import Dismissal, Query
from tests.knowledge.bases import attach
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
INDEX = "/admin/"


def needs(client: Client) -> list[tuple[str, str]]:
    return [(need.sentence, need.url) for need in client.get(INDEX).context["action_items"]]


def full(owner: User, number: int) -> Plugin:
    """One of which everything is wrong."""
    plugin = Plugin.objects.create(owner=owner, name=f"Plugin {number}", domain="safety", system_prompt="Brief.")
    base = own_knowledge_base(plugin)
    Document.objects.create(knowledge_base=base, title="Broken", source_type="pdf", status="failed")
    DecisionTree.objects.create(plugin=plugin, name="Broken", tree_data={})
    GoldenQuestion.objects.create(plugin=plugin, question="Boots?", last_passed=True)
    GoldenQuestion.objects.create(plugin=plugin, question="Shoes?", last_passed=False)
    Query.objects.create(plugin=plugin, question="Hats?", outcome="refused")
    return plugin


def test_the_builder_says_that_it_is_dark_where_the_reader_is_before_its_scripts_run(
    browsing: Browse, alice: User
) -> None:
    page = browsing(alice).get(reverse("admin:index")).content.decode()
    assert '<meta name="color-scheme" content="light dark">' in page


def test_a_newcomer_is_led_through_five_steps(browsing: Browse, alice: User) -> None:
    content = browsing(alice).get(INDEX).content.decode()
    for words in ("Create your first plugin", "Add documents", "Draw a tree", "Publish it"):
        assert words in content
    assert reverse("admin:plugins_plugin_add") in content


def test_a_new_author_sees_what_is_done_and_what_comes_next_until_the_first_release(
    browsing: Browse, alice: User, bob: User
) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", domain="safety", system_prompt="Brief.")
    client = browsing(alice)

    def shown() -> Any:
        return client.get(INDEX).context["checklist"]

    assert (shown().done_count, shown().following.url) == (1, reverse_pane(plugin, "knowledge"))
    Document.objects.create(knowledge_base=own_knowledge_base(plugin), title="Rules", source_type="md", status="ready")
    GoldenQuestion.objects.create(plugin=plugin, question="Boots?")
    Query.objects.create(plugin=plugin, question="Hats?", outcome="refused", user=bob)
    before = shown().done_count
    Query.objects.create(plugin=plugin, question="Hats?", outcome="refused", user=alice)
    assert shown().done_count == before + 1
    Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="Brief.")
    assert shown() is None


def test_the_first_steps_are_hidden_for_good_when_they_are_dismissed(browsing: Browse, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Boots", domain="safety", system_prompt="Brief.")
    client = browsing(alice)
    assert "First steps with Boots" in client.get(INDEX).content.decode()
    assert client.get(reverse("admin:builder_dismiss_checklist")).status_code == 405
    client.post(reverse("admin:builder_dismiss_checklist"))
    assert "First steps with Boots" not in browsing(alice).get(INDEX).content.decode()


def test_what_needs_somebody_leads_to_the_remedy(browsing: Browse, alice: User) -> None:
    plugin = full(alice, 1)
    client = browsing(alice)
    found = dict(needs(client))
    assert found["1 document could not be read"] == reverse_pane(plugin, "knowledge")
    assert found["1 golden question fails"] == reverse_pane(plugin, "golden")
    assert found["1 question was refused this week"] == reverse_pane(plugin, "inbox")
    assert reverse_pane(plugin, "trees") in found.values()


def test_what_was_refused_long_ago_does_not_wait(browsing: Browse, alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", domain="safety", system_prompt="Brief.")
    Query.objects.create(plugin=plugin, question="Hats?", outcome="refused", created_at=timezone.now() - WEEK * 1.1)
    assert needs(browsing(alice)) == []


def test_what_was_dismissed_does_not_wait(browsing: Browse, alice: User) -> None:
    full(alice, 1)
    Dismissal.record(Query.objects.all(), by=alice)
    assert "1 question was refused this week" not in dict(needs(browsing(alice)))


def test_a_viewer_is_not_asked_to_mend_anything(browsing: Browse, alice: User, bob: User) -> None:
    full(alice, 1).viewers.add(bob)
    client = browsing(bob)
    assert needs(client) == []
    assert "Plugin 1" in client.get(INDEX).content.decode()


def test_figures_count_what_one_may_look_at(browsing: Browse, alice: User, bob: User, charlie: User) -> None:
    plugin = full(alice, 1)
    full(charlie, 2)
    Query.objects.create(plugin=plugin, question="Boots?", outcome="answered")
    Query.objects.create(plugin=plugin, question="Thanks!", outcome="answered", reason="courtesy")
    figures: Any = browsing(alice).get(INDEX).context["figures"]
    assert figures == {"plugins": 1, "published": 0, "asked": 2, "answered": 1, "refused": 1}


def test_attached_knowledge_counts_as_knowledge(browsing: Browse, alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", domain="safety", system_prompt="Brief.")
    base = KnowledgeBase.objects.create(owner=alice, name="Shared")
    attach(base, plugin)
    Document.objects.create(knowledge_base=base, title="Rules", source_type="text", status="ready")
    [row] = browsing(alice).get(INDEX).context["rows"]
    assert [part.detail for part in row.parts if part.slug == "knowledge"] == ["1 of 1 ready"]


def test_the_page_takes_the_same_queries_for_any_number_of_plugins(
    browsing: Browse, alice: User, django_assert_num_queries, django_assert_max_num_queries
) -> None:
    client = browsing(alice)
    full(alice, 0)
    client.get(INDEX)
    with django_assert_max_num_queries(26) as counted:
        client.get(INDEX)
    for number in range(1, 8):
        full(alice, number)
    with django_assert_num_queries(len(counted.captured_queries)):
        client.get(INDEX)


def test_many_plugins_are_paginated(browsing: Browse, alice: User) -> None:
    for number in range(25):
        Plugin.objects.create(owner=alice, name=f"Plugin {number}", domain="safety", system_prompt="Brief.")
    client = browsing(alice)
    assert len(client.get(INDEX).context["rows"]) == 20
    assert len(client.get(INDEX, {"page": 2}).context["rows"]) == 5


def test_a_name_with_markup_is_text_everywhere(browsing: Browse, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="<script>alert(1)</script>", domain="x", system_prompt="x")
    content = browsing(alice).get(INDEX).content.decode()
    assert "<script>alert" not in content
    assert content.count("&lt;script&gt;alert(1)") >= 2  # in the sidebar and in the list


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("admin:index", ["Dashboard"]),
        ("admin:plugins_plugin_changelist", ["Plugins"]),
        ("admin:plugins_plugin_add", ["Plugins", "New plugin"]),
        ("admin:builder_import", ["Plugins", "Import"]),
    ],
)
def test_a_page_says_where_it_stands(browsing: Browse, alice: User, page: str, expected: list[str]) -> None:
    assert way(browsing(alice), reverse(page)) == expected


def test_the_pages_of_a_plugin_say_its_name(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    assert way(client, reverse_pane(plugin, "persona")) == ["Plugins", "Boots"]
    assert way(client, reverse_pane(plugin, "knowledge")) == ["Plugins", "Boots", "Knowledge"]
    assert way(client, reverse("admin:plugins_plugin_history", args=[plugin.pk])) == ["Plugins", "Boots", "History"]
    assert way(client, reverse("admin:plugins_plugin_delete", args=[plugin.pk])) == ["Plugins", "Boots", "Delete"]


def way(client: Client, address: str) -> list[str]:
    from lxml import html

    page = html.fromstring(client.get(address).content.decode())
    assert len(page.xpath("//h1")) == 1
    return [item.text_content().strip() for item in page.xpath("//nav[@class='lx-crumbs']//li")]


def test_what_is_gone_or_somebody_elses_is_said_in_words(browsing: Browse, charlie: User, plugin: Plugin) -> None:
    missing = reverse("admin:plugins_plugin_change", args=["00000000-0000-4000-8000-000000000000"])
    for address in (missing, reverse("admin:plugins_plugin_change", args=[plugin.pk])):
        content = browsing(charlie).get(address, follow=True).content.decode()
        assert "That plugin is not here: it was deleted, or its owner has not invited you." in content
        assert "Perhaps" not in content
        assert str(plugin.pk) not in content


def test_lx_019_the_list_of_plugins_has_the_file_and_the_qr_code(
    browsing: Browse, alice: User, bob: User, charlie: User, published: Plugin
) -> None:
    published.viewers.add(bob)
    lists = reverse("admin:plugins_plugin_changelist")
    export = reverse("admin:builder_download", args=[published.pk])
    image = reverse("admin:builder_qr_image", args=[published.pk])
    shown = {person: browsing(person).get(lists).content.decode() for person in (alice, bob)}
    assert (export in shown[alice], image in shown[alice]) == (True, True)
    assert (export in shown[bob], image in shown[bob]) == (False, True)
    code = browsing(bob).get(image)
    assert (code.status_code, code["Content-Type"]) == (200, "image/svg+xml")
    assert code.content.startswith(b"<svg ")
    assert browsing(charlie).get(image).status_code == 404
    published.unpublish()
    assert browsing(alice).get(image).status_code == 404
    assert image not in browsing(alice).get(lists).content.decode()
