"""The clinic of Alice, whose domain is example.org, with a token for its directory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from organisations.domains import mark_verified
from organisations.models import DirectoryToken, Organisation, OrganisationDomain

Ask = Callable[..., Any]


@pytest.fixture
def clinic(alice: User) -> Organisation:
    made = Organisation.objects.create_with_owner(name="Clinic", owner=alice)
    mark_verified(OrganisationDomain.objects.create(organisation=made, name="example.org"))
    return made


@pytest.fixture
def token(clinic: Organisation, alice: User) -> str:
    return DirectoryToken.objects.issue(clinic, by=alice)


def asking(token: str) -> Ask:
    client = Client(headers={"Authorization": f"Bearer {token}"})

    def ask(method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON of the answer, with its status under `http`."""
        sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/scim+json"}
        answered = client.generic(method, f"/scim/v2{path}", **sent, headers=headers)
        said = json.loads(answered.content) if answered.content else {}
        return {**said, "http": answered.status_code, "etag": answered.headers.get("ETag", "")}

    return ask


@pytest.fixture
def ask(token: str) -> Ask:
    return asking(token)


def person(email: str = "gina@example.org", **said: Any) -> dict[str, Any]:
    return {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": email, **said}


def group(name: str = "Ward editors", members: list[str] | None = None) -> dict[str, Any]:
    return {
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        "displayName": name,
        "members": [{"value": one} for one in members or []],
    }


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": list(operations)}
