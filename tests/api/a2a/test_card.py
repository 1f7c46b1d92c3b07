"""The agent card of a plugin: what it says, and who may read it."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from evaluation.models import GoldenQuestion
from plugins.models import Plugin, PluginKind

pytestmark = pytest.mark.django_db

CARD = "/a2a/cover/.well-known/agent-card.json"


def read(secret: str = "") -> Any:
    return APIClient(headers={"Authorization": f"Bearer {secret}"} if secret else {}).get(CARD)


def test_it_says_where_and_how_the_agent_is_asked(published: Plugin, settings: Any) -> None:
    settings.PUBLIC_URL = "https://lexic.example.org"
    GoldenQuestion.objects.create(plugin=published, question="What cover?", is_public=True)
    GoldenQuestion.objects.create(plugin=published, question="What secret?")
    response = read()
    card = response.json()
    url = "https://lexic.example.org/a2a/cover"
    assert [(one["url"], one["protocolVersion"]) for one in card["supportedInterfaces"]] == [(url, "1.0"), (url, "0.3")]
    assert (card["name"], card["version"], card["url"]) == (published.name, "1.0.0", url)
    assert card["capabilities"] == {"streaming": True, "pushNotifications": False, "extendedAgentCard": False}
    [skill] = card["skills"]
    assert (skill["id"], skill["examples"]) == ("cover", ["What cover?"])
    assert skill["tags"][0] == published.domain
    assert card["securitySchemes"]["key"]["httpAuthSecurityScheme"]["scheme"] == "Bearer"
    assert response["Cache-Control"] == "public, max-age=300"


def test_a_draft_has_none_and_a_private_plugin_has_one_for_its_keys(
    published: Plugin, key: str, charlies_key: str
) -> None:
    Plugin.objects.update(kind=PluginKind.LIBRARY, is_shared=False)
    assert [read(secret).status_code for secret in ("", charlies_key)] == [404, 404]
    mine = read(key)
    assert (mine.status_code, mine["Cache-Control"]) == (200, "private, max-age=300")
    Plugin.objects.update(is_published=False)
    assert [read(secret).status_code for secret in ("", key, charlies_key)] == [404, 404, 404]
    assert read(key).json()["code"] == "unknown_plugin"
