"""What each role in an organisation opens, by every query that decides it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import ApiKey, Capability, User
from knowledge.models import KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.reviews.eligibility import is_team_member
from organisations.models import Membership, Organisation, OrganisationRole
from plugins.models import Plugin
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db
# By role: may read, may edit, may give it away, and what the API calls it.
EXPECTED = {
    "owner": (True, True, True, "owner"),
    "editor": (True, True, False, "editor"),
    "reviewer": (True, False, False, "viewer"),
    "viewer": (True, False, False, "viewer"),
    "operator": (False, False, False, None),
}


@pytest.mark.parametrize("role", OrganisationRole.values)
def test_a_role_decides_what_is_opened(role: str, plugin: Plugin, join: Join) -> None:
    person, (reads, edits, owns, name) = join(role), EXPECTED[role]
    key, _ = ApiKey.objects.issue(owner=person, name="robot")
    base = own_knowledge_base(plugin)
    for principal in (person, key):
        assert Plugin.objects.viewable_by(principal).contains(plugin) is reads
        assert Plugin.objects.askable_by(principal).contains(plugin) is reads
        assert Plugin.objects.editable_by(principal).contains(plugin) is edits
        assert KnowledgeBase.objects.visible_to(principal).contains(base) is reads
        assert KnowledgeBase.objects.editable_by(principal).contains(base) is edits
    assert (plugin.is_owned_by(person), plugin.may_be_shared_by(person)) == (owns, owns)
    shown = Plugin.objects.viewable_by(person).with_role_of(person).first()
    assert (shown.role if shown else None) == name
    assert is_team_member(plugin, person)


def test_another_organisation_opens_nothing(plugin: Plugin, charlie: User) -> None:
    Organisation.objects.create_with_owner(name="Elsewhere", owner=charlie)
    assert not Plugin.objects.askable_by(charlie).exists()
    assert not plugin.may_be_shared_by(charlie)


def test_a_personal_plugin_of_a_member_stays_theirs_alone(clinic: Organisation, alice: User, bob: User) -> None:
    own = Plugin.objects.create(owner=alice, name="Own", domain="x", system_prompt="x")
    assert not Plugin.objects.viewable_by(bob).contains(own)


def test_who_may_not_sign_in_any_more_opens_nothing(plugin: Plugin, bob: User) -> None:
    bob.is_active = False
    bob.save()
    assert not Plugin.objects.viewable_by(bob).exists()
    assert not plugin.is_owned_by(bob)


@pytest.mark.parametrize("role", OrganisationRole.values)
def test_every_door_follows(role: str, plugin: Plugin, join: Join) -> None:
    """The page of the builder, its forms, and the API."""
    person, (reads, edits, owns, _) = join(role), EXPECTED[role]
    client = Client()
    client.force_login(person)
    pane = reverse("admin:builder_sharing", args=[plugin.pk])
    assert client.get(pane).status_code == (200 if reads else 404)
    saved = client.post(reverse("admin:builder_use", args=[plugin.pk]), {})
    assert saved.status_code == (302 if edits else 404)
    invited = client.post(
        reverse("admin:builder_invite", args=[plugin.pk]), {"email": "new@example.org", "role": "viewer"}
    )
    assert invited.status_code == (302 if owns else 403 if edits else 404)
    _, secret = ApiKey.objects.issue(owner=person, name="robot", capabilities=Capability.values)
    asked = Client(headers={"Authorization": f"Bearer {secret}"})
    assert asked.get(f"/api/plugins/{plugin.slug}").status_code == (200 if reads else 404)
    changed = asked.patch(f"/api/plugins/{plugin.slug}", {"name": "Beds"}, content_type="application/json")
    assert changed.status_code == (200 if edits else 403 if reads else 404)


def test_any_owner_decides_who_uses_its_knowledge(plugin: Plugin, alice: User, bob: User, join: Join) -> None:
    base, editor = own_knowledge_base(plugin), join("editor")
    other = Plugin.objects.create(owner=editor, name="Other", domain="x", system_prompt="x")
    asked = KnowledgeGrant.objects.attach(base, other, by=editor)
    assert asked.granted_at is None
    for owner in (alice, bob):
        assert list(KnowledgeGrant.objects.decided_by(owner)) == [asked]
    assert not KnowledgeGrant.objects.decided_by(editor).exists()
    asked.give(by=bob, consent="draft")
    assert KnowledgeGrant.objects.standing().contains(asked)
    # It stands as long as the editor opens the base.
    Membership.objects.filter(user=editor).update(role="operator")
    assert not KnowledgeGrant.objects.standing().contains(asked)
    own = KnowledgeGrant.objects.attach(base, Plugin.objects.create(owner=bob, name="B", domain="x"), by=bob)
    assert own.granted_at is not None


def test_lists_of_plugins_cost_the_same_for_ten_organisations(alice: User, client: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as statements:
            list(Plugin.objects.viewable_by(alice).with_role_of(alice))
        return len(statements)

    before = cost()
    for number in range(10):
        made = Organisation.objects.create_with_owner(name=f"Ward {number}", owner=alice)
        Plugin.objects.create(owner=alice, organisation=made, name=f"Plugin {number}", domain="x", system_prompt="x")
    assert cost() == before == 1
