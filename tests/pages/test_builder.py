"""What an expert does by hand in the builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from builder.panes import PANES
from builder.readiness import reverse_pane
from knowledge.documents.lifecycle import update_details
from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin, Release
from querying.models import Query
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def listing(model: str) -> str:
    return reverse(f"admin:{model}_changelist")


def change(model: str, row: Any) -> str:
    return reverse(f"admin:{model}_change", args=[row.pk])


def publish_page(plugin: Plugin) -> str:
    return reverse("admin:builder_publish", args=[plugin.pk])


def shown(client: Client, address: str) -> str:
    response = client.get(address, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def filled(**fields: Any) -> dict[str, Any]:
    defaults = {
        "name": "Boots",
        "slug": "boots",
        "domain": "safety",
        "system_prompt": "You are a safety engineer.",
        "disclaimer": "",
        "citation_mode": "mandatory",
        "top_k": 8,
        "threshold": 0.3,
        "chunk_strategy": "characters",
        "chunk_size": 1500,
        "tagline": "",
        "description": "",
        "tags": "",
        "editor_emails": "",
        "golden_gate": "warn",
        "golden_share": 0.95,
    }
    return {**defaults, **fields}


# --- Plugins ---------------------------------------------------------------------------------------------


def test_a_plugin_comes_with_a_knowledge_base_and_all_its_parts(browsing: Browse, alice: User) -> None:
    client = browsing(alice)
    client.post(reverse("admin:plugins_plugin_add"), filled())
    plugin = Plugin.objects.get()
    base = KnowledgeBase.objects.get(plugin=plugin)
    assert (plugin.owner, base.owner) == (alice, alice)
    content = shown(client, change("plugins_plugin", plugin))
    for slug in PANES:
        address = reverse_pane(plugin, slug)
        assert address in content
        assert client.get(address).status_code == 200


def test_what_is_optional_is_no_warning(browsing: Browse, alice: User) -> None:
    bare = Plugin.objects.create(owner=alice, name="Boots", domain="safety", system_prompt="You fit boots.")
    parts = {part.slug: part for part in browsing(alice).get(reverse_pane(bare, "persona")).context["readiness"]}
    assert (parts["persona"].status, parts["persona"].detail) == ("faint", "no tagline (optional)")


def test_its_slug_is_fixed_by_the_first_release(browsing: Browse, alice: User, published: Plugin) -> None:
    client = browsing(alice)
    assert 'name="slug"' not in shown(client, change("plugins_plugin", published))
    client.post(change("plugins_plugin", published), filled(slug="other"))
    published.refresh_from_db()
    assert published.slug == "boots"


def test_what_stands_in_the_way_of_publishing_is_said(browsing: Browse, alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Empty", domain="safety", system_prompt="Brief.")
    client = browsing(alice)
    assert "None of its documents is ready." in shown(client, publish_page(plugin))
    response = client.post(publish_page(plugin), {"notes": "", "version": ""})
    assert any("None of its documents is ready." in sentence for sentence in said(response))
    assert not Release.objects.exists()


def test_whoever_publishes_is_told_which_name_everybody_reads(browsing: Browse, alice: User, plugin: Plugin) -> None:
    assert "<bdi>Alice</bdi>" in shown(browsing(alice), publish_page(plugin))
    alice.display_name = ""
    alice.save()
    page = shown(browsing(alice), publish_page(plugin))
    assert (
        "<bdi>Unnamed member</bdi>" in page,
        f'href="{reverse("profile")}?next={publish_page(plugin)}"' in page,
    ) == (
        True,
        True,
    )
    assert 'id="publish-form"' in page


def test_publishing_by_hand(browsing: Browse, alice: User, plugin: Plugin) -> None:
    response = browsing(alice).post(publish_page(plugin), {"notes": "The first.", "version": ""}, follow=True)
    release = Release.objects.get()
    assert said(response) == ["Published: boots@1.0.0."]
    assert (release.version, release.notes, release.created_by) == ("1.0.0", "The first.", alice)
    assert "Everything is published" in response.content.decode()


def test_what_the_next_release_changes_is_said(
    browsing: Browse, alice: User, published: Plugin, handbook: Document, tree: DecisionTree
) -> None:
    published.system_prompt = "You are brief."
    published.save()
    KnowledgeBase.objects.update(revision=99)
    content = shown(browsing(alice), publish_page(published))
    for sentence in (
        "The persona is different.",
        "The tree “Which boots to wear” is new.",
        "Its documents were read again; their text is the same.",
    ):
        assert sentence in content
    assert "Left empty, it is 1.1.0." in content


def test_nothing_new_is_said_as_well(browsing: Browse, alice: User, published: Plugin) -> None:
    assert "Nothing that affects answers." in shown(browsing(alice), publish_page(published))


@pytest.mark.parametrize(("version", "why"), [("1.0", "A version looks like 1.2.0."), ("0.9.0", "is not newer than")])
def test_a_version_that_cannot_be_is_refused(
    browsing: Browse, alice: User, published: Plugin, version: str, why: str
) -> None:
    published.system_prompt = "You are brief."
    published.save()
    response = browsing(alice).post(publish_page(published), {"notes": "", "version": version})
    assert why in response.content.decode()
    assert Release.objects.count() == 1


def test_publishing_and_withdrawing_are_actions(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    chosen = {"_selected_action": [plugin.pk]}
    client.post(listing("plugins_plugin"), {"action": "publish_chosen", **chosen})
    plugin.refresh_from_db()
    assert plugin.is_published
    client.post(listing("plugins_plugin"), {"action": "withdraw_chosen", **chosen})
    plugin.refresh_from_db()
    assert not plugin.is_published
    assert Release.objects.count() == 1


def test_a_button_takes_it_off_the_air(browsing: Browse, alice: User, published: Plugin) -> None:
    client = browsing(alice)
    address = reverse("admin:builder_withdraw", args=[published.pk])
    assert client.get(address).status_code == 405
    client.post(address)
    published.refresh_from_db()
    assert not published.is_published


def test_nobody_publishes_the_plugin_of_somebody_else(browsing: Browse, charlie: User, published: Plugin) -> None:
    client = browsing(charlie)
    withdraw = reverse("admin:builder_withdraw", args=[published.pk])
    assert client.get(publish_page(published)).status_code == 404
    assert client.post(publish_page(published), {"notes": "", "version": "9.0.0"}).status_code == 404
    assert client.post(withdraw).status_code == 404
    published.refresh_from_db()
    assert published.is_published
    assert Release.objects.count() == 1


def test_a_release_can_be_read(browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree) -> None:
    client = browsing(alice)
    client.post(publish_page(plugin), {"notes": "", "version": ""})
    content = shown(client, change("plugins_release", Release.objects.get()))
    for words in ("You are a safety engineer.", "Which boots to wear", "childrenByAnswer", "revision"):
        assert words in content


# --- Documents -------------------------------------------------------------------------------------------


def document_form(**fields: Any) -> dict[str, Any]:
    columns = ("title", "doc_type", "doc_date", "doc_status", "project", "tags", "effective_from", "superseded_on")
    return {**dict.fromkeys(columns, ""), "title": "Rules on boots", **fields}


def pane_of(document: Document) -> str:
    return reverse("admin:builder_knowledge_document", args=[document.knowledge_base.plugin_id, document.pk])


def test_saving_what_people_say_leaves_what_the_worker_writes(
    browsing: Browse, alice: User, handbook: Document, monkeypatch
) -> None:
    def worker_was_here(*args: Any, **kwargs: Any) -> None:
        Document.objects.update(pages_done=7)
        update_details(*args, **kwargs)

    monkeypatch.setattr("builder.knowledge.detail.update_details", worker_was_here)
    browsing(alice).post(pane_of(handbook), document_form(doc_type="rules", tags="a, b"))
    handbook.refresh_from_db()
    assert (handbook.doc_type, handbook.tags, handbook.pages_done) == ("rules", ["a", "b"], 7)
    assert handbook.status == "ready"


def test_the_days_of_validity_have_an_order(browsing: Browse, alice: User, handbook: Document) -> None:
    days = {"effective_from": "2026-02-01", "superseded_on": "2026-01-01"}
    response = browsing(alice).post(pane_of(handbook), document_form(**days))
    assert "This is not after the day from which it is valid." in response.content.decode()


def test_a_base_with_many_editors_counts_each_document_once(
    browsing: Browse, alice: User, bob: User, charlie: User, plugin: Plugin
) -> None:
    plugin.editors.add(bob, charlie)
    rows = browsing(bob).get(listing("knowledge_knowledgebase")).context["cl"].result_list
    assert [base.document_total for base in rows] == [1]


# --- Trees and queries -----------------------------------------------------------------------------------


def test_an_audit_row_reads_like_what_happened(
    browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree
) -> None:
    client = browsing(alice)
    asked = {"question": "Which boots should I wear?", "version": "draft", "facts": "place = on site", "as_of": ""}
    client.post(reverse("admin:builder_sandbox_ask", args=[plugin.pk]), asked)
    content = shown(client, change("querying_query", Query.objects.get()))
    for words in ("Which boots should I wear?", "Where?", "on site", "Rules on boots", "cosine", " ms", "by hand"):
        assert words in content


def test_authors_do_not_see_who_asked(browsing: Browse, alice: User, charlie: User, plugin: Plugin) -> None:
    key, _ = ApiKey.objects.issue(owner=charlie, name="charlies agent")
    query = Query.objects.create(
        plugin=plugin, release_name="boots@1.0.0", question="Boots?", api_key=key, user=charlie
    )
    content = shown(browsing(alice), change("querying_query", query))
    assert "Boots?" in content
    assert "Charlie" not in content
    assert "charlies agent" not in content
    assert "charlies agent" in shown(browsing(charlie), change("querying_query", query))


# --- Lists -----------------------------------------------------------------------------------------------


def _plugins(owner: User, plugin: Plugin, count: int) -> None:
    for number in range(count - 1):
        Plugin.objects.create(owner=owner, name=f"Plugin {number}", domain="safety")


def _releases(owner: User, plugin: Plugin, count: int) -> None:
    for number in range(count):
        Release.objects.create(plugin=plugin, version=f"{number}.0.0", system_prompt="x", created_by=owner)


def _queries(owner: User, plugin: Plugin, count: int) -> None:
    for number in range(count):
        Query.objects.create(plugin=plugin, release_name="boots@draft", question=f"Question {number}?", user=owner)


def _trees(owner: User, plugin: Plugin, count: int) -> None:
    for number in range(count):
        DecisionTree.objects.create(plugin=plugin, name=f"Tree {number}", tree_data={})


# Session, person, their permissions, their groups' and the sidebar come with every page; then how many, which, and
# the filters.
LISTS = {
    "plugins_plugin": (_plugins, 8),
    "plugins_release": (_releases, 9),
    "querying_query": (_queries, 11),
    "trees_decisiontree": (_trees, 9),
}


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("model", LISTS)
def test_a_list_takes_the_same_queries_for_any_number_of_rows(
    browsing: Browse, alice: User, plugin: Plugin, model: str, rows: int, django_assert_num_queries
) -> None:
    make, queries = LISTS[model]
    make(alice, plugin, rows)
    client = browsing(alice)
    with django_assert_num_queries(queries):
        response = client.get(listing(model))
    assert len(response.context["cl"].result_list) == rows


@pytest.mark.parametrize("model", ["accounts_apikey", "knowledge_document", "knowledge_knowledgebase", *LISTS])
def test_empty_lists_and_the_first_page_open(browsing: Browse, charlie: User, model: str) -> None:
    client = browsing(charlie)
    assert client.get(listing(model)).status_code == 200
    assert "Create your first plugin" in shown(client, reverse("admin:index"))
