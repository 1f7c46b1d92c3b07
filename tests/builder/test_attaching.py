"""Other knowledge bases are attached and detached where one looks at the documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import KnowledgeBase
from plugins.models import Plugin
from tests.knowledge import bases
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
@remembered
def shared(alice: User) -> KnowledgeBase:
    return KnowledgeBase.objects.create(owner=alice, name="Shared rules")


def attach(client: Client, plugin: Plugin, base: object) -> str:
    url = reverse("admin:builder_knowledge_attach", args=[plugin.pk])
    return client.post(url, {"base": str(base)}, follow=True).content.decode()


def offered(client: Client, plugin: Plugin) -> list[str]:
    context = client.get(reverse("admin:builder_knowledge", args=[plugin.pk])).context
    return [str(base) for base in context["offered"]]


def test_a_base_is_attached_and_detached(browsing: Browse, alice: User, plugin: Plugin, shared: KnowledgeBase) -> None:
    client = browsing(alice)
    assert offered(client, plugin) == ["Shared rules"]
    assert "Attached “Shared rules”" in attach(client, plugin, shared.pk)
    grant = plugin.knowledge_grants.standing().get()
    assert (grant.knowledge_base, grant.granted_by, offered(client, plugin)) == (shared, alice, [])
    url = reverse("admin:builder_knowledge_detach", args=[plugin.pk, grant.pk])
    assert "Detached “Shared rules”" in client.post(url, follow=True).content.decode()
    assert not plugin.knowledge_grants.filter(is_attached=True).exists()
    assert client.post(url).status_code == 404


def test_a_base_that_one_may_only_read_is_neither_offered_nor_attached(
    browsing: Browse, alice: User, bob: User, plugin: Plugin
) -> None:
    hats = Plugin.objects.create(owner=bob, name="Hats", domain="x", system_prompt="x")
    hats.viewers.add(alice)
    base = KnowledgeBase.objects.create(owner=bob, plugin=hats, name="Hats")
    client = browsing(alice)
    assert offered(client, plugin) == []
    assert "Nothing was attached." in attach(client, plugin, base.pk)
    assert not plugin.knowledge_grants.filter(is_attached=True).exists()


@pytest.mark.parametrize("base", ["", "x", "-1", "9" * 30, "²"])
def test_what_is_no_base_attaches_nothing(browsing: Browse, alice: User, plugin: Plugin, base: str) -> None:
    assert "Nothing was attached." in attach(browsing(alice), plugin, base)


def test_viewers_attach_and_detach_nothing(browsing: Browse, bob: User, plugin: Plugin, shared: KnowledgeBase) -> None:
    plugin.viewers.add(bob)
    grant = bases.attach(shared, plugin)
    client = browsing(bob)
    assert client.post(reverse("admin:builder_knowledge_attach", args=[plugin.pk])).status_code == 404
    assert client.post(reverse("admin:builder_knowledge_detach", args=[plugin.pk, grant.pk])).status_code == 404
    content = client.get(reverse("admin:builder_knowledge", args=[plugin.pk])).content.decode()
    assert "Shared rules" in content
    assert "Detach" not in content
