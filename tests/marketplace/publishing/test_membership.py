"""Whoever loses a role loses what was granted to them for it, and a new role does not bring it back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import Consent, KnowledgeBase, KnowledgeGrant
from marketplace.collaborator_invitations import invite_and_mail
from marketplace.publishing.membership import join_plugin, remove_from_plugin
from plugins.models import Plugin, Role
from privacy.account_deletion import delete_account
from privacy.plugin_deletion import delete_plugin
from privacy.storage_sweep import inspect_storage
from privacy.tasks import sweep_storage_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def grant(alice: User, bob: User) -> KnowledgeGrant:
    """Bob edits Alice's tower, and his own plugin reads its base by her grant."""
    tower = Plugin.objects.create(owner=alice, name="Tower", domain="x", system_prompt="x")
    base = KnowledgeBase.objects.create(owner=alice, plugin=tower, name="Tower", embedder="local")
    tower.editors.add(bob)
    bobs = Plugin.objects.create(owner=bob, name="Formwork", domain="x", system_prompt="x")
    grant = KnowledgeGrant.objects.attach(base, bobs, by=bob)
    grant.give(by=alice, consent=Consent.SHARED)
    return grant


def save_account(person: User, operator: User, **columns: bool) -> None:
    """On the operators' page of people, as a form sends it."""
    User.objects.filter(pk=operator.pk).update(is_superuser=True, is_staff=True)
    flags = {"is_active": person.is_active, "is_staff": person.is_staff, "is_superuser": person.is_superuser, **columns}
    form = {name: "on" for name, value in flags.items() if value}
    client = Client()
    client.force_login(User.objects.get(pk=operator.pk))
    address = reverse("admin:accounts_user_change", args=[person.pk])
    answer = client.post(address, {"email": person.email, "display_name": person.display_name, **form})
    assert answer.status_code == 302, answer.content


def taken_off(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    remove_from_plugin(grant.knowledge_base.plugin, person=bob)


def locked_out(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    save_account(bob, charlie, is_active=False)


def no_longer_operator(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    grant.knowledge_base.plugin.editors.remove(bob)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    assert KnowledgeGrant.objects.standing().exists()
    bob.refresh_from_db()
    save_account(bob, charlie, is_superuser=False)


def unnoticed_until_the_sweep(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    grant.knowledge_base.plugin.editors.remove(bob)
    assert inspect_storage().lapsed_grants == 1
    call_command("sweep")


def unnoticed_until_the_timetable(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    grant.knowledge_base.plugin.editors.remove(bob)
    sweep_storage_task()


def account_deleted(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    Plugin.objects.filter(owner=bob).update(owner=charlie)
    delete_account(bob)


def plugin_of_the_base_deleted(grant: KnowledgeGrant, bob: User, charlie: User) -> None:
    delete_plugin(grant.knowledge_base.plugin)


Loss = Callable[[KnowledgeGrant, User, User], None]
LOSSES: list[Loss] = [
    taken_off,
    locked_out,
    no_longer_operator,
    unnoticed_until_the_sweep,
    unnoticed_until_the_timetable,
    account_deleted,
    plugin_of_the_base_deleted,
]


@pytest.mark.parametrize("lose", LOSSES)
def test_whoever_loses_the_role_loses_the_grant_for_good(
    grant: KnowledgeGrant, bob: User, charlie: User, lose: Loss
) -> None:
    lose(grant, bob, charlie)
    grant.refresh_from_db()
    assert (grant.ended_at is not None, grant.is_attached) == (True, False)
    assert inspect_storage().lapsed_grants == 0


def test_a_request_ends_with_the_role_too(grant: KnowledgeGrant, bob: User) -> None:
    KnowledgeGrant.objects.update(granted_at=None)
    remove_from_plugin(grant.knowledge_base.plugin, person=bob)
    assert not KnowledgeGrant.objects.open().exists()


def test_a_new_role_brings_back_nothing_that_had_lapsed_unnoticed(
    grant: KnowledgeGrant, alice: User, bob: User
) -> None:
    tower = grant.knowledge_base.plugin
    tower.editors.remove(bob)
    join_plugin(invite_and_mail(tower, email=bob.email, role=Role.EDITOR, by=alice), person=bob)
    assert list(tower.editors.all()) == [bob]
    assert not KnowledgeGrant.objects.standing().exists()


def test_another_role_keeps_the_grant(grant: KnowledgeGrant, alice: User, bob: User) -> None:
    client = Client()
    client.force_login(alice)
    tower = grant.knowledge_base.plugin
    client.post(reverse("admin:builder_change_role", args=[tower.pk, bob.pk]), {"role": "viewer"})
    call_command("sweep")
    assert list(KnowledgeGrant.objects.standing()) == [grant]


def test_an_operator_deletes_an_account_as_its_owner_would(grant: KnowledgeGrant, alice: User, charlie: User) -> None:
    User.objects.filter(pk=charlie.pk).update(is_superuser=True)
    client = Client()
    client.force_login(User.objects.get(pk=charlie.pk))
    address = reverse("admin:accounts_user_delete", args=[alice.pk])
    tower = grant.knowledge_base.plugin
    tower.set_legal_hold(by_operator=True)
    assert "Tower" in client.get(address).content.decode()
    client.post(address, {"post": "yes"})
    assert User.objects.filter(pk=alice.pk).exists()
    tower.lift_legal_hold(by_operator=True)
    client.post(address, {"post": "yes"})
    assert not User.objects.filter(pk=alice.pk).exists()
    assert not KnowledgeBase.objects.filter(pk=grant.knowledge_base_id).exists()
    assert client.post(reverse("admin:accounts_user_delete", args=[charlie.pk]), {"post": "yes"}).status_code == 403
