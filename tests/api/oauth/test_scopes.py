"""A token that may not do what is asked is told which scope it takes, so that the client can ask its person for it."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.test import Client

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.mcp.test_http import ACCEPT, message
from tests.api.oauth.flow import registered, tokens_for

pytestmark = pytest.mark.django_db(transaction=True)


def challenge_of(headers: Any) -> dict[str, str]:
    value = headers["WWW-Authenticate"]
    assert value.startswith("Bearer ")
    return dict(re.findall(r'(\w+)="([^"]*)"', value))


def token_of(person: User, scope: str, resource: str) -> str:
    return str(tokens_for(person, registered(), scope=scope, resource=resource)["access_token"])


def test_the_rest_api_says_which_scope_is_missing(published: Plugin, bob: User) -> None:
    token = token_of(bob, "query", settings.PUBLIC_URL)
    refused = Client().get("/api/plugins", headers={"Authorization": f"Bearer {token}"})
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_capability")
    told = challenge_of(refused.headers)
    assert (told["error"], told["scope"]) == ("insufficient_scope", "query author")
    assert told["resource_metadata"].endswith("/.well-known/oauth-protected-resource")


def test_the_openai_door_does_too(published: Plugin, bob: User) -> None:
    token = token_of(bob, "read", settings.PUBLIC_URL)
    body = {"model": "cover", "input": "x"}
    headers = {"Authorization": f"Bearer {token}"}
    refused = Client().post("/v1/responses", body, content_type="application/json", headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "missing_capability")
    assert challenge_of(refused.headers)["scope"] == "read query"


@pytest.mark.parametrize("method", ["tools/call", "resources/read"])
def test_mcp_refuses_the_request_itself(published: Plugin, bob: User, alice: User, server: str, method: str) -> None:
    params = {"name": "search", "arguments": {"query": "cover"}, "uri": "lexic://pages/1"}
    sent = message(method, **params)
    token = token_of(bob, "query", f"{settings.PUBLIC_URL}/mcp")
    headers = {"Accept": ACCEPT, "MCP-Protocol-Version": "2025-06-18"}
    with httpx2.Client(trust_env=False, timeout=60, headers=headers) as client:
        refused = client.post(f"{server}/mcp", json=sent, headers={"Authorization": f"Bearer {token}"})
        key = ApiKey.objects.issue(owner=alice, name="asks", capabilities=["query"])[1]
        with_key = client.post(f"{server}/mcp", json=sent, headers={"Authorization": f"Bearer {key}"})
    assert refused.status_code == 403
    assert refused.json()["error"]["data"]["code"] == "missing_capability"
    told = challenge_of(refused.headers)
    assert (told["error"], told["scope"]) == ("insufficient_scope", "query read")
    assert told["resource_metadata"].endswith("/.well-known/oauth-protected-resource/mcp")
    # A key cannot ask anybody for more: the error is the tool's, which its model reads.
    assert with_key.status_code == 200
    assert "missing_capability" in with_key.text
