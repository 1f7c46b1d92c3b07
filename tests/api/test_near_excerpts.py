"""The closest sentences of a refusal go to the keys that may open the pages they stand on."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from accounts.models import ApiKey, Capability, User
from plugins.models import Plugin

pytestmark = pytest.mark.django_db(transaction=True)

OFF_TOPIC = "What does a spacer of mortar cost in Norway?"
TITLE_AND_TEXT = "Spacers made of mortar hold the bars"


def issue(owner: User, *capabilities: Capability) -> str:
    return ApiKey.objects.issue(owner=owner, name="agent", capabilities=[one.value for one in capabilities])[1]


def refusal(client: Client, key: str, **fields) -> dict:
    body = {"plugin": "cover", "query": OFF_TOPIC, **fields}
    response = client.post(
        "/api/v1/query", body, content_type="application/json", headers={"Authorization": f"Bearer {key}"}
    )
    assert response.status_code == 200, response.content
    return response.json()


def test_the_author_is_given_the_closest_sentence_with_its_place(client, published: Plugin, alice: User):
    shown = refusal(client, issue(alice, Capability.QUERY, Capability.READ))
    assert shown["outcome"] == "refused"
    assert shown["nearest"][0]["excerpt"].startswith(TITLE_AND_TEXT)
    assert "\n" not in shown["nearest"][0]["excerpt"]


def test_a_key_that_may_only_ask_is_given_places(client, published: Plugin, alice: User):
    shown = refusal(client, issue(alice, Capability.QUERY))
    assert shown["nearest"]
    assert not any("excerpt" in place for place in shown["nearest"])


def test_charlie_who_may_ask_and_not_read_is_given_places(client, published: Plugin, charlie: User):
    shown = refusal(client, issue(charlie, Capability.QUERY, Capability.READ, Capability.AUTHOR))
    assert shown["nearest"]
    assert not any("excerpt" in place for place in shown["nearest"])
    assert TITLE_AND_TEXT not in json.dumps(shown)


def test_charlie_is_given_the_sentence_where_the_plugin_is_shared(client, published: Plugin, charlie: User):
    Plugin.objects.update(is_shared=True)
    shown = refusal(client, issue(charlie, Capability.QUERY, Capability.READ))
    assert any(place.get("excerpt", "").startswith(TITLE_AND_TEXT) for place in shown["nearest"])


@pytest.mark.parametrize("may_read", [True, False])
def test_a_stream_ends_with_what_its_key_may_read(
    client, published: Plugin, alice: User, charlie: User, may_read: bool
):
    key = issue(alice if may_read else charlie, Capability.QUERY, Capability.READ)
    response = client.post(
        "/api/v1/query",
        {"plugin": "cover", "query": OFF_TOPIC, "stream": True},
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )

    async def read_all() -> str:
        return b"".join([part async for part in response.streaming_content]).decode()

    told = async_to_sync(read_all)()
    assert "refused" in told
    assert (TITLE_AND_TEXT in told) == may_read
