"""Rows that were changed past Lexic are found, and nothing else is."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from audit.unrecorded_changes import unrecorded_changes
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.ownership_transfer import accept_ownership, offer_ownership
from plugins import collaborators
from plugins.models import Plugin, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(alice: User) -> Document:
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", system_prompt="x", domain="d")
    return Document.objects.create(knowledge_base=own_knowledge_base(plugin), title="Manual", source_type="pdf")


def test_what_lexic_does_is_recorded(document: Document, bob: User) -> None:
    plugin = Plugin.objects.get()
    Plugin.objects.update(is_shared=True)
    document.is_public = True
    document.save()
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    offer_ownership(plugin, to=bob, by=plugin.owner)
    accept_ownership(plugin, by=bob)
    document.delete()
    assert list(unrecorded_changes()) == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE accounts_user SET is_superuser = true", "has is_superuser True, and the last entry says False"),
        ("UPDATE plugins_plugin SET is_shared = true", "has is_shared True"),
        ("UPDATE knowledge_document SET is_public = true", "has is_public True"),
    ],
)
def test_what_somebody_does_by_sql_is_found(document: Document, statement: str, sentence: str) -> None:
    assert list(unrecorded_changes()) == []
    with connection.cursor() as cursor:
        cursor.execute(statement)
    found = list(unrecorded_changes())
    assert len(found) == 1
    assert sentence in found[0]
    out: Any = io.StringIO()
    with pytest.raises(CommandError, match="1 changes"):
        call_command("audit", "compare", stdout=out)
    assert sentence in out.getvalue()


def add_member_by_sql(document: Document, person: User, *, when: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO knowledge_basemember (knowledge_base_id, email, role, created_at)"
            " VALUES (%s, %s, 'viewer', now() + %s::interval)",
            [document.knowledge_base_id, person.email, when],
        )


def test_a_row_that_somebody_adds_by_sql_is_found(document: Document, bob: User) -> None:
    add_member_by_sql(document, bob, when="1 second")
    [found] = unrecorded_changes()
    assert found.endswith("was made since the log began, and has no entry.")


def test_a_row_from_before_the_log_began_needs_no_entry(document: Document, bob: User) -> None:
    add_member_by_sql(document, bob, when="-1 day")
    assert list(unrecorded_changes()) == []


@pytest.mark.parametrize("table", ["viewers", "editors"])
def test_a_role_that_somebody_gives_by_sql_is_found(document: Document, bob: User, table: str) -> None:
    plugin = Plugin.objects.get()
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO plugins_plugin_{table} (plugin_id, user_id) VALUES (%s, %s)", [plugin.pk, bob.pk])
    out: Any = io.StringIO()
    with pytest.raises(CommandError, match="1 changes"):
        call_command("audit", "compare", stdout=out)
    assert f"person {bob.pk} has the role {table[:-1]}, and the last entry says None" in out.getvalue()


def test_a_role_that_somebody_takes_by_sql_is_found(document: Document, bob: User) -> None:
    collaborators.assign_role(Plugin.objects.get(), person=bob, role=Role.VIEWER)
    assert list(collaborators.unrecorded_roles()) == []
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM plugins_plugin_viewers")
    assert len(list(collaborators.unrecorded_roles())) == 1
