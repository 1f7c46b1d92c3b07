"""Attachments from before there were grants."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.own_database import own_database

__all__ = ["own_database"]
pytestmark = pytest.mark.django_db
BEFORE, AFTER = [("knowledge", "0006_two_embedders_side_by_side")], [("knowledge", "0008_grants_of_attachments")]


def migrated(to: list[tuple[str, str]]) -> Any:
    """The models as they were then, with the tables to them."""
    executor = MigrationExecutor(connection)
    state = executor.migrate(to)
    return state.apps


@pytest.fixture
def old(own_database: None) -> Any:
    return migrated(BEFORE)


def test_attachments_become_grants_where_the_person_may_still_open_the_base(old: Any) -> None:
    model = old.get_model
    alice, bob, charlie = (
        model("accounts", "User").objects.create(email=f"{name}@example.org") for name in ("alice", "bob", "charlie")
    )

    def plugin(owner: Any, name: str) -> Any:
        return model("plugins", "Plugin").objects.create(owner=owner, name=name, slug=name, system_prompt="x")

    def base(owner: Any, name: str, under: Any = None, attached: tuple[Any, ...] = ()) -> int:
        made = model("knowledge", "KnowledgeBase").objects.create(owner=owner, name=name, plugin=under)
        made.attached_to.set(attached)
        return made.pk

    tower, hers, robbed, edited = (plugin(alice, name) for name in ("tower", "hers", "robbed", "edited"))
    bobs, charlies, thiefs = plugin(bob, "bobs"), plugin(charlie, "charlies"), plugin(charlie, "thiefs")
    tower.editors.add(bob)
    model("plugins", "Plugin").objects.filter(pk=bobs.pk).update(is_published=True)
    private = base(alice, "private", tower, (hers, bobs, charlies))
    pinned = base(alice, "pinned by a release alone")
    release = model("plugins", "Release").objects
    release.create(plugin=hers, version="1.0.0", system_prompt="x", knowledge=[{"knowledge_base": pinned}])
    # Charlie moved a base of Alice's under his plugin; Bob made one for the plugin of Alice that he edits.
    stolen = base(alice, "stolen", thiefs)
    release.create(plugin=robbed, version="1.0.0", system_prompt="x", knowledge=[{"knowledge_base": stolen}])
    edited.editors.add(bob)
    made = base(bob, "made by an editor", edited)

    new = migrated(AFTER)
    bases = new.get_model("knowledge", "KnowledgeBase").objects
    assert bases.get(pk=stolen).plugin_id == robbed.pk
    assert bases.get(pk=made).owner_id == alice.pk
    rows = new.get_model("knowledge", "KnowledgeGrant").objects.select_related("granted_to")
    assert {
        (row.knowledge_base_id, row.plugin_id, row.consent, row.is_attached, row.ended_at is None, row.granted_to.email)
        for row in rows
    } == {
        (private, hers.pk, "shared", True, True, "alice@example.org"),
        (private, bobs.pk, "published", True, True, "bob@example.org"),
        (private, charlies.pk, "draft", False, False, "charlie@example.org"),
        (pinned, hers.pk, "shared", False, True, "alice@example.org"),
        (stolen, thiefs.pk, "draft", False, False, "charlie@example.org"),
    }
