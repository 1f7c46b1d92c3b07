"""What clients are told before they connect."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from mcp.types.version import SUPPORTED_PROTOCOL_VERSIONS

from api.mcp.server_card import REVISIONS


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://lexic.example.org", "org.example.lexic/lexic"),
        ("http://127.0.0.1:8000", "127.0.0.1/lexic"),
        ("http://[::1]:8000", "-1/lexic"),
        ("http://localhost:8000", "localhost/lexic"),
    ],
)
def test_it_says_where_the_server_is_and_what_it_needs(client: Client, settings: Any, url: str, name: str) -> None:
    settings.PUBLIC_URL = url
    response = client.get("/mcp/server-card")
    card = response.json()
    [remote] = card["remotes"]
    assert (card["name"], remote["type"], remote["url"]) == (name, "streamable-http", f"{url}/mcp")
    assert (remote["headers"][0]["name"], remote["headers"][0]["isSecret"]) == ("Authorization", True)
    assert 1 <= len(card["description"]) <= 100
    assert response["Content-Type"] == "application/mcp-server-card+json"
    assert (response["Access-Control-Allow-Origin"], "max-age=3600" in response["Cache-Control"]) == ("*", True)


def test_it_names_the_revisions_that_the_server_speaks() -> None:
    assert set(REVISIONS) == set(SUPPORTED_PROTOCOL_VERSIONS)
