"""How people and their keys come in at the doors of authors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from plugins.models import Plugin


def signed_in(person: User) -> APIClient:
    client = APIClient()
    client.force_login(person)
    return client


def keyed(owner: User, *capabilities: str, plugins: Iterable[Plugin] = ()) -> APIClient:
    """By a key with these capabilities, limited to these plugins where some are named."""
    _, secret = ApiKey.objects.issue(
        owner=owner, name="agent", capabilities=list(capabilities or ["author"]), plugins=plugins
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def code_of(response: Any, status: int) -> str:
    """The code of a refusal that has this status and the shape of all of them."""
    assert response.status_code == status, (response.status_code, response.content[:300])
    said = response.json()
    assert {"error", "code", "hint"} <= set(said)
    return said["code"]
