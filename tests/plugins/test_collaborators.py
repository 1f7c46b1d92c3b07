"""Inviting colleagues: each gets a link, whether they have an account or not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from accounts import mailed_invitations
from accounts.models import User
from accounts.quotas import TooManyCollaborators
from plugins import collaborators
from plugins.models import Invitation, Plugin, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def cover(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", domain="engineering", system_prompt="Brief.")


def unconfirmed(email: str) -> User:
    user = User.objects.create_user(email)
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=False)
    return user


@pytest.mark.parametrize("email", ["new@example.org", " BOB@example.org "])
def test_everybody_gets_a_token_that_is_nowhere_in_the_database(
    cover: Plugin, alice: User, bob: User, email: str
) -> None:
    invitation, token = collaborators.invite_collaborator(cover, email=email, role=Role.VIEWER, by=alice)
    assert token not in str(Invitation.objects.values().get())
    assert collaborators.find_invitation(token) == invitation
    assert invitation.expires_at - invitation.created_at == timedelta(days=14)
    assert not cover.viewers.exists()


def test_an_account_with_somebody_elses_address_gets_nothing(cover: Plugin, alice: User) -> None:
    """Anybody can sign up with any address: only who reads its mail is meant."""
    squatter = unconfirmed("ruth@example.org")
    invitation, _ = collaborators.invite_collaborator(cover, email="ruth@example.org", role=Role.EDITOR, by=alice)
    with pytest.raises(mailed_invitations.InviteeNotConfirmed):
        collaborators.accept_invitation(invitation, person=squatter)
    assert not cover.editors.exists()
    EmailAddress.objects.update(verified=True)
    collaborators.accept_invitation(invitation, person=squatter)
    assert list(cover.editors.all()) == [squatter]


def test_where_addresses_are_not_confirmed_at_all_everybody_is_who_they_say(
    cover: Plugin, alice: User, settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    ruth = unconfirmed("ruth@example.org")
    invitation, _ = collaborators.invite_collaborator(cover, email=ruth.email, role=Role.EDITOR, by=alice)
    collaborators.accept_invitation(invitation, person=ruth)
    assert list(cover.editors.all()) == [ruth]


def test_an_invitation_is_for_one_address_once_and_for_14_days(cover: Plugin, alice: User, bob: User) -> None:
    _, token = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    with pytest.raises(mailed_invitations.WrongInvitee):
        collaborators.accept_invitation(collaborators.find_invitation(token), person=bob)
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        collaborators.find_invitation(token, now=timezone.now() + timedelta(days=14, seconds=1))
    new = User.objects.create_user("new@example.org")
    collaborators.accept_invitation(collaborators.find_invitation(token), person=new)
    assert list(cover.viewers.all()) == [new]
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        collaborators.find_invitation(token)


def test_a_second_invitation_replaces_the_first(cover: Plugin, alice: User) -> None:
    _, first = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    _, second = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        collaborators.find_invitation(first)
    assert collaborators.find_invitation(second).role == Role.EDITOR


def test_an_invitation_taken_back_meanwhile_is_not_accepted(cover: Plugin, alice: User) -> None:
    _, token = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    found = collaborators.find_invitation(token)
    Invitation.objects.all().delete()
    with pytest.raises(mailed_invitations.InvitationNotOpen):
        collaborators.accept_invitation(found, person=User.objects.create_user("new@example.org"))


def test_nobody_has_two_roles(cover: Plugin, alice: User, bob: User) -> None:
    for role in (Role.VIEWER, Role.EDITOR):
        collaborators.assign_role(cover, person=bob, role=role)
    assert (list(cover.editors.all()), list(cover.viewers.all())) == ([bob], [])


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_whoever_works_on_it_is_not_invited_again(cover: Plugin, alice: User, bob: User, role: str) -> None:
    collaborators.assign_role(cover, person=bob, role=Role.VIEWER)
    for person in (alice, bob):
        with pytest.raises(collaborators.AlreadyCollaborator):
            collaborators.invite_collaborator(cover, email=person.email, role=role, by=alice)
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("email", ["", "ruth", "ruth@", "a@b.c\nBcc: x@y.z", "ruth@example.org, bob@example.org"])
def test_what_is_no_address_is_refused(cover: Plugin, alice: User, email: str) -> None:
    with pytest.raises(mailed_invitations.NotAnEmailAddress):
        collaborators.invite_collaborator(cover, email=email, role=Role.VIEWER, by=alice)
    assert not Invitation.objects.exists()


def test_there_is_an_end_to_it(cover: Plugin, alice: User, settings) -> None:
    settings.QUOTAS = settings.QUOTAS | {"plugin_people": 2}
    for number in range(2):
        collaborators.invite_collaborator(cover, email=f"{number}@example.org", role=Role.VIEWER, by=alice)
    with pytest.raises(TooManyCollaborators):
        collaborators.invite_collaborator(cover, email="2@example.org", role=Role.VIEWER, by=alice)
    collaborators.invite_collaborator(cover, email="1@example.org", role=Role.EDITOR, by=alice)  # replaces one
    assert Invitation.objects.count() == 2
