"""What an address says after its question mark is used, or refused: never passed over."""

from __future__ import annotations

import pytest

from accounts.models import User
from plugins.models import Plugin
from tests.api import described
from tests.api.callers import by_key
from tests.api.people import code_of, keyed

pytestmark = pytest.mark.django_db


def test_every_route_with_filters_refuses_one_that_it_does_not_have(published: Plugin, alice: User) -> None:
    client, found = by_key(alice), described.rows(published, owner=alice)
    addresses = list(described.lists(found))
    assert len(addresses) > 20
    passed_over = []
    for address in addresses:
        response = client.get(f"{address}?stte=works")
        if address == "/api/schema":  # the same for everybody, and kept by caches
            continue
        if address.startswith("/api/connectors/"):  # no key comes so far
            assert response.json()["code"] == "session_required"
            continue
        if response.status_code != 400 or not response.json()["error"].startswith("stte: "):
            passed_over.append(f"{address}: {response.status_code}")
    assert passed_over == []


def test_a_filter_that_is_sent_twice_is_refused(plugin: Plugin, alice: User) -> None:
    response = keyed(alice).get("/api/plugins/cover/documents?status=ready&status=failed")
    assert code_of(response, 400) == "invalid"
    assert response.json()["error"] == "status: This was sent more than once."
