"""Somebody leaves an organisation, or may do less there: what becomes of plugins, keys and knowledge."""

from __future__ import annotations

import zipfile

import pytest

from accounts.models import ApiKey, User
from audit.models import AuditEntry
from knowledge.models import Consent, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.member_departure import (
    OnlyOwnerOfOrganisation,
    OrganisationOwnsPlugins,
    change_member_role,
    delete_organisation,
    remove_member,
)
from organisations.invitations import NotAdministrator, OnlyOwners
from organisations.models import LastOwner, Membership, Organisation, UnknownOrganisation
from plugins import collaborators
from plugins.models import Plugin, Role
from privacy.account_deletion import account_deletion, delete_account
from privacy.data_export import export_personal_data
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


def of(person: User, organisation: Organisation) -> Membership:
    return Membership.objects.select_related("organisation", "user").get(user=person, organisation=organisation)


def test_what_counted_for_an_owner_counts_for_another(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User
) -> None:
    base = own_knowledge_base(plugin)
    remove_member(of(alice, clinic), by=of(bob, clinic))
    plugin.refresh_from_db()
    base.refresh_from_db()
    assert (plugin.owner, plugin.organisation, base.owner) == (bob, clinic, bob)
    assert not Plugin.objects.askable_by(alice).exists()
    assert not KnowledgeBase.objects.visible_to(alice).exists()


def test_an_owner_who_is_made_a_viewer_owns_nothing_there(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User
) -> None:
    change_member_role(of(alice, clinic), role="viewer", by=of(alice, clinic))
    plugin.refresh_from_db()
    assert plugin.owner == bob
    assert Plugin.objects.viewable_by(alice).contains(plugin)
    assert not Plugin.objects.editable_by(alice).contains(plugin)


def test_the_last_owner_stays(clinic: Organisation, alice: User, bob: User, join: Join) -> None:
    join("editor")
    remove_member(of(bob, clinic), by=of(bob, clinic))
    for act in (
        lambda: remove_member(of(alice, clinic), by=of(alice, clinic)),
        lambda: change_member_role(of(alice, clinic), role="editor", by=of(alice, clinic)),
    ):
        with pytest.raises(LastOwner):
            act()
    assert of(alice, clinic).role == "owner"


def test_an_owner_who_cannot_sign_in_is_no_successor(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User
) -> None:
    bob.is_active = False
    bob.save()
    with pytest.raises(LastOwner):
        remove_member(of(alice, clinic), by=of(alice, clinic))


def test_keys_that_are_limited_to_its_plugins_are_revoked(
    plugin: Plugin, clinic: Organisation, alice: User, join: Join
) -> None:
    editor = join("editor")
    own = Plugin.objects.create(owner=editor, name="Own", slug="own", domain="x", system_prompt="x")
    for name, plugins in (("limited", [plugin]), ("mixed", [plugin, own]), ("free", [])):
        ApiKey.objects.issue(owner=editor, name=name, plugins=plugins)
    remove_member(of(editor, clinic), by=of(alice, clinic))
    usable = ApiKey.objects.usable().filter(owner=editor)
    assert {key.name for key in usable} == {"mixed", "free"}
    for key in usable:
        assert not Plugin.objects.askable_by(key).contains(plugin)


def test_roles_on_its_plugins_and_grants_end(plugin: Plugin, clinic: Organisation, alice: User, join: Join) -> None:
    editor, base = join("editor"), own_knowledge_base(plugin)
    collaborators.assign_role(plugin, person=editor, role=Role.VIEWER)
    own = Plugin.objects.create(owner=editor, name="Own", slug="own", domain="x", system_prompt="x")
    grant = KnowledgeGrant.objects.attach(base, own, by=editor)
    grant.give(by=alice, consent=Consent.PUBLISHED)
    remove_member(of(editor, clinic), by=of(alice, clinic))
    grant.refresh_from_db()
    assert grant.ended_at is not None
    assert not plugin.viewers.exists()


def test_who_only_views_lets_go_of_nothing(plugin: Plugin, clinic: Organisation, alice: User, join: Join) -> None:
    """What somebody granted themselves by their role in the organisation stands with a lesser role that still opens
    the base."""
    editor, base = join("editor"), own_knowledge_base(plugin)
    own = Plugin.objects.create(owner=editor, name="Own", slug="own", domain="x", system_prompt="x")
    KnowledgeGrant.objects.attach(base, own, by=editor).give(by=alice, consent=Consent.DRAFT)
    change_member_role(of(editor, clinic), role="viewer", by=of(alice, clinic))
    assert KnowledgeGrant.objects.standing().count() == 1
    change_member_role(of(editor, clinic), role="operator", by=of(alice, clinic))
    assert not KnowledgeGrant.objects.open().exists()


def test_a_base_of_their_own_stays_theirs(plugin: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    theirs = KnowledgeBase.objects.create(owner=alice, name="Notes")
    grant = KnowledgeGrant.objects.attach(theirs, plugin, by=alice)
    assert grant.consent == Consent.SHARED
    remove_member(of(alice, clinic), by=of(bob, clinic))
    grant.refresh_from_db()
    assert (theirs.owner, grant.consent, grant.ended_at) == (alice, Consent.PUBLISHED, None)
    assert list(KnowledgeGrant.objects.decided_by(alice)) == [grant]


@pytest.mark.parametrize(("role", "refusal"), [("editor", NotAdministrator), ("operator", OnlyOwners)])
def test_others_touch_no_owner(
    role: str, refusal: type[Exception], clinic: Organisation, bob: User, join: Join
) -> None:
    person = join(role)
    for act in (
        lambda: remove_member(of(bob, clinic), by=of(person, clinic)),
        lambda: change_member_role(of(bob, clinic), role="viewer", by=of(person, clinic)),
        lambda: change_member_role(of(person, clinic), role="owner", by=of(person, clinic)),
        lambda: change_member_role(of(person, clinic), role="editor", by=of(person, clinic)),
    ):
        with pytest.raises(refusal):
            act()


def test_who_was_removed_a_moment_ago_removes_nobody(clinic: Organisation, alice: User, bob: User, join: Join) -> None:
    viewer = join("viewer")
    former = of(bob, clinic)
    remove_member(of(bob, clinic), by=of(alice, clinic))
    with pytest.raises(UnknownOrganisation):
        remove_member(of(viewer, clinic), by=former)
    assert of(viewer, clinic).role == "viewer"


def test_an_organisation_with_plugins_stays(plugin: Plugin, clinic: Organisation) -> None:
    with pytest.raises(OrganisationOwnsPlugins):
        delete_organisation(clinic)
    Plugin.objects.all().delete()
    delete_organisation(clinic)
    assert not Organisation.objects.exists()
    assert not Membership.objects.exists()


def test_with_an_account_nothing_of_the_organisation_goes(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User
) -> None:
    assert account_deletion(alice).plugins == ()
    delete_account(alice)
    plugin.refresh_from_db()
    assert (plugin.owner, clinic.memberships.get().user) == (bob, bob)


def test_its_only_owner_cannot_delete_their_account(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User
) -> None:
    remove_member(of(bob, clinic), by=of(bob, clinic))
    assert account_deletion(alice).organisations == (clinic,)
    with pytest.raises(OnlyOwnerOfOrganisation):
        delete_account(alice)
    assert Plugin.objects.contains(plugin)
    Plugin.objects.all().delete()
    assert account_deletion(alice).organisations == ()
    delete_account(alice)
    assert not Organisation.objects.exists()


def test_a_copy_of_ones_data_has_no_plugin_of_the_organisation(plugin: Plugin, alice: User) -> None:
    with export_personal_data(alice) as file, zipfile.ZipFile(file) as archive:
        assert not [name for name in archive.namelist() if "wards" in name]
        assert '"organisation__name": "Clinic"' in archive.read("organisations.jsonl").decode()


def test_who_did_it_is_on_record(clinic: Organisation, alice: User, join: Join) -> None:
    editor = join("editor")
    remove_member(of(editor, clinic), by=of(alice, clinic))
    [entry] = AuditEntry.objects.filter(action="organisation.member_removed")
    assert (entry.object, entry.subject) == (f"organisation:{clinic.pk}", f"person:{editor.pk}")
    assert entry.details["was"] == {"role": "editor"}
