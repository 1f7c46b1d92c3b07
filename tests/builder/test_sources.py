"""Sources from elsewhere, as experts add, watch, pause and confirm them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import KnowledgeBase, Source
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, dict[str, bool]]]:
    asked: list[tuple[int, dict[str, bool]]] = []
    for module in ("sources", "sync_sources"):
        monkeypatch.setattr(f"builder.knowledge.{module}.enqueue_sync", lambda pk, **said: asked.append((pk, said)))
    return asked


def address(name: str, plugin: Plugin, *more: object) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *more])


def new(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "interval_hours": 24, **fields}


def test_a_source_is_added_and_synced(browsing: Browse, alice: User, plugin: Plugin, asked: list[Any]) -> None:
    client = browsing(alice)
    for kind in ("website", "feed", "repo", "bucket"):
        assert client.get(address("source_new", plugin), {"kind": kind}).status_code == 200
    fields = new("repo", location="https://example.org/book.git", folder="docs", password="token-of-alice")
    shown = client.post(address("source_new", plugin), fields, follow=True)
    source = Source.objects.get()
    assert (source.options, source.credentials()) == ({"folder": "docs"}, {"password": "token-of-alice"})
    assert asked == [(source.pk, {})]
    page = shown.content.decode()
    assert "Added the source https://example.org/book.git." in page
    assert "token-of-alice" not in page
    assert "https://example.org/book.git" in client.get(address("knowledge", plugin)).content.decode()


def test_what_is_wrong_with_a_source_stands_in_its_form(browsing: Browse, alice: User, plugin: Plugin) -> None:
    wrong = new("website", location="http://10.0.0.1/", max_depth=3, max_pages=10)
    shown = browsing(alice).post(address("source_new", plugin), wrong).content.decode()
    assert "The address lies in a private network." in shown
    assert not Source.objects.exists()


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("repo", {"location": "http://10.0.0.1/", "password": "typed"}, "Type the token again: it is not shown."),
        ("repo", {"location": "", "password": "typed"}, "Type the token again: it is not shown."),
        ("bucket", {"secret_access_key": "typed"}, "Type the secret access key again: it is not shown."),
        ("repo", {"location": ""}, ""),
        ("feed", {"password": "typed"}, ""),
    ],
)
def test_a_secret_is_asked_for_again_where_the_form_is_not_valid(
    browsing: Browse, alice: User, plugin: Plugin, kind: str, fields: dict[str, str], words: str
) -> None:
    shown = browsing(alice).post(address("source_new", plugin), new(kind, **fields)).content.decode()
    assert not Source.objects.exists()
    assert "typed" not in shown
    assert shown.count("it is not shown.") == bool(words)
    assert words in shown


def test_the_report_says_what_was_held_and_a_person_confirms_it(
    browsing: Browse, alice: User, plugin: Plugin, asked: list[Any]
) -> None:
    base, _ = KnowledgeBase.objects.get_or_create(plugin=plugin, defaults={"owner": alice, "name": "Own"})
    changes: dict[str, Any] = {"added": ["/a<b>"], "changed": ["/c"], "removed": ["/gone"], "renamed": [["/x", "/y"]]}
    changes |= {"kept": [["/k", "It is not there any more."]], "leftOut": [], "problems": []}
    counts = {"added": 1, "changed": 1, "removed": 1, "renamed": 1, "leftOut": 0, "problems": 0, "unchanged": 2}
    report = {**counts, "kept": 1, "held": "7 of its 8 documents are gone.", "partly": "", "changes": changes}
    source = Source.objects.create(
        knowledge_base=base, kind="website", location="https://example.org/?token=secret", report=report
    )
    Source.objects.update(synced_at=source.created_at)
    client = browsing(alice)
    page = client.get(address("source", plugin, source.pk)).content.decode()
    for words in ("7 of its 8 documents are gone.", "/a&lt;b&gt;", "Changed: /c", "Retired (1)", "/x is now /y"):
        assert words in page
    assert "token=secret" not in page
    client.post(address("source_confirm", plugin, source.pk))
    client.post(address("knowledge_sync", plugin, source.pk))
    assert asked == [(source.pk, {"allows_removals": True}), (source.pk, {})]
    client.post(address("source_switch", plugin, source.pk), {"to": "pause"})
    source.refresh_from_db()
    assert source.is_paused
    client.post(address("source_delete", plugin, source.pk))
    assert not Source.objects.exists()
