"""Several people write the same rows at once: every change has its entry, and no entry is of what did not happen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry
from audit.unrecorded_changes import unrecorded_changes
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", slug="cover", system_prompt="x", domain="d")


def test_a_stale_save_records_what_it_takes_back(plugin: Plugin) -> None:
    stale = Plugin.objects.get(pk=plugin.pk)

    def share(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            Plugin.objects.filter(pk=plugin.pk).update(is_shared=True)
            hold()

    wait_in_turn(share, stale.save)
    assert not Plugin.objects.get(pk=plugin.pk).is_shared
    assert list(unrecorded_changes()) == []


def test_one_deletion_has_one_entry(alice: User, bob: User) -> None:
    first, second = User.objects.get(pk=bob.pk), User.objects.get(pk=bob.pk)

    def delete(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            first.delete()
            hold()

    wait_in_turn(delete, second.delete)
    assert AuditEntry.objects.filter(action=Action.ACCOUNT_DELETED).count() == 1


def test_a_row_that_ceases_to_match_is_neither_deleted_nor_recorded(plugin: Plugin) -> None:
    base = own_knowledge_base(plugin)
    document = Document.objects.create(knowledge_base=base, title="Manual", source_type="pdf", is_public=True)

    def hide(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            Document.objects.filter(pk=document.pk).update(is_public=False)
            hold()

    wait_in_turn(hide, Document.objects.filter(is_public=True).delete)
    assert Document.objects.filter(pk=document.pk).exists()
    assert list(unrecorded_changes()) == []


def test_a_row_that_begins_to_match_is_not_changed_without_an_entry(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    from audit import audited_model

    base = own_knowledge_base(plugin)
    Document.objects.create(knowledge_base=base, title="Manual", source_type="pdf")
    lock = audited_model._locked_rows

    def lock_and_upload(rows: object) -> object:
        locked = lock(rows)  # type: ignore[arg-type]
        Document.objects.bulk_create([Document(knowledge_base=base, title="Annex", source_type="pdf")])
        return locked

    monkeypatch.setattr(audited_model, "_locked_rows", lock_and_upload)
    assert Document.objects.filter(knowledge_base=base).update(is_public=True) == 1
    assert list(unrecorded_changes()) == []
