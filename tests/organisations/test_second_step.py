"""An organisation that requires a second step is closed, at every door, to who signs in without one."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, Capability, User
from knowledge.models import KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from organisations.models import Membership, MembershipInvitation, Organisation
from plugins import collaborators
from plugins.models import Plugin, Role
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed(plugin: Plugin, clinic: Organisation) -> Plugin:
    clinic.requires_second_step = True
    clinic.save()
    plugin.refresh_from_db()
    return plugin


def add_step(person: User, kind: str = "totp") -> None:
    Authenticator.objects.create(user=person, type=kind, data={})


def opens(person: User, plugin: Plugin) -> set[bool]:
    """By every query that decides it, of a person and of their key."""
    key, _ = ApiKey.objects.issue(owner=person, name="robot")
    base = own_knowledge_base(plugin)
    return {
        found
        for principal in (person, key)
        for found in (
            Plugin.objects.viewable_by(principal).contains(plugin),
            Plugin.objects.editable_by(principal).contains(plugin),
            Plugin.objects.askable_by(principal).contains(plugin),
            KnowledgeBase.objects.visible_to(principal).contains(base),
            KnowledgeBase.objects.editable_by(principal).contains(base),
            plugin.may_be_shared_by(person),
            base.is_owned_by(person),
        )
    }


@pytest.mark.parametrize("kind", ["totp", "webauthn"])
def test_it_opens_with_a_second_step_and_closes_without(kind: str, closed: Plugin, alice: User) -> None:
    """Also for the owner whose account its documents count for."""
    assert opens(alice, closed) == {False}
    add_step(alice, kind)
    assert opens(alice, closed) == {True}
    Authenticator.objects.all().delete()
    assert opens(alice, closed) == {False}


def test_recovery_codes_alone_are_none(closed: Plugin, alice: User) -> None:
    add_step(alice, "recovery_codes")
    assert opens(alice, closed) == {False}


def test_a_second_step_of_somebody_else_opens_nothing(closed: Plugin, alice: User, bob: User) -> None:
    add_step(alice)
    assert opens(bob, closed) == {False}


def test_a_role_on_the_plugin_is_no_way_around_it(closed: Plugin, charlie: User) -> None:
    collaborators.assign_role(closed, person=charlie, role=Role.EDITOR)
    assert not Plugin.objects.viewable_by(charlie).exists()
    add_step(charlie)
    assert Plugin.objects.editable_by(charlie).contains(closed)


def test_what_is_ones_own_stays_open(closed: Plugin, alice: User) -> None:
    own = Plugin.objects.create(owner=alice, name="Own", domain="x", system_prompt="x")
    free = KnowledgeBase.objects.create(owner=alice, name="Notes")
    assert opens(alice, own) == {True}
    assert KnowledgeBase.objects.editable_by(alice).contains(free)


def test_an_agreement_is_given_by_owners_who_have_one(closed: Plugin, alice: User, bob: User) -> None:
    other = Plugin.objects.create(owner=bob, name="Other", domain="x", system_prompt="x")
    grant = KnowledgeGrant.objects.create(knowledge_base=own_knowledge_base(closed), plugin=other, granted_to=bob)
    assert not KnowledgeGrant.objects.decided_by(alice).exists()
    add_step(alice)
    assert list(KnowledgeGrant.objects.decided_by(alice)) == [grant]


def test_what_is_published_is_asked_as_before(closed: Plugin, alice: User, charlie: User) -> None:
    Plugin.objects.filter(pk=closed.pk).update(is_published=True)
    for person in (alice, charlie):
        assert Plugin.objects.askable_by(person).contains(closed)


def test_the_doors(closed: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    client, root = Client(), f"/organisations/{clinic.pk}"
    client.force_login(alice)
    _, secret = ApiKey.objects.issue(owner=alice, name="robot", capabilities=Capability.values)
    api = Client(headers={"Authorization": f"Bearer {secret}"})
    pane = reverse("admin:builder_sharing", args=[closed.pk])
    assert (client.get(pane).status_code, api.get(f"/api/plugins/{closed.slug}").status_code) == (404, 404)
    page = client.get(root).content.decode()
    assert "Add a second step" in page
    assert "bob@example.org" not in page
    assert "Wards" not in page
    for address, said in (
        (root, {"name": "Mine"}),
        (f"{root}/invite", {"email": "x@example.org", "role": "viewer"}),
        (f"{root}/members/{bob.pk}", {"role": ""}),
        (f"{root}/delete", {}),
    ):
        assert client.post(address, said).status_code == 403, address
    assert (Membership.objects.count(), MembershipInvitation.objects.count()) == (2, 0)
    add_step(alice)
    assert (client.get(pane).status_code, api.get(f"/api/plugins/{closed.slug}").status_code) == (200, 200)
    page = client.get(root).content.decode()
    assert "Wards" in page
    assert page.count("no second step") == 1  # Bob's


def test_who_has_none_can_leave(closed: Plugin, clinic: Organisation, alice: User) -> None:
    client = Client()
    client.force_login(alice)
    client.post(f"/organisations/{clinic.pk}/leave")
    assert not Membership.objects.filter(user=alice).exists()


def test_nobody_closes_it_to_themselves(clinic: Organisation, alice: User) -> None:
    client, address = Client(), f"/organisations/{clinic.pk}"
    client.force_login(alice)
    said = {"name": "Clinic", "requires_second_step": "on"}
    refused = client.post(address, said)
    assert (refused.status_code, b"Add a second step to your own account first." in refused.content) == (400, True)
    add_step(alice)
    client.post(address, said)
    clinic.refresh_from_db()
    assert clinic.requires_second_step


def test_a_member_finds_the_notice_and_no_plugin(closed: Plugin, clinic: Organisation, join: Join) -> None:
    client = Client()
    client.force_login(join("viewer"))
    page = client.get(f"/organisations/{clinic.pk}").content.decode()
    assert "open to people who sign in with a second step" in page
    assert "Wards" not in page


def test_a_grant_for_a_draft_reads_nothing_while_it_is_closed(closed: Plugin, alice: User, join: Join) -> None:
    """An editor's own plugin would quote what the editor may not open. What is published goes on."""
    editor = join("editor")
    base = own_knowledge_base(closed)
    own = Plugin.objects.create(owner=editor, name="Own", domain="x", system_prompt="x")
    grant = KnowledgeGrant.objects.attach(base, own, by=editor)
    add_step(alice)
    grant.give(by=alice, consent="draft")

    def reads() -> bool:
        return KnowledgeBase.objects.of_plugin(own).contains(base) and KnowledgeBase.objects.open_to(own).contains(base)

    assert not reads()
    assert KnowledgeGrant.objects.standing().contains(grant)  # the hold of a plugin counts as before
    assert not KnowledgeGrant.objects.lapsed().exists()
    add_step(editor)
    assert reads()
    Authenticator.objects.filter(user=editor).delete()
    grant.give(by=alice, consent="published")
    assert KnowledgeBase.objects.open_to(own, least="published").contains(base)
