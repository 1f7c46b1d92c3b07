"""What an address says after its question mark is used, or refused: never passed over."""

from __future__ import annotations

import pytest

from accounts.models import User
from knowledge.models import Document
from plugins.models import Plugin
from tests.api.people import code_of, keyed
from trees.models import DecisionTree
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
LISTS = [
    "/api/plugins",
    "/api/api-keys",
    "/api/plugins/cover/releases",
    "/api/plugins/cover/golden-questions",
    "/api/plugins/cover/golden-runs",
    "/api/plugins/cover/queries",
    "/api/plugins/cover/trees",
    "/api/plugins/cover/trees/{tree}/cases",
    "/api/plugins/cover/documents",
    "/api/plugins/cover/documents/{document}/pages",
    "/api/plugins/cover/documents/{document}/chunks",
    "/api/plugins/cover/webhooks",
    "/api/plugins/cover/webhooks/{webhook}/deliveries",
]


@pytest.mark.parametrize("address", LISTS)
def test_a_list_refuses_a_filter_that_it_does_not_have(
    plugin: Plugin, handbook: Document, alice: User, address: str
) -> None:
    webhook = Webhook(plugin=plugin, url="https://example.org/", events=["document.ready"])
    webhook.set_new_secret()
    webhook.save()
    tree = DecisionTree.objects.filter(plugin=plugin).first()
    assert tree is not None
    where = address.format(tree=tree.pk, document=handbook.pk, webhook=webhook.pk)
    client = keyed(alice)
    assert client.get(where).status_code == 200
    response = client.get(f"{where}?stte=works")
    assert code_of(response, 400) == "invalid"
    assert response.json()["error"].startswith("stte: ")


def test_a_filter_that_is_sent_twice_is_refused(plugin: Plugin, alice: User) -> None:
    response = keyed(alice).get("/api/plugins/cover/documents?status=ready&status=failed")
    assert code_of(response, 400) == "invalid"
    assert response.json()["error"] == "status: This was sent more than once."
