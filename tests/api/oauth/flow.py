"""A client that signs in for a person: what it sends, and what the person presses."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User

REDIRECT = "https://assistant.example.com/callback"
VERIFIER = "v" * 64
METADATA = {"client_name": "Assistant", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def register(**metadata: Any) -> Any:
    return Client().post("/oauth/register", {**METADATA, **metadata}, content_type="application/json")


def registered(**metadata: Any) -> str:
    response = register(**metadata)
    assert response.status_code == 201, response.content
    return str(response.json()["client_id"])


def mcp_resource() -> str:
    return f"{settings.PUBLIC_URL}/mcp"


def request_of(client_id: str, /, **instead: Any) -> dict[str, Any]:
    """What the client sends the person's browser with. None leaves a field out."""
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": REDIRECT,
        "scope": "query read",
        "state": "the-state",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        "resource": mcp_resource(),
        **instead,
    }
    return {name: value for name, value in asked.items() if value is not None}


def browser_of(user: User | None, *, checks_csrf: bool = False) -> Client:
    browser = Client(enforce_csrf_checks=checks_csrf)
    if user:
        browser.force_login(user)
    return browser


def open_consent(browser: Client, client_id: str, /, **instead: Any) -> Any:
    return browser.get("/oauth/authorize", request_of(client_id, **instead))


def hidden_fields(page: Any) -> dict[str, str]:
    text = page.content.decode()
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text)
    return {name: value.replace("&amp;", "&") for name, value in found if name != "csrfmiddlewaretoken"}


def consent(
    user: User,
    client_id: str,
    *,
    answer: dict[str, Any] | None = None,
    browser: Client | None = None,
    **instead: Any,
) -> Any:
    """The answer to the form that the person sends: unless said, they agree to all that is asked."""
    browser = browser or browser_of(user)
    page = open_consent(browser, client_id, **instead)
    assert page.status_code == 200, (page.status_code, page.headers, page.content[:500])
    asked = str(instead.get("scope") or "query read").split()
    given = {"allow": "on", "may": asked, "which": "all", **(answer or {})}
    return browser.post("/oauth/authorize", {**hidden_fields(page), **given})


def sent_back(response: Any) -> dict[str, str]:
    """What the client is told in the address that the person is sent to."""
    assert response.status_code == 302, response.content.decode()
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def code_for(user: User, client_id: str, **more: Any) -> str:
    return sent_back(consent(user, client_id, **more))["code"]


def ask_for_tokens(client_id: str, code: str, /, **instead: Any) -> Any:
    sent = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
        "resource": mcp_resource(),
        **instead,
    }
    return Client().post("/oauth/token", {name: value for name, value in sent.items() if value is not None})


def refresh(client_id: str, token: str, **more: Any) -> Any:
    sent = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": token, **more}
    return Client().post("/oauth/token", sent)


def tokens_for(user: User, client_id: str, **more: Any) -> dict[str, Any]:
    resource = more.get("resource", mcp_resource())
    response = ask_for_tokens(client_id, code_for(user, client_id, **more), resource=resource)
    assert response.status_code == 200, response.content
    return dict(response.json())


def rest_tokens_for(user: User, client_id: str, **more: Any) -> dict[str, Any]:
    return tokens_for(user, client_id, resource=settings.PUBLIC_URL, **more)


def by_token(token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def models_seen(token: str) -> Any:
    return by_token(token).get("/v1/models")
