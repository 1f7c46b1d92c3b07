"""The mail, and the page that its link opens."""

from __future__ import annotations

import re
import smtplib

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts import mailed_invitations
from accounts.models import User
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace import collaborator_invitations
from marketplace.publishing import ownership_transfer
from plugins.models import Invitation, Plugin, Role
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def cover(alice: User) -> Plugin:
    cache.delete(f"invitations:{alice.pk}")
    return Plugin.objects.create(owner=alice, name="Cover\r\nBcc: x@y.z", domain="engineering", system_prompt="Brief.")


def link() -> str:
    [message] = mail.outbox
    found = re.search(r"http://localhost:8000(/invitations/\S+)", str(message.body))
    assert found
    return found[1]


def test_the_mail_says_who_invites_to_what(cover: Plugin, alice: User) -> None:
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    [message] = mail.outbox
    assert message.to == ["new@example.org"]
    assert message.subject == "Alice invites you to “Cover Bcc: x@y.z”"
    assert "look at everything in it and ask its draft, and change nothing" in message.body


def test_whoever_has_not_confirmed_the_address_is_told_so_first_and_comes_back(
    cover: Plugin, alice: User, client: Client
) -> None:
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    invitation = link()
    mail.outbox.clear()
    secret = "a long walk home"
    client.post("/accounts/signup/", {"email": "new@example.org", "password1": secret, "password2": secret})
    page = client.get(invitation).content.decode()
    assert "Confirm your address first" in page
    assert "Accept and open the plugin" not in page
    confirmation = re.search(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    assert confirmation
    assert client.post(confirmation[1]).headers["Location"] == invitation
    assert "Accept and open the plugin" in client.get(invitation).content.decode()


def test_its_link_leads_from_sign_in_to_the_plugin(cover: Plugin, alice: User, client: Client) -> None:
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    page = client.get(link()).content.decode()
    assert "Sign up" in page
    assert "?next=/invitations/" in page
    new = User.objects.create_user("new@example.org")
    client.force_login(new)
    assert "Accept and open the plugin" in client.get(link()).content.decode()
    assert not cover.editors.exists()  # looking accepts nothing
    answer = client.post(link(), follow=True)
    assert answer.status_code == 200
    assert list(cover.editors.all()) == [new]
    new.refresh_from_db()
    assert new.is_staff
    assert client.get(link()).status_code == 404


def test_where_authors_are_chosen_an_invitation_makes_no_author(
    cover: Plugin, alice: User, client: Client, settings
) -> None:
    settings.OPEN_AUTHORS = "off"
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    new = User.objects.create_user("new@example.org")
    client.force_login(new)
    assert "an operator decides" in client.post(link(), follow=True).content.decode()
    new.refresh_from_db()
    assert not new.is_staff
    assert list(cover.editors.all()) == [new]


def test_somebody_else_cannot_accept_it(cover: Plugin, alice: User, charlie: User, client: Client) -> None:
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    client.force_login(charlie)
    assert "Sign out" in client.get(link()).content.decode()
    assert client.post(link()).status_code == 400
    pk = Invitation.objects.get().pk
    assert client.post(f"/invitations/{pk}/accept").status_code == 404
    assert not cover.editors.exists()


def test_without_the_link_the_dashboard_offers_it(cover: Plugin, alice: User, client: Client) -> None:
    collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    new = User.objects.create_user("new@example.org", is_staff=True)
    client.force_login(new)
    assert "Alice invites you to" in client.get("/admin/").content.decode()
    client.post(f"/invitations/{Invitation.objects.get().pk}/accept")
    assert list(cover.viewers.all()) == [new]


def test_when_no_mail_can_be_sent_nobody_was_invited(cover: Plugin, alice: User, monkeypatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise smtplib.SMTPConnectError(421, "busy")

    monkeypatch.setattr(mailed_invitations, "send_letter", refuse)
    with pytest.raises(mailed_invitations.MailNotSent):
        collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    assert not Invitation.objects.exists()


def test_nobody_sends_mails_without_end(cover: Plugin, alice: User, monkeypatch) -> None:
    monkeypatch.setattr(mailed_invitations, "MAX_MAILS_PER_HOUR", 2)
    for _ in range(2):
        collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.VIEWER, by=alice)
        Invitation.objects.all().delete()
    with pytest.raises(mailed_invitations.TooManyInvitations):
        collaborator_invitations.invite_and_mail(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    assert (len(mail.outbox), Invitation.objects.count()) == (2, 0)


def test_a_plugin_is_handed_over_with_its_knowledge(cover: Plugin, alice: User, bob: User, charlie: User) -> None:
    base = own_knowledge_base(cover)
    cover.editors.add(bob)
    ownership_transfer.offer_ownership(cover, to=bob, by=cover.owner)
    ownership_transfer.accept_ownership(cover, by=bob)
    cover.refresh_from_db()
    base.refresh_from_db()
    assert (cover.owner, base.owner, list(cover.editors.all())) == (bob, bob, [alice])
    with pytest.raises(ownership_transfer.NotAnEditor):
        ownership_transfer.offer_ownership(cover, to=charlie, by=cover.owner)
    with pytest.raises(ownership_transfer.NothingOffered):
        ownership_transfer.accept_ownership(cover, by=alice)
