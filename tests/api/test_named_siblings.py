"""A refusal names the sibling that the nearest page is about, to those who may read that page."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from accounts.models import ApiKey, Capability, User
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.cover import give_document

ASKED = "How wide is the canal bridge?"
NAMED = "Bridges gives this for “river bridge”; you asked about “canal bridge”."
RULES = "# Bridges\n\n## River\n\nThe river bridge is 12 m wide.\n\n## Tolls\n\nLorries pay 8 euros at the gate.\n"


@pytest.fixture
def bridges(alice: User) -> Plugin:
    """Alice's, sure of nothing: it refuses what it does not know exactly."""
    plugin = Plugin.objects.create(
        owner=alice,
        name="Bridges",
        slug="bridges",
        tagline="Their widths.",
        domain="roads",
        system_prompt="Help.",
        evidence_threshold=0.95,
    )
    give_document(plugin, title="Bridges", text=RULES)
    publish(plugin, by=alice)
    return plugin


def refusal(client: Client, owner: User, *, query: str = ASKED) -> dict:
    reading = [Capability.QUERY.value, Capability.READ.value]
    key = ApiKey.objects.issue(owner=owner, name="agent", capabilities=reading)[1]
    response = client.post(
        "/api/v1/query",
        {"plugin": "bridges", "query": query},
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    said = response.json()
    assert said["outcome"] == "refused", said
    return said


def test_the_author_is_told_what_the_page_gives_and_what_was_asked(client: Client, bridges: Plugin, alice: User):
    said = refusal(client, alice)
    assert said["about"] == {"asked": "canal bridge", "found": "river bridge", "place": "Bridges"}
    assert said["why"][0] == NAMED


def test_whoever_may_not_read_the_page_gets_the_general_reason(client: Client, bridges: Plugin, charlie: User):
    said = refusal(client, charlie)
    assert said["about"] is None
    assert said["why"][0] == "No passage mentions “canal”."
    assert "river bridge" not in json.dumps(said)


def test_a_refusal_for_another_reason_names_nothing(client: Client, bridges: Plugin, alice: User):
    assert refusal(client, alice, query="Who paints the canal bridge?")["about"] is None
