"""The settings of a knowledge base, and bases that belong to no plugin."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.documents.lifecycle import add_text
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin, Release
from tests.knowledge.bases import attach
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
@remembered
def shared(alice: User, plugin: Plugin) -> KnowledgeBase:
    base = KnowledgeBase.objects.create(owner=alice, name="Shared rules")
    attach(base, plugin)
    return base


def at(view: str, plugin: Plugin, *args: object) -> str:
    return reverse(f"admin:builder_knowledge_{view}", args=[plugin.pk, *args])


def settings_of(base: KnowledgeBase, **fields: str) -> dict[str, str]:
    return {"name": base.name, "embedder": base.embedder, **fields}


def test_a_base_that_several_plugins_read_is_made_and_belongs_to_its_maker(
    browsing: Browse, alice: User, bob: User, plugin: Plugin
) -> None:
    plugin.editors.add(bob)
    response = browsing(bob).post(at("base_new", plugin), {"name": "  Shared   rules "})
    base = KnowledgeBase.objects.get(plugin=None)
    assert response["Location"] == at("base", plugin, base.pk)
    assert (base.name, base.owner, [grant.plugin for grant in base.grants.all()]) == ("Shared rules", bob, [plugin])


@pytest.mark.parametrize("name", ["", "   ", "x" * 121])
def test_a_base_without_a_name_is_not_made(browsing: Browse, alice: User, plugin: Plugin, name: str) -> None:
    response = browsing(alice).post(at("base_new", plugin), {"name": name}, follow=True)
    assert "Nothing was made." in response.content.decode()
    assert not KnowledgeBase.objects.filter(plugin=None).exists()


def test_a_base_is_renamed_and_stays_attached(
    browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    KnowledgeBase.objects.filter(pk=shared.pk).update(revision=7)
    browsing(alice).post(at("base", plugin, shared.pk), settings_of(shared, name="Renamed"))
    shared.refresh_from_db()
    assert (shared.name, shared.revision, [grant.plugin for grant in shared.grants.all()]) == ("Renamed", 7, [plugin])


def test_the_embedder_is_fixed_once_documents_are_in(
    browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    client, address = browsing(alice), at("base", plugin, shared.pk)
    client.post(address, settings_of(shared, embedder="openai:small:64"))
    shared.refresh_from_db()
    assert shared.embedder == "openai:small:64"
    add_text(knowledge_base=shared, title="Boots", text="Wear boots.", enqueue=False)
    client.post(address, settings_of(shared, embedder="local", name="Renamed"))
    shared.refresh_from_db()
    assert (shared.embedder, shared.name) == ("openai:small:64", "Renamed")


def test_documents_of_a_shared_base_are_added_and_changed_where_it_is_attached(
    browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    client = browsing(alice)
    file = SimpleUploadedFile("boots.md", b"Wear boots.")
    client.post(at("files", plugin), {"base": shared.pk, "files": [file]})
    document = Document.objects.get(knowledge_base=shared)
    client.post(at("document", plugin, document.pk), {"title": "boots", "doc_type": "rules", "tags": ""})
    document.refresh_from_db()
    assert document.doc_type == "rules"
    client.post(at("remove", plugin, document.pk))
    assert not Document.objects.present().filter(pk=document.pk).exists()


def test_a_base_of_somebody_else_is_neither_changed_nor_filled(
    browsing: Browse, alice: User, bob: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    """Bob edits the plugin, so he says what it reads; the base is not his."""
    plugin.editors.add(bob)
    document = add_text(knowledge_base=shared, title="Boots", text="Wear boots.", enqueue=False).document
    client = browsing(bob)
    assert client.get(at("base", plugin, shared.pk)).status_code == 404
    assert client.post(at("base", plugin, shared.pk), settings_of(shared, name="Taken")).status_code == 404
    assert client.post(at("base_delete", plugin, shared.pk)).status_code == 404
    file = SimpleUploadedFile("hats.md", b"Wear hats.")
    assert client.post(at("files", plugin), {"base": shared.pk, "files": [file]}).status_code == 404
    assert client.post(at("remove", plugin, document.pk)).status_code == 404
    shared.refresh_from_db()
    assert (shared.name, shared.documents.count()) == ("Shared rules", 1)


def test_a_base_of_another_plugin_is_filled_on_the_page_of_that_plugin(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    hats = Plugin.objects.create(owner=alice, name="Hats", domain="x", system_prompt="x")
    base = own_knowledge_base(hats)
    attach(base, plugin)
    file = SimpleUploadedFile("hats.md", b"Wear hats.")
    assert browsing(alice).post(at("files", plugin), {"base": base.pk, "files": [file]}).status_code == 404
    assert not base.documents.exists()


@pytest.mark.parametrize("base", ["x", "-1", "9" * 30, "²"])
def test_what_is_no_base_takes_no_documents(browsing: Browse, alice: User, plugin: Plugin, base: str) -> None:
    file = SimpleUploadedFile("hats.md", b"Wear hats.")
    assert browsing(alice).post(at("files", plugin), {"base": base, "files": [file]}).status_code == 404


def test_a_viewer_reads_the_settings_of_the_own_base_and_changes_nothing(
    browsing: Browse, bob: User, plugin: Plugin
) -> None:
    plugin.viewers.add(bob)
    base = own_knowledge_base(plugin)
    client = browsing(bob)
    assert client.get(at("base", plugin, base.pk)).status_code == 200
    assert client.post(at("base", plugin, base.pk), settings_of(base, name="Taken")).status_code == 404
    assert client.get(at("base_delete", plugin, base.pk)).status_code == 404


def test_a_base_is_deleted_with_all_it_holds(
    browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    add_text(knowledge_base=shared, title="Boots", text="Wear boots.", enqueue=False)
    client = browsing(alice)
    assert "Delete “Shared rules”" in client.get(at("base_delete", plugin, shared.pk)).content.decode()
    client.post(at("base_delete", plugin, shared.pk))
    assert not KnowledgeBase.objects.filter(pk=shared.pk).exists()
    assert not Document.objects.filter(knowledge_base=shared.pk).exists()


def test_a_base_that_a_release_reads_stays(
    browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase
) -> None:
    pinned = {"knowledge_base": shared.pk, "revision": 1, "embedder": "local"}
    Release.objects.bulk_create([Release(plugin=plugin, version="1.0.0", system_prompt="x", knowledge=[pinned])])
    response = browsing(alice).post(at("base_delete", plugin, shared.pk), follow=True)
    assert "a release reads it" in response.content.decode()
    assert KnowledgeBase.objects.filter(pk=shared.pk).exists()
