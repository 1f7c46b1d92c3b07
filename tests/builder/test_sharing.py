"""Who works on a plugin, and who may use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins import collaborators
from plugins.models import Plugin, Role

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def address(name: str, plugin: Plugin, **more: Any) -> str:
    return reverse(f"admin:builder_{name}", kwargs={"pk": plugin.pk, **more})


def test_an_owner_invites_changes_and_takes_off(browsing: Browse, alice: User, bob: User, plugin: Plugin) -> None:
    client = browsing(alice)
    client.post(address("invite", plugin), {"email": bob.email, "role": "editor"})
    assert not plugin.editors.exists()
    browsing(bob).post(reverse("accept_invitation", args=[plugin.invitations.get().pk]))
    assert list(plugin.editors.all()) == [bob]
    client.post(address("change_role", plugin, person=bob.pk), {"role": "viewer"})
    assert (list(plugin.editors.all()), list(plugin.viewers.all())) == ([], [bob])
    page = client.get(address("sharing", plugin)).content.decode()
    assert bob.email in page
    client.post(address("change_role", plugin, person=bob.pk), {"role": ""})
    assert not plugin.viewers.exists()


def test_an_invitation_is_a_mail_that_can_be_taken_back(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    answer = client.post(address("invite", plugin), {"email": "new@example.org", "role": "viewer"}, follow=True)
    assert "invited, viewer" in answer.content.decode()
    assert len(mail.outbox) == 1
    client.post(address("take_back", plugin, invitation=plugin.invitations.get().pk))
    assert not plugin.invitations.exists()


def test_what_is_wrong_is_said_beside_the_field_and_the_text_is_kept(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    answer = browsing(alice).post(address("invite", plugin), {"email": "ruth@", "role": "editor"})
    content = answer.content.decode()
    assert "This is not an email address." in content
    assert 'value="ruth@"' in content


def test_an_editor_changes_the_plugin_and_not_who_is_on_it(
    browsing: Browse, alice: User, bob: User, charlie: User, plugin: Plugin
) -> None:
    plugin.editors.add(bob)
    client = browsing(bob)
    assert client.post(address("invite", plugin), {"email": charlie.email, "role": "editor"}).status_code == 403
    assert client.post(address("change_role", plugin, person=bob.pk), {"role": "viewer"}).status_code == 403
    assert client.post(address("hand_over", plugin, person=bob.pk)).status_code == 403
    assert list(plugin.editors.all()) == [bob]
    client.post(address("use", plugin), {"public_chat": "on"})
    plugin.refresh_from_db()
    assert (plugin.is_shared, plugin.public_chat, plugin.owner) == (False, True, alice)


def test_a_plugin_changes_hands_once_both_confirm(browsing: Browse, alice: User, bob: User, plugin: Plugin) -> None:
    plugin.editors.add(bob)
    client = browsing(alice)
    page = client.get(address("hand_over", plugin, person=bob.pk)).content.decode()
    assert "will own the plugin and its knowledge base" in page
    plugin.refresh_from_db()
    assert plugin.owner == alice
    client.post(address("hand_over", plugin, person=bob.pk))
    client.post(address("ownership_offer", plugin), {"act": "accept"})  # not hers to accept
    plugin.refresh_from_db()
    assert plugin.owner == alice
    assert "It is offered to" in client.get(address("sharing", plugin)).content.decode()
    others = browsing(bob)
    assert "offers it to you" in others.get(address("sharing", plugin)).content.decode()
    others.post(address("ownership_offer", plugin), {"act": "accept"})
    plugin.refresh_from_db()
    assert (plugin.owner, list(plugin.editors.all())) == (bob, [alice])
    assert browsing(alice).post(address("hand_over", plugin, person=alice.pk)).status_code == 403


@pytest.mark.parametrize("end", ["taken back", "declined", "off the plugin"])
def test_an_offer_that_is_over_is_not_accepted(
    browsing: Browse, alice: User, bob: User, plugin: Plugin, end: str
) -> None:
    plugin.editors.add(bob)
    browsing(alice).post(address("hand_over", plugin, person=bob.pk))
    if end == "off the plugin":
        browsing(alice).post(address("change_role", plugin, person=bob.pk), {"role": ""})
        plugin.editors.add(bob)
    else:
        person = alice if end == "taken back" else bob
        browsing(person).post(address("ownership_offer", plugin), {"act": "end"})
    assert browsing(bob).post(address("ownership_offer", plugin), {"act": "accept"}).status_code == 404
    plugin.refresh_from_db()
    assert plugin.owner == alice


def test_an_operator_does_not_give_away_what_is_not_theirs(
    browsing: Browse, bob: User, charlie: User, plugin: Plugin
) -> None:
    plugin.editors.add(bob)
    User.objects.filter(pk=charlie.pk).update(is_superuser=True)
    assert browsing(charlie).post(address("hand_over", plugin, person=bob.pk)).status_code == 403


def test_a_viewer_looks_and_leaves(browsing: Browse, bob: User, plugin: Plugin) -> None:
    collaborators.assign_role(plugin, person=bob, role=Role.VIEWER)
    client = browsing(bob)
    page = client.get(address("sharing", plugin)).content.decode()
    assert "Leave this plugin" in page
    assert "Invite a colleague" not in page
    assert client.post(address("use", plugin), {"is_shared": "on"}).status_code == 404
    assert client.get(address("download", plugin)).status_code == 404
    client.post(address("leave", plugin))
    assert client.get(address("sharing", plugin)).status_code == 404


def test_the_page_takes_the_same_queries_for_any_number_of_people(
    browsing: Browse, alice: User, plugin: Plugin, django_assert_num_queries, django_assert_max_num_queries
) -> None:
    client = browsing(alice)
    _people(plugin, by=alice, first=0, last=1)
    client.get(address("sharing", plugin))
    with django_assert_max_num_queries(44) as counted:
        client.get(address("sharing", plugin))
    _people(plugin, by=alice, first=1, last=6)
    with django_assert_num_queries(len(counted.captured_queries)):
        client.get(address("sharing", plugin))


def _people(plugin: Plugin, *, by: User, first: int, last: int) -> None:
    for number in range(first, last):
        collaborators.assign_role(plugin, person=User.objects.create_user(f"{number}@example.org"), role=Role.EDITOR)
        collaborators.invite_collaborator(plugin, email=f"new{number}@example.org", role=Role.VIEWER, by=by)
