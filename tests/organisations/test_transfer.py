"""A plugin becomes an organisation's, or a person's again: offered by its owner, accepted by the receiver."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import AuditEntry
from knowledge.models import KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.member_departure import remove_member
from marketplace.publishing.ownership_transfer import (
    NothingOffered,
    NotInOrganisation,
    accept_for_organisation,
    accept_ownership,
    offer_ownership,
    offer_to_organisation,
)
from organisations.models import Membership, Organisation
from plugins import collaborators
from plugins.models import OrganisationOffer, OwnershipOffer, Plugin, Role
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


def own_plugin(person: User) -> Plugin:
    return Plugin.objects.create(owner=person, name="Beds", slug="beds", domain="medicine", system_prompt="Brief.")


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_an_owner_of_the_organisation_accepts(clinic: Organisation, bob: User, join: Join) -> None:
    viewer = join("viewer")
    plugin = own_plugin(viewer)
    base = own_knowledge_base(plugin)
    offer_to_organisation(plugin, to=clinic, by=viewer)
    assert not Plugin.objects.viewable_by(bob).contains(plugin)
    accept_for_organisation(plugin, by=bob)
    plugin.refresh_from_db()
    base.refresh_from_db()
    assert (plugin.owner, plugin.organisation, base.owner) == (bob, clinic, bob)
    # By their role there they look at it, and nothing more.
    assert Plugin.objects.viewable_by(viewer).contains(plugin)
    assert not Plugin.objects.editable_by(viewer).contains(plugin)
    assert not OrganisationOffer.objects.exists()
    moved = AuditEntry.objects.filter(action="plugin.owner_changed").get()
    assert moved.details["now"]["organisation_id"] == str(clinic.pk)


def test_only_its_owners_accept(clinic: Organisation, charlie: User, join: Join) -> None:
    editor, operator = join("editor"), join("operator")
    plugin = own_plugin(editor)
    offer_to_organisation(plugin, to=clinic, by=editor)
    for person in (editor, operator, charlie):
        with pytest.raises(NothingOffered):
            accept_for_organisation(plugin, by=person)
    plugin.refresh_from_db()
    assert (plugin.owner, plugin.organisation) == (editor, None)


def test_one_offers_to_an_organisation_that_one_is_in(clinic: Organisation, charlie: User) -> None:
    with pytest.raises(NotInOrganisation):
        offer_to_organisation(own_plugin(charlie), to=clinic, by=charlie)
    assert not OrganisationOffer.objects.exists()


def test_an_offer_ends_with_the_membership(clinic: Organisation, alice: User, join: Join) -> None:
    editor = join("editor")
    plugin = own_plugin(editor)
    offer_to_organisation(plugin, to=clinic, by=editor)
    remove_member(Membership.objects.get(user=editor), by=Membership.objects.get(user=alice))
    with pytest.raises(NothingOffered):
        accept_for_organisation(plugin, by=alice)


def test_one_offer_takes_the_place_of_the_other(clinic: Organisation, alice: User, bob: User) -> None:
    plugin = own_plugin(alice)
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    offer_ownership(plugin, to=bob, by=plugin.owner)
    offer_to_organisation(plugin, to=clinic, by=alice)
    assert not OwnershipOffer.objects.exists()
    offer_ownership(plugin, to=bob, by=plugin.owner)
    assert not OrganisationOffer.objects.exists()


def test_it_becomes_a_persons_again(plugin: Plugin, clinic: Organisation, alice: User, charlie: User) -> None:
    collaborators.assign_role(plugin, person=charlie, role=Role.EDITOR)
    offer_ownership(plugin, to=charlie, by=plugin.owner)
    accept_ownership(plugin, by=charlie)
    plugin.refresh_from_db()
    assert (plugin.owner, plugin.organisation) == (charlie, None)
    assert not Plugin.objects.viewable_by(alice).contains(plugin)


def test_what_others_granted_to_a_persons_plugin_is_not_the_organisations(
    clinic: Organisation, bob: User, charlie: User, join: Join
) -> None:
    editor = join("editor")
    plugin = own_plugin(editor)
    theirs = KnowledgeBase.objects.create(owner=editor, name="Notes")
    of_charlie = KnowledgeBase.objects.create(owner=charlie, name="Charlie's")
    kept = KnowledgeGrant.objects.attach(theirs, plugin, by=editor)
    ended = KnowledgeGrant.objects.attach(of_charlie, plugin, by=charlie)
    offer_to_organisation(plugin, to=clinic, by=editor)
    accept_for_organisation(plugin, by=bob)
    kept.refresh_from_db()
    ended.refresh_from_db()
    assert (kept.consent, kept.ended_at is None, ended.ended_at is None) == ("published", True, False)


def test_an_owner_of_both_moves_it_at_once(clinic: Organisation, alice: User) -> None:
    plugin = own_plugin(alice)
    client = client_of(alice)
    pane = reverse("admin:builder_sharing", args=[plugin.pk])
    address = reverse("admin:builder_offer_to_organisation", args=[plugin.pk, clinic.pk])
    assert address in client.get(pane).content.decode()
    assert "Offer “Beds” to Clinic?" in client.get(address).content.decode()
    assert not OrganisationOffer.objects.exists()
    client.post(address)
    plugin.refresh_from_db()
    assert plugin.organisation == clinic
    page = client.get(pane).content.decode()
    assert "organisation; its members open it by their roles" in page
    assert address not in page


def test_an_editor_of_a_plugin_gives_it_to_nobody(clinic: Organisation, bob: User, charlie: User) -> None:
    plugin = own_plugin(charlie)
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    address = reverse("admin:builder_offer_to_organisation", args=[plugin.pk, clinic.pk])
    assert [client_of(bob).get(address).status_code, client_of(bob).post(address).status_code] == [403, 403]
    # Nor does its owner give it to an organisation that they know nothing of.
    assert client_of(charlie).post(address).status_code == 404
    assert not OrganisationOffer.objects.exists()


def test_an_offer_is_withdrawn_accepted_or_declined_on_the_pages(
    clinic: Organisation, alice: User, bob: User, join: Join
) -> None:
    editor = join("editor")
    plugin = own_plugin(editor)
    address = reverse("admin:builder_offer_to_organisation", args=[plugin.pk, clinic.pk])
    own, owners = client_of(editor), client_of(bob)
    answer = reverse("answer_organisation_offer", args=[clinic.pk, plugin.pk])
    own.post(address)
    own.post(reverse("admin:builder_organisation_offer", args=[plugin.pk]))
    assert owners.post(answer, {"act": "accept"}).status_code == 404
    own.post(address)
    page = reverse("organisation", args=[clinic.pk])
    assert "Offered plugins" in owners.get(page).content.decode()
    assert "Offered plugins" not in own.get(page).content.decode()
    assert own.post(answer, {"act": "accept"}).status_code == 403
    owners.post(answer, {"act": "decline"})
    assert not OrganisationOffer.objects.exists()
    own.post(address)
    assert "belongs to Clinic now" in owners.post(answer, {"act": "accept"}, follow=True).content.decode()
    plugin.refresh_from_db()
    assert (plugin.organisation, plugin.owner) == (clinic, bob)
