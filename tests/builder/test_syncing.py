"""What a plugin's knowledge is kept in step with: shown, synced on demand, and never named from a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import KnowledgeBase, Source, SourceItem
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def source(alice: User, plugin: Plugin, tmp_path: Path) -> Source:
    base, _ = KnowledgeBase.objects.get_or_create(plugin=plugin, defaults={"owner": alice, "name": "Own"})
    place = tmp_path / "my <notes>"
    place.mkdir()
    return Source.objects.create(knowledge_base=base, kind="folder", location=str(place))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []
    monkeypatch.setattr("builder.knowledge.sync_sources.enqueue_sync", asked.append)
    return asked


def pane(client: Client, plugin: Plugin) -> str:
    return client.get(reverse("admin:builder_knowledge", args=[plugin.pk])).content.decode()


def sync(client: Client, plugin: Plugin, source: int) -> Any:
    return client.post(reverse("admin:builder_knowledge_sync", args=[plugin.pk, source]), follow=True)


def test_a_source_is_shown_by_its_own_name_with_what_is_wrong(
    browsing: Browse, alice: User, plugin: Plugin, source: Source
) -> None:
    problem = {"path": "a.md", "line": 3, "message": "“date” is no date."}
    SourceItem.objects.create(source=source, path="a.md", problems=[problem])
    shown = pane(browsing(alice), plugin)
    assert "my &lt;notes&gt;" in shown
    assert "a.md:3: “date” is no date." in shown
    assert source.location.rpartition("/")[0] not in shown
    assert "Sync now" not in shown


def test_only_what_the_operator_has_named_is_synced_on_demand(
    browsing: Browse, alice: User, plugin: Plugin, source: Source, asked: list[int], settings: Any, tmp_path: Path
) -> None:
    client = browsing(alice)
    assert "is synced by the operator" in sync(client, plugin, source.pk).content.decode()
    assert asked == []
    settings.LEXIC_SYNC_ROOTS = [str(tmp_path)]
    assert "Sync now" in pane(client, plugin)
    assert "is being synced" in sync(client, plugin, source.pk).content.decode()
    assert asked == [source.pk]


def test_sources_of_other_plugins_are_not_there(
    browsing: Browse, alice: User, bob: User, plugin: Plugin, source: Source, asked: list[int]
) -> None:
    other = Plugin.objects.create(owner=bob, name="Hats", domain="x", system_prompt="x")
    assert sync(browsing(bob), other, source.pk).status_code == 404
    assert sync(browsing(alice), plugin, 10**30).status_code == 404
    assert asked == []
