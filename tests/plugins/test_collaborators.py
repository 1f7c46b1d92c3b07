"""Inviting colleagues: those with a confirmed account at once, the others by a link."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

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


def test_whoever_has_a_confirmed_account_is_on_it_at_once(cover: Plugin, alice: User, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, primary=True, verified=True)
    invited = collaborators.invite_collaborator(cover, email=" BOB@example.org ", role=Role.EDITOR, by=alice)
    assert (invited.person, invited.invitation, invited.token) == (bob, None, "")
    assert list(cover.editors.all()) == [bob]


def test_others_get_a_token_that_is_nowhere_in_the_database(cover: Plugin, alice: User) -> None:
    invited = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    assert invited.invitation is not None
    assert invited.token not in str(Invitation.objects.values().get())
    assert collaborators.find_invitation(invited.token) == invited.invitation
    assert invited.invitation.expires_at - invited.invitation.created_at == timedelta(days=14)


def test_an_account_with_somebody_elses_address_gets_nothing(cover: Plugin, alice: User) -> None:
    """Anybody can sign up with any address: only who reads its mail is meant."""
    squatter = unconfirmed("ruth@example.org")
    invited = collaborators.invite_collaborator(cover, email="ruth@example.org", role=Role.EDITOR, by=alice)
    assert invited.person is None
    with pytest.raises(collaborators.AddressNotConfirmed):
        collaborators.accept_invitation(collaborators.find_invitation(invited.token), person=squatter)
    assert not cover.editors.exists()
    EmailAddress.objects.update(verified=True)
    collaborators.accept_invitation(collaborators.find_invitation(invited.token), person=squatter)
    assert list(cover.editors.all()) == [squatter]


def test_where_addresses_are_not_confirmed_at_all_everybody_is_who_they_say(
    cover: Plugin, alice: User, settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    ruth = unconfirmed("ruth@example.org")
    assert collaborators.invite_collaborator(cover, email=ruth.email, role=Role.EDITOR, by=alice).person == ruth


def test_an_invitation_is_for_one_address_once_and_for_14_days(cover: Plugin, alice: User, bob: User) -> None:
    token = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice).token
    with pytest.raises(collaborators.WrongInvitee):
        collaborators.accept_invitation(collaborators.find_invitation(token), person=bob)
    with pytest.raises(collaborators.InvitationNotOpen):
        collaborators.find_invitation(token, now=timezone.now() + timedelta(days=14, seconds=1))
    new = User.objects.create_user("new@example.org")
    collaborators.accept_invitation(collaborators.find_invitation(token), person=new)
    assert list(cover.viewers.all()) == [new]
    with pytest.raises(collaborators.InvitationNotOpen):
        collaborators.find_invitation(token)


def test_a_second_invitation_replaces_the_first(cover: Plugin, alice: User) -> None:
    first = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice)
    second = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.EDITOR, by=alice)
    with pytest.raises(collaborators.InvitationNotOpen):
        collaborators.find_invitation(first.token)
    assert collaborators.find_invitation(second.token).role == Role.EDITOR


def test_an_invitation_taken_back_meanwhile_is_not_accepted(cover: Plugin, alice: User) -> None:
    token = collaborators.invite_collaborator(cover, email="new@example.org", role=Role.VIEWER, by=alice).token
    found = collaborators.find_invitation(token)
    Invitation.objects.all().delete()
    with pytest.raises(collaborators.InvitationNotOpen):
        collaborators.accept_invitation(found, person=User.objects.create_user("new@example.org"))


def test_nobody_has_two_roles(cover: Plugin, alice: User, bob: User) -> None:
    collaborators.invite_collaborator(cover, email=bob.email, role=Role.VIEWER, by=alice)
    collaborators.invite_collaborator(cover, email=bob.email, role=Role.EDITOR, by=alice)
    assert (list(cover.editors.all()), list(cover.viewers.all())) == ([bob], [])
    with pytest.raises(collaborators.AlreadyCollaborator):
        collaborators.invite_collaborator(cover, email=bob.email, role=Role.EDITOR, by=alice)
    with pytest.raises(collaborators.AlreadyCollaborator):
        collaborators.invite_collaborator(cover, email=alice.email, role=Role.EDITOR, by=alice)


@pytest.mark.parametrize("email", ["", "ruth", "ruth@", "a@b.c\nBcc: x@y.z", "ruth@example.org, bob@example.org"])
def test_what_is_no_address_is_refused(cover: Plugin, alice: User, email: str) -> None:
    with pytest.raises(collaborators.NotAnEmailAddress):
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
