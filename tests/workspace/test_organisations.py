"""Organisations on their pages: made, shown by role, changed, left and deleted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from organisations.invitations import invite_member
from organisations.models import Membership, MembershipInvitation, Organisation, OrganisationRole
from plugins.models import Plugin
from tests.organisations.conftest import Join, clinic, join, plugin

__all__ = ["clinic", "join", "plugin"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def page_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def test_one_is_made_and_listed(charlie: User, browse: Browse) -> None:
    client = browse(charlie)
    assert "No organisations." in page_of(client, "/organisations")
    assert client.post("/organisations", {"name": "  "}).status_code == 400
    response = client.post("/organisations", {"name": " Law  firm "})
    made = Organisation.objects.get()
    assert (made.name, response["Location"]) == ("Law firm", f"/organisations/{made.pk}")
    assert made.memberships.get().role == "owner"
    assert "Law firm" in page_of(client, "/organisations")


def test_an_address_is_confirmed_first(charlie: User, browse: Browse) -> None:
    EmailAddress.objects.create(user=charlie, email=charlie.email, verified=False, primary=True)
    assert browse(charlie).post("/organisations", {"name": "Law firm"}).status_code == 400
    assert not Organisation.objects.exists()


@pytest.mark.parametrize("role", OrganisationRole.values)
def test_each_role_sees_what_it_may_use(
    role: str, clinic: Organisation, plugin: Plugin, join: Join, browse: Browse
) -> None:
    page = page_of(browse(join(role)), f"/organisations/{clinic.pk}")
    assert "Alice" in page
    assert ("alice@example.org" in page) == (role in ("owner", "operator"))
    assert ("Wards" in page) == (role != "operator")
    assert ("Invite</button>" in page) == (role in ("owner", "operator"))
    assert ("Delete organisation" in page) == (role == "owner")


def test_who_is_not_in_it_finds_nothing(clinic: Organisation, charlie: User, browse: Browse) -> None:
    client, root = browse(charlie), f"/organisations/{clinic.pk}"
    assert "Clinic" not in page_of(client, root, 404)
    assert client.post(f"{root}/invite", {"email": "x@example.org", "role": "viewer"}).status_code == 404
    assert client.post(f"{root}/delete").status_code == 404


@pytest.mark.parametrize("role", ["editor", "reviewer", "viewer"])
def test_who_does_not_administer_changes_nothing(
    role: str, clinic: Organisation, alice: User, join: Join, browse: Browse
) -> None:
    client, root = browse(join(role)), f"/organisations/{clinic.pk}"
    before = list(Membership.objects.values_list("user", "role"))
    assert client.post(root, {"name": "Mine"}).status_code == 403
    assert client.post(f"{root}/invite", {"email": "x@example.org", "role": "viewer"}).status_code == 403
    assert client.post(f"{root}/members/{alice.pk}", {"role": ""}).status_code == 403
    assert client.post(f"{root}/delete").status_code == 403
    assert list(Membership.objects.values_list("user", "role")) == before
    assert not MembershipInvitation.objects.exists()


def test_roles_are_changed_and_members_removed(clinic: Organisation, alice: User, join: Join, browse: Browse) -> None:
    viewer, client = join("viewer"), browse(alice)
    address = f"/organisations/{clinic.pk}/members/{viewer.pk}"
    client.post(address, {"role": "reviewer"})
    assert Membership.objects.get(user=viewer).role == "reviewer"
    for wrong in ({"role": "emperor"}, {}):
        assert client.post(address, wrong).status_code == 400
    assert Membership.objects.get(user=viewer).role == "reviewer"
    client.post(address, {"role": ""})
    assert not Membership.objects.filter(user=viewer).exists()


def test_the_last_owner_is_told_why_they_stay(clinic: Organisation, alice: User, bob: User, browse: Browse) -> None:
    Membership.objects.filter(user=bob).delete()
    root, client = f"/organisations/{clinic.pk}", browse(alice)
    answer = client.post(f"{root}/leave")
    assert (answer.status_code, b"at least one owner" in answer.content) == (409, True)
    assert (
        "Make somebody else an owner first."
        in client.post(f"{root}/members/{alice.pk}", {"role": "viewer"}, follow=True).content.decode()
    )


def test_one_leaves(clinic: Organisation, bob: User, browse: Browse) -> None:
    client = browse(bob)
    assert "only an invitation brings you back" in page_of(client, f"/organisations/{clinic.pk}/leave")
    assert Membership.objects.filter(user=bob).exists()
    client.post(f"/organisations/{clinic.pk}/leave")
    assert page_of(client, f"/organisations/{clinic.pk}", 404)


def test_invitations_are_revoked_and_accepted_without_the_link(
    clinic: Organisation, alice: User, charlie: User, browse: Browse
) -> None:
    owner = Membership.objects.select_related("organisation", "user").get(user=alice)
    client, guest = browse(alice), browse(charlie)
    invitation, _ = invite_member(owner, email=charlie.email, role="viewer")
    client.post(reverse("revoke_organisation_invitation", args=[clinic.pk, invitation.pk]))
    assert guest.post(reverse("accept_organisation_invitation", args=[invitation.pk])).status_code == 404
    invitation, _ = invite_member(owner, email=charlie.email, role="viewer")
    assert "You are invited" in page_of(guest, "/organisations")
    guest.post(reverse("accept_organisation_invitation", args=[invitation.pk]))
    assert Membership.objects.get(user=charlie).role == "viewer"
    assert "You are invited" not in page_of(guest, "/organisations")


def test_an_organisation_is_deleted_when_it_owns_nothing(
    clinic: Organisation, plugin: Plugin, alice: User, browse: Browse
) -> None:
    client, address = browse(alice), f"/organisations/{clinic.pk}/delete"
    assert "It owns 1 plugin." in page_of(client, address)
    assert client.post(address).status_code == 409
    Plugin.objects.all().delete()
    client.post(address)
    assert not Organisation.objects.exists()


def test_the_page_costs_the_same_for_many_people(clinic: Organisation, alice: User, browse: Browse) -> None:
    client = browse(alice)

    def cost() -> int:
        with CaptureQueriesContext(connection) as statements:
            page_of(client, f"/organisations/{clinic.pk}")
        return len(statements)

    cost()
    before = cost()
    for number in range(12):
        person = User.objects.create_user(f"p{number}@example.org")
        Membership.objects.create(organisation=clinic, user=person, role="viewer")
        Plugin.objects.create(owner=alice, organisation=clinic, name=f"P{number}", domain="x", system_prompt="x")
        MembershipInvitation.objects.issue(email=f"q{number}@example.org", by=alice, organisation=clinic, role="viewer")
    assert cost() == before
