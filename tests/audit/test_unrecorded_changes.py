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
from knowledge.own_knowledge_base import own_knowledge_base
from marketplace.publishing.handover import accept_ownership, offer_ownership
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
