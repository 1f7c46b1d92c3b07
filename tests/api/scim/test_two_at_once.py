"""Directories send several changes of one group at once."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from organisations.models import Organisation, ProvisionedGroup, ProvisionedPerson
from tests.api.scim.conftest import Ask, patch
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_members_that_are_added_at_once_are_both_in_it(ask: Ask, clinic: Organisation) -> None:
    people = [
        ProvisionedPerson.objects.create(
            organisation=clinic, user=User.objects.create_user(f"p{number}@example.org"), user_name=f"p{number}"
        )
        for number in range(2)
    ]
    group = ProvisionedGroup.objects.create(organisation=clinic, display_name="Ward")

    def add_first(hold: Any) -> None:
        with transaction.atomic():
            Organisation.objects.get(pk=clinic.pk).lock()
            hold()
            group.people.add(people[0])

    def add_second() -> Any:
        added = {"op": "add", "path": "members", "value": [{"value": str(people[1].pk)}]}
        return ask("PATCH", f"/Groups/{group.pk}", patch(added))

    _, answered = wait_in_turn(add_first, add_second)
    assert answered["http"] == 200
    assert set(group.people.all()) == set(people)
