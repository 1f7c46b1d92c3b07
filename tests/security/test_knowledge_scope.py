"""Who reaches a knowledge base: its owner and the editors of its plugin, for as long as they are that."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from knowledge.models import Document, KnowledgeBase, Page
from plugins.models import Plugin
from tests.knowledge.bases import attach
from tests.security.world import World

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make(owner: User, name: str) -> Plugin:
    return Plugin.objects.create(owner=owner, name=name, domain="x", system_prompt="x")


def test_what_a_person_may_read(world: World, bob: User, charlie: User) -> None:
    base = world["knowledge.KnowledgeBase"]
    world.plugin.editors.add(bob)
    Plugin.objects.update(is_published=True)
    assert base in KnowledgeBase.objects.visible_to(world.alice)
    assert base in KnowledgeBase.objects.visible_to(bob)
    assert not KnowledgeBase.objects.visible_to(charlie).exists()
    assert not Document.objects.visible_to(charlie).exists()


def test_a_base_attached_to_ones_plugin_is_not_ones_to_read(world: World, charlie: User) -> None:
    """Its text comes out in verified quotations, not page by page."""
    attach(world["knowledge.KnowledgeBase"], make(charlie, "Own"))
    assert not KnowledgeBase.objects.visible_to(charlie).exists()


def test_a_key_for_some_plugins_reads_only_their_knowledge(world: World) -> None:
    other = make(world.alice, "Other")
    base = KnowledgeBase.objects.create(owner=world.alice, plugin=other, name="Other")
    key, _ = ApiKey.objects.issue(owner=world.alice, name="agent", plugins=[other])
    assert list(KnowledgeBase.objects.visible_to(key)) == [base]


def test_a7_a_key_whose_only_plugin_is_gone_reads_nothing(world: World) -> None:
    other = make(world.alice, "Other")
    key, _ = ApiKey.objects.issue(owner=world.alice, name="agent", plugins=[other])
    other.delete()
    assert not KnowledgeBase.objects.visible_to(key).exists()


def test_an_editor_who_is_taken_off_keeps_no_way_in(alice: User, bob: User) -> None:
    plugin = make(alice, "Cover")
    plugin.editors.add(bob)
    signed_in(bob).post(reverse("admin:builder_knowledge_text", args=[plugin.pk]), {"title": "x", "text": "x"})
    base = KnowledgeBase.objects.get()
    assert base.plugin == plugin
    plugin.editors.remove(bob)
    assert base not in KnowledgeBase.objects.visible_to(bob)


def test_saving_a_base_does_not_detach_it_from_plugins_that_one_does_not_see(world: World, bob: User) -> None:
    private = make(world.alice, "Private")
    base = world["knowledge.KnowledgeBase"]
    attach(base, private)
    world.plugin.editors.add(bob)
    form = {"name": "Renamed", "plugin": str(world.plugin.pk), "embedder": "local"}
    signed_in(bob).post(reverse("admin:builder_knowledge_base", args=[world.plugin.pk, base.pk]), form)
    base.refresh_from_db()
    assert base.name == "Renamed"
    assert private in [grant.plugin for grant in base.grants.standing()]


def test_a_base_that_a_release_reads_cannot_be_deleted(world: World) -> None:
    base, release = world["knowledge.KnowledgeBase"], world["plugins.Release"]
    pinned = {"knowledge_base": base.pk, "revision": 1, "embedder": "local"}
    type(release).objects.bulk_create(
        [type(release)(plugin=world.plugin, version="1.1.0", system_prompt="x", knowledge=[pinned])]
    )
    client = signed_in(world.alice)
    client.post(reverse("admin:builder_knowledge_base_delete", args=[world.plugin.pk, base.pk]))
    assert Page.objects.filter(pk=world["knowledge.Page"].pk).exists()
