"""Alice and Bob own the clinic together, whose plugin Alice made. Charlie is in no organisation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from organisations.models import Membership, Organisation
from plugins.models import Plugin

Join = Callable[..., User]


@pytest.fixture
def clinic(alice: User, bob: User) -> Organisation:
    made = Organisation.objects.create_with_owner(name="Clinic", owner=alice)
    Membership.objects.create(organisation=made, user=bob, role="owner")
    return made


@pytest.fixture
def plugin(clinic: Organisation, alice: User) -> Plugin:
    return Plugin.objects.create(
        owner=alice, organisation=clinic, name="Wards", slug="wards", domain="medicine", system_prompt="Brief."
    )


@pytest.fixture
def join(clinic: Organisation) -> Join:
    """A new person in the clinic, with this role."""

    def join_as(role: str) -> User:
        person = User.objects.create_user(f"{role}@example.org", "correct horse battery", is_staff=True)
        Membership.objects.create(organisation=clinic, user=person, role=role)
        return person

    return join_as
