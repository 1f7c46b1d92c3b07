"""Those who come in at the doors of authors: by key, or signed in on the pages."""

from __future__ import annotations

from typing import Any

from django.middleware.csrf import get_token
from django.test import RequestFactory
from rest_framework.test import APIClient

from accounts.models import ApiKey, User


def by_key(owner: User, *capabilities: str, plugins: Any = ()) -> APIClient:
    """With a new key that can do this; with `plugins`, only to these."""
    chosen = list(capabilities) or ["query", "read", "author"]
    plenty = {"per_minute": 100_000, "per_day": 100_000}
    _, secret = ApiKey.objects.issue(owner=owner, name="agent", capabilities=chosen, plugins=plugins, **plenty)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def signed_in(user: User, *, with_token: bool = True) -> APIClient:
    """In a browser, which sends the token against forged requests along, or does not."""
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(user)
    if with_token:
        token = get_token(RequestFactory().get("/"))
        client.cookies["csrftoken"] = token
        client.credentials(HTTP_X_CSRFTOKEN=token)
    return client


def assert_error(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    body: dict[str, Any] = response.json()
    assert body["code"] == code, body
    assert body["error"]
    return body
