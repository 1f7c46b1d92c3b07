"""A private base is read by its owner and its members alone: no plugin, no operator and no limited key reaches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from knowledge.documents.lifecycle import add_text, delete_document
from knowledge.ingest import ingest
from knowledge.models import BaseKind, BaseMember, Document, KnowledgeBase, KnowledgeGrant, Page
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.prune import REVISION_GRACE, pruning_age
from marketplace.bundle.draft_export import export_plugin
from marketplace.bundle.plugin_import import import_plugin
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from querying.releases import snapshot
from tests.api.callers import assert_error, by_key, signed_in

pytestmark = pytest.mark.django_db
SECRET = "The settlement with Marrow Ltd is nineteen thousand pounds."


@pytest.fixture
def private(alice: User) -> KnowledgeBase:
    """Alice's own base with a secret in it."""
    base = personal_knowledge_base(alice)
    ingest(add_text(knowledge_base=base, title="Settlement", text=SECRET, enqueue=False).document.pk)
    return base


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="x")


def let_in(base: KnowledgeBase, person: User, role: str) -> None:
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    BaseMember.objects.create(knowledge_base=base, email=person.email.upper(), role=role)


def reached(principal: User | ApiKey) -> tuple[bool, bool, bool, bool]:
    """Whether bases, documents and pages are visible, and whether the base may be edited."""
    return (
        KnowledgeBase.objects.visible_to(principal).exists(),
        Document.objects.visible_to(principal).exists(),
        Page.objects.visible_to(principal).exists(),
        KnowledgeBase.objects.editable_by(principal).exists(),
    )


def test_it_is_its_owners_and_nobody_elses(private: KnowledgeBase, alice: User, bob: User) -> None:
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    assert reached(alice) == (True, True, True, True)
    assert reached(bob) == reached(operator) == (False, False, False, False)


def test_a_person_has_one(private: KnowledgeBase, alice: User) -> None:
    assert personal_knowledge_base(alice) == private
    with pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeBase.objects.create(owner=alice, kind=BaseKind.PERSONAL, name="Another")


def test_members_read_and_editors_change(private: KnowledgeBase, bob: User, charlie: User) -> None:
    let_in(private, bob, "editor")
    let_in(private, charlie, "viewer")
    assert reached(bob) == (True, True, True, True)
    assert reached(charlie) == (True, True, True, False)
    BaseMember.objects.all().delete()
    assert reached(bob) == reached(charlie) == (False, False, False, False)


def test_an_address_that_nobody_has_confirmed_opens_nothing(private: KnowledgeBase, bob: User, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    let_in(private, bob, "editor")
    EmailAddress.objects.update(verified=False)
    assert not any(reached(bob))
    EmailAddress.objects.update(verified=True)
    assert all(reached(bob))
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert not any(reached(User.objects.get(pk=bob.pk)))


def test_a_key_needs_to_read_and_no_list_of_plugins(private: KnowledgeBase, alice: User, plugin: Plugin) -> None:
    may_read, _ = ApiKey.objects.issue(owner=alice, name="reads", capabilities=["read"])
    may_ask, _ = ApiKey.objects.issue(owner=alice, name="asks", capabilities=["query", "author"])
    limited, _ = ApiKey.objects.issue(owner=alice, name="limited", capabilities=["read", "author"], plugins=[plugin])
    assert all(reached(may_read))
    assert reached(may_ask) == reached(limited) == (False, False, False, False)


Attach = Callable[[Plugin, KnowledgeBase], Any]


def by_the_builder(plugin: Plugin, base: KnowledgeBase) -> None:
    client = Client()
    client.force_login(plugin.owner)
    pane = client.get(reverse("admin:builder_knowledge", args=[plugin.pk])).content.decode()
    assert f'value="{base.pk}"' not in pane
    page = client.post(reverse("admin:builder_knowledge_attach", args=[plugin.pk]), {"base": base.pk}, follow=True)
    assert "Nothing was attached" in page.content.decode()


def by_the_api(plugin: Plugin, base: KnowledgeBase) -> None:
    client = by_key(plugin.owner)
    assert client.get("/api/knowledge-bases").json()["results"] == []
    answer = client.post("/api/plugins/cover/knowledge-grants", {"knowledgeBase": base.pk}, format="json")
    assert_error(answer, 404, "unknown_knowledge_base")


def by_the_admin(plugin: Plugin, base: KnowledgeBase) -> None:
    client = Client()
    client.force_login(plugin.owner)
    address = reverse("admin:knowledge_knowledgebase_change", args=[base.pk])
    client.post(address, {"name": "x", "plugin": str(plugin.pk), "kind": "plugin"})
    base.refresh_from_db()
    assert (base.plugin, base.kind) == (None, "personal")


def by_a_function(plugin: Plugin, base: KnowledgeBase) -> None:
    with pytest.raises(Exception, match="no plugin may read it"):
        KnowledgeGrant.objects.attach(base, plugin, by=base.owner)


def by_a_statement(plugin: Plugin, base: KnowledgeBase) -> None:
    grant = KnowledgeGrant(knowledge_base=base, plugin=plugin, granted_to=base.owner, granted_at=plugin.created_at)
    with pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeGrant.objects.bulk_create([grant])
    with pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeBase.objects.filter(pk=base.pk).update(plugin=plugin)


def by_a_file(plugin: Plugin, base: KnowledgeBase) -> None:
    with export_plugin(plugin) as file:
        copy = import_plugin(file, owner=plugin.owner).plugin
    assert base not in KnowledgeBase.objects.of_plugin(copy)


@pytest.mark.parametrize("attach", [by_the_builder, by_the_api, by_the_admin, by_a_function, by_a_statement, by_a_file])
def test_no_way_attaches_it_to_a_plugin(private: KnowledgeBase, plugin: Plugin, attach: Attach) -> None:
    attach(plugin, private)
    assert not KnowledgeGrant.objects.filter(knowledge_base=private).exists()
    assert private not in KnowledgeBase.objects.of_plugin(plugin)
    assert private not in KnowledgeBase.objects.open_to(plugin)
    assert private.pk not in [pin["knowledge_base"] for pin in snapshot(plugin).knowledge]


def test_a_base_that_is_granted_cannot_become_private(plugin: Plugin, alice: User) -> None:
    base = KnowledgeBase.objects.create(owner=alice, name="Library")
    KnowledgeGrant.objects.attach(base, plugin, by=alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeBase.objects.filter(pk=base.pk).update(kind=BaseKind.PROJECT)


def test_its_pages_open_for_its_owner_alone(private: KnowledgeBase, alice: User, bob: User) -> None:
    address = reverse("source", args=[Page.objects.get().pk])
    assert SECRET in signed_in(alice).get(address).content.decode()
    assert signed_in(bob).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_what_is_deleted_of_it_is_not_kept(private: KnowledgeBase, settings: Any) -> None:
    settings.KEEP_FILES_DAYS = 0  # those of plugins are kept
    delete_document(Document.objects.get())
    assert pruning_age(private) == REVISION_GRACE


def test_it_goes_with_its_owner_and_a_membership_with_its_member(
    private: KnowledgeBase, alice: User, bob: User
) -> None:
    let_in(private, bob, "editor")
    delete_account(bob)
    assert not BaseMember.objects.exists()
    delete_account(alice)
    assert not KnowledgeBase.objects.exists()
