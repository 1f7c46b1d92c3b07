"""Nothing that somebody began in an organisation outlives their right to begin it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import Consent, Document, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.errors import LexicError
from marketplace.publishing.member_departure import change_member_role, delete_organisation, remove_member
from marketplace.publishing.ownership_transfer import (
    accept_for_organisation,
    accept_ownership,
    offer_ownership,
    offer_to_organisation,
)
from organisations.invitations import accept_invitation, invite_member
from organisations.models import Membership, MembershipInvitation, Organisation
from plugins import collaborators
from plugins.models import OrganisationOffer, OwnershipOffer, Plugin, Role
from privacy.account_deletion import PluginsUnderLegalHold, account_deletion, delete_account

pytestmark = pytest.mark.django_db
Join = Callable[[str], User]


def of(person: User, organisation: Organisation) -> Membership:
    return Membership.objects.select_related("organisation", "user").get(user=person, organisation=organisation)


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def make_plugin(owner: User, slug: str, *, organisation: Organisation | None = None) -> Plugin:
    return Plugin.objects.create(
        owner=owner, organisation=organisation, name=slug, slug=slug, domain="x", system_prompt="x"
    )


def confirmed(email: str) -> User:
    person = User.objects.create_user(email, "correct horse battery", is_staff=True)
    EmailAddress.objects.create(user=person, email=email, verified=True, primary=True)
    return person


@pytest.fixture
def root() -> Client:
    return client_of(User.objects.create_superuser("root@example.org", "correct horse battery"))


def test_a_legal_hold_on_the_organisations_plugin_keeps_what_it_reads(plugin: Plugin, alice: User, bob: User) -> None:
    notes = KnowledgeBase.objects.create(owner=alice, name="Notes")
    Document.objects.create(knowledge_base=notes, title="Evidence", source_type="pdf")
    KnowledgeGrant.objects.attach(notes, plugin, by=alice)
    plugin.set_legal_hold(by_operator=True)
    assert account_deletion(alice).held == (plugin,)
    with pytest.raises(PluginsUnderLegalHold):
        delete_account(alice)
    assert Document.objects.filter(title="Evidence").exists()


@pytest.mark.parametrize("role", ["editor", "owner"])
def test_the_organisations_plugins_go_on_reading_its_bases(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, join: Join, role: str
) -> None:
    leaver = join("editor") if role == "editor" else alice
    second = make_plugin(bob, "second", organisation=clinic)
    grant = KnowledgeGrant.objects.attach(own_knowledge_base(plugin), second, by=leaver)
    grant.give(by=bob, consent=Consent.PUBLISHED)
    remove_member(of(leaver, clinic), by=of(bob, clinic))
    assert KnowledgeBase.objects.open_to(second, least=Consent.PUBLISHED).exists()


def test_a_former_owner_hands_out_no_copies(plugin: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    mine = make_plugin(alice, "mine")
    KnowledgeGrant.objects.attach(own_knowledge_base(plugin), mine, by=alice)
    change_member_role(of(alice, clinic), role="viewer", by=of(bob, clinic))
    assert not KnowledgeGrant.objects.standing(Consent.SHARED).filter(plugin=mine).exists()


def test_offers_of_a_former_owner_are_void(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, charlie: User
) -> None:
    shell = Organisation.objects.create_with_owner(name="Shell", owner=charlie)
    Membership.objects.create(organisation=shell, user=bob, role="viewer")
    offer_to_organisation(plugin, to=shell, by=bob)
    remove_member(of(bob, clinic), by=of(alice, clinic))
    with pytest.raises(LexicError):
        accept_for_organisation(plugin, by=charlie)
    with pytest.raises(LexicError):
        offer_to_organisation(plugin, to=shell, by=bob)


def test_offers_to_an_editor_are_void_too(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, charlie: User
) -> None:
    collaborators.assign_role(plugin, person=charlie, role=Role.EDITOR)
    offer_ownership(plugin, to=charlie, by=bob)
    change_member_role(of(bob, clinic), role="editor", by=of(alice, clinic))
    with pytest.raises(LexicError):
        accept_ownership(plugin, by=charlie)
    with pytest.raises(LexicError):
        offer_ownership(plugin, to=charlie, by=bob)


def test_invitations_of_a_former_owner_are_void(plugin: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    to_organisation, _ = invite_member(of(bob, clinic), email="bob2@example.org", role="owner")
    to_plugin, _ = collaborators.invite_collaborator(plugin, email="bob2@example.org", role=Role.EDITOR, by=bob)
    remove_member(of(bob, clinic), by=of(alice, clinic))
    other = confirmed("bob2@example.org")
    with pytest.raises(LexicError):
        accept_invitation(to_organisation, person=other)
    with pytest.raises(LexicError):
        collaborators.accept_invitation(to_plugin, person=other)


def test_who_was_removed_a_moment_ago_invites_nobody(clinic: Organisation, alice: User, bob: User) -> None:
    stale = of(bob, clinic)
    remove_member(of(bob, clinic), by=of(alice, clinic))
    with pytest.raises(LexicError):
        invite_member(stale, email="x@example.org", role="owner")


def test_operators_leave_invitations_of_owners_alone(clinic: Organisation, alice: User, join: Join) -> None:
    operator = join("operator")
    invitation, _ = invite_member(of(alice, clinic), email="x@example.org", role="owner")
    with pytest.raises(LexicError):
        invite_member(of(operator, clinic), email="x@example.org", role="viewer")
    address = reverse("revoke_organisation_invitation", args=[clinic.pk, invitation.pk])
    assert client_of(operator).post(address).status_code == 403
    assert MembershipInvitation.objects.exists()


def test_an_organisation_that_is_gone_is_unknown(clinic: Organisation, bob: User) -> None:
    member = of(bob, clinic)
    delete_organisation(Organisation.objects.get(pk=clinic.pk))
    for act in (
        lambda: remove_member(member, by=member),
        lambda: invite_member(member, email="x@example.org", role="viewer"),
    ):
        with pytest.raises(LexicError):
            act()


def test_only_those_who_look_after_people_see_addresses(clinic: Organisation, alice: User, join: Join) -> None:
    viewer = join("viewer")
    User.objects.filter(pk=alice.pk).update(display_name="Alice")
    for reader, sees in ((viewer, False), (alice, True)):
        page = client_of(reader).get(reverse("organisation", args=[clinic.pk])).content.decode()
        assert ("alice@example.org" in page.partition("People</h2>")[2].partition("</ul>")[0]) == sees


def test_a_viewer_of_the_plugin_is_not_told_of_an_offer(clinic: Organisation, alice: User, charlie: User) -> None:
    plugin = make_plugin(alice, "own")
    collaborators.assign_role(plugin, person=charlie, role=Role.VIEWER)
    offer_to_organisation(plugin, to=clinic, by=alice)
    page = client_of(charlie).get(reverse("admin:builder_sharing", args=[plugin.pk])).content.decode()
    assert clinic.name not in page


def test_grants_end_whoever_it_counts_for(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, charlie: User
) -> None:
    for owner in (alice, bob):
        other = make_plugin(owner, f"other-{owner.pk}", organisation=clinic)
        mine = make_plugin(alice, f"mine-{owner.pk}", organisation=clinic)
        KnowledgeGrant.objects.attach(own_knowledge_base(other), mine, by=alice, consent=Consent.PUBLISHED)
        collaborators.assign_role(mine, person=charlie, role=Role.EDITOR)
        offer_ownership(mine, to=charlie, by=alice)
        accept_ownership(mine, by=charlie)
        assert not KnowledgeGrant.objects.standing().filter(plugin=mine).exists()


def test_an_owner_who_is_locked_out_keeps_the_organisation(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, join: Join, root: Client
) -> None:
    join("editor")
    remove_member(of(bob, clinic), by=of(alice, clinic))
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert account_deletion(User.objects.get(pk=alice.pk)).organisations == (clinic,)
    root.post(reverse("admin:accounts_user_delete", args=[alice.pk]), {"post": "yes"})
    assert User.objects.filter(pk=alice.pk).exists()


def test_an_operator_deletes_all_who_are_marked_or_nobody(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, root: Client
) -> None:
    marked = {"action": "delete_selected", "_selected_action": [str(alice.pk), str(bob.pk)], "post": "yes"}
    page = root.post(reverse("admin:accounts_user_changelist"), marked, follow=True)
    assert "Nobody was deleted." in page.content.decode()
    assert User.objects.filter(pk__in=[alice.pk, bob.pk]).count() == 2


def test_a_role_that_is_none_removes_nobody(clinic: Organisation, alice: User, bob: User) -> None:
    address = reverse("change_organisation_member", args=[clinic.pk, bob.pk])
    for body in ({"role": "Viewer"}, {}):
        assert client_of(alice).post(address, body).status_code == 400
    assert Membership.objects.filter(user=bob).exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_offers_at_once_one_stands(clinic: Organisation, alice: User, charlie: User) -> None:
    plugin = make_plugin(alice, "own")
    collaborators.assign_role(plugin, person=charlie, role=Role.EDITOR)
    start = threading.Barrier(2, timeout=30)

    def run(offer: Callable[[], Any]) -> None:
        try:
            start.wait()
            offer()
        finally:
            connection.close()

    offers: tuple[Callable[[], Any], ...] = (
        lambda: offer_ownership(plugin, to=charlie, by=alice),
        lambda: offer_to_organisation(plugin, to=clinic, by=alice),
    )
    threads = [threading.Thread(target=run, args=(offer,)) for offer in offers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert OwnershipOffer.objects.count() + OrganisationOffer.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_both_owners_close_their_accounts_at_once(plugin: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    start, failures = threading.Barrier(2, timeout=30), []

    def run(person: User) -> None:
        try:
            start.wait()
            delete_account(person)
        except LexicError as error:
            failures.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(person,)) for person in (alice, bob)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == ["only_owner"]
