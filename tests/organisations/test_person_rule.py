"""What a rule gives a person is what its query set gives them, however the person acts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from django.db.models import QuerySet

from accounts.models import ApiKey, User
from organisations.models import Membership, Organisation
from organisations.person_rule import PersonRule
from organisations.sso_session import provider_id
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


@contextmanager
def acting_through(*organisations: Organisation) -> Iterator[None]:
    """The session of whoever asks was begun through the providers of these organisations."""
    names = frozenset(provider_id(organisation.pk) for organisation in organisations)
    with mock.patch("organisations.sso_session.acting_providers", return_value=names):
        yield


def viewable(user: User) -> set[str]:
    return set(Plugin.objects.viewable_by(user).values_list("slug", flat=True))


def test_each_person_gets_their_own_and_the_statement_is_built_once(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob):
        Plugin.objects.create(owner=person, name="x", slug=person.display_name.lower(), domain="x")
    made: list[User] = []

    def owned(user: User) -> QuerySet[Any, Any]:
        made.append(user)
        return Plugin.objects.filter(owner=user).values("pk")

    rule = PersonRule(owned)
    found = [
        set(Plugin.objects.filter(pk__in=rule.ids(person)).values_list("slug", flat=True))
        for person in (alice, bob, charlie)
    ]
    assert found == [{"alice"}, {"bob"}, set()]
    assert len(made) == 1


def test_a_session_and_a_task_and_a_key_have_what_their_way_of_signing_in_opens(
    clinic: Organisation, plugin: Plugin, bob: User
) -> None:
    """In turn, so that a statement that is kept for one way would be seen in another."""
    Organisation.objects.filter(pk=clinic.pk).update(requires_sso=True)
    Membership.objects.filter(user=bob).update(signed_in_at=plugin.created_at)
    key = ApiKey.objects.issue(owner=bob, name="agent")[0]
    for _ in range(2):
        bob.acting_key = None
        assert viewable(bob) == {"wards"}  # a task
        with acting_through():
            assert viewable(bob) == set()
        with acting_through(clinic):
            assert viewable(bob) == {"wards"}
        assert not Plugin.objects.viewable_by(key).exists()


def test_whoever_is_locked_out_or_runs_the_site_is_asked_about_anew(plugin: Plugin, bob: User, charlie: User) -> None:
    assert (viewable(bob), viewable(charlie)) == ({"wards"}, set())
    bob.is_active, charlie.is_superuser = False, True
    assert (viewable(bob), viewable(charlie)) == (set(), {"wards"})
    bob.is_active, charlie.is_superuser = True, False
    assert (viewable(bob), viewable(charlie)) == ({"wards"}, set())
