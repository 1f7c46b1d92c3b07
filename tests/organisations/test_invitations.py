"""Who joins an organisation: invited by mail, by their own consent."""

from __future__ import annotations

import re
import smtplib
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts import mailed_invitations
from accounts.models import User
from accounts.quotas import TooManyCollaborators, TooManyOrganisations
from organisations.invitation_mail import invite_and_mail
from organisations.invitations import (
    AlreadyMember,
    NotAdministrator,
    OnlyOwners,
    accept_invitation,
    find_invitation,
    invite_member,
)
from organisations.models import Membership, MembershipInvitation, Organisation
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(clinic: Organisation, alice: User) -> Membership:
    cache.clear()
    return Membership.objects.select_related("organisation", "user").get(organisation=clinic, user=alice)


def link() -> str:
    [message] = mail.outbox
    found = re.search(r"http://localhost:8000(/organisations/invitations/\S+)", str(message.body))
    assert found
    return found[1]


def test_nobody_is_in_it_without_their_consent(owner: Membership, charlie: User, client: Client) -> None:
    invite_and_mail(owner, email=charlie.email, role="editor")
    assert not Membership.objects.filter(user=charlie).exists()
    client.force_login(charlie)
    page = client.get(link()).content.decode()
    assert "to the organisation “<bdi>Clinic</bdi>”" in page
    assert not Membership.objects.filter(user=charlie).exists()  # looking accepts nothing
    assert client.post(link(), follow=True).status_code == 200
    assert Membership.objects.get(user=charlie).role == "editor"
    assert client.get(link()).status_code == 404


def test_the_mail_says_who_invites_to_what(owner: Membership) -> None:
    owner.organisation.name = "Clinic\r\nBcc: x@y.z"
    invite_and_mail(owner, email="New@Example.org", role="operator")
    [message] = mail.outbox
    assert (message.to, message.subject) == (["new@example.org"], "Alice invites you to “Clinic Bcc: x@y.z”")
    assert "You could invite and remove people and say what they may do, but not open its plugins." in message.body


def test_only_the_address_that_was_invited_and_confirmed_accepts(owner: Membership, charlie: User) -> None:
    invitation, _ = invite_member(owner, email="dana@example.org", role="viewer")
    with pytest.raises(mailed_invitations.WrongInvitee):
        accept_invitation(invitation, person=charlie)
    dana = User.objects.create_user("dana@example.org")
    EmailAddress.objects.create(user=dana, email=dana.email, verified=False, primary=True)
    with pytest.raises(mailed_invitations.InviteeNotConfirmed):
        accept_invitation(invitation, person=dana)
    EmailAddress.objects.update(verified=True)
    accept_invitation(invitation, person=dana)
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        accept_invitation(invitation, person=dana)


def test_a_token_is_kept_as_a_hash_and_runs_out(owner: Membership) -> None:
    invitation, token = invite_member(owner, email="dana@example.org", role="viewer")
    assert token not in str(MembershipInvitation.objects.values())
    assert find_invitation(token) == invitation
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        find_invitation(token, now=timezone.now() + timedelta(days=15))
    again, newer = invite_member(owner, email="dana@example.org", role="editor")
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        find_invitation(token)
    assert find_invitation(newer).role == "editor"
    assert MembershipInvitation.objects.get() == again


def test_somebody_who_was_invited_twice_keeps_their_role(owner: Membership, bob: User) -> None:
    with pytest.raises(AlreadyMember):
        invite_member(owner, email=bob.email, role="viewer")
    late = MembershipInvitation.objects.issue(
        email=bob.email, by=owner.user, organisation=owner.organisation, role="viewer"
    )[0]
    assert accept_invitation(late, person=bob).role == "owner"


@pytest.mark.parametrize("role", ["editor", "reviewer", "viewer"])
def test_others_invite_nobody(role: str, owner: Membership, join: Join) -> None:
    person = Membership.objects.select_related("organisation", "user").get(user=join(role))
    with pytest.raises(NotAdministrator):
        invite_member(person, email="dana@example.org", role="viewer")


def test_an_operator_makes_no_owner(owner: Membership, join: Join) -> None:
    operator = Membership.objects.select_related("organisation", "user").get(user=join("operator"))
    with pytest.raises(OnlyOwners):
        invite_member(operator, email="dana@example.org", role="owner")
    invite_member(operator, email="dana@example.org", role="editor")


def test_quotas(owner: Membership, alice: User, settings: Any) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "organisation_people": 3, "account_organisations": 1}
    invite_member(owner, email="dana@example.org", role="viewer")
    with pytest.raises(TooManyCollaborators):
        invite_member(owner, email="emil@example.org", role="viewer")
    invite_member(owner, email="dana@example.org", role="editor")  # in the place of the first
    with pytest.raises(TooManyOrganisations):
        Organisation.objects.create_with_owner(name="Second", owner=alice)
    assert Organisation.objects.count() == 1


def test_when_the_address_is_refused_it_is_said_so(owner: Membership, monkeypatch: Any) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise smtplib.SMTPRecipientsRefused({"dana@example.org": (550, b"no such user")})

    monkeypatch.setattr(mailed_invitations, "send_letter", refuse)
    with pytest.raises(mailed_invitations.InviteeRefused):
        invite_and_mail(owner, email="dana@example.org", role="viewer")
    assert not MembershipInvitation.objects.exists()


def test_an_address_that_cannot_be_written_on_a_letter_is_refused(owner: Membership) -> None:
    """Sixty of these letters are more than the 63 characters that a name of the domain system may have."""
    with pytest.raises(mailed_invitations.InviteeRefused):
        invite_and_mail(owner, email=f"dana@{'ä' * 60}.com", role="viewer")
    assert not MembershipInvitation.objects.exists()


def test_whatever_breaks_a_mail_nobody_was_invited(owner: Membership, monkeypatch: Any) -> None:
    def fail(*args: object, **options: object) -> None:
        raise RuntimeError("no template")

    monkeypatch.setattr(mailed_invitations, "send_letter", fail)
    with pytest.raises(RuntimeError):
        invite_and_mail(owner, email="dana@example.org", role="viewer")
    assert not MembershipInvitation.objects.exists()


def test_when_no_mail_can_be_sent_nobody_was_invited(owner: Membership, monkeypatch: Any) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError("refused")

    monkeypatch.setattr(mailed_invitations, "send_letter", refuse)
    with pytest.raises(mailed_invitations.MailNotSent):
        invite_and_mail(owner, email="dana@example.org", role="viewer")
    assert not MembershipInvitation.objects.exists()
