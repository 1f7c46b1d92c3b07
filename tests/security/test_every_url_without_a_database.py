"""Every address, read off the URLconf, without a database: 503 with `Retry-After`, or an answer that needs none.

An address that is added later is tested without anybody thinking of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from accounts.key_secrets import generate_secret
from tests.lost_database import database_away
from tests.security.routes import routes

VALUES = {"int": "1", "uuid": str(UUID(int=1)), "slug": "cover", "str": "cover", "path": "cover"}


def addresses() -> list[str]:
    found = []
    for route, _ in routes(""):
        # Of allauth and the admin some are regular expressions.
        plain = re.sub(r"\(\?P<\w+>[^()]*(?:\([^()]*\)[^()]*)*\)", "cover", route)
        plain = re.sub(r"<(?:(\w+):)?\w+>", lambda match: VALUES.get(match[1] or "str", "1"), plain)
        found.append("/" + plain.replace("^", "").replace("$", "").replace("\\Z", "").replace("\\", ""))
    return sorted(set(found))


@pytest.fixture
def without_database(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    with django_db_blocker.unblock(), database_away():
        yield


@pytest.fixture
def client() -> Client:
    """Somebody with a session and a key, as far as anybody can tell without looking."""
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {generate_secret()}"})
    client.cookies["sessionid"] = "a" * 32
    return client


def _told(body: dict[str, Any]) -> dict[str, Any]:
    """Our code and hint, in whatever form the clients of an address read them."""
    error = body["error"]
    if "jsonrpc" in body:
        return error["data"][0]["metadata"]
    return error if isinstance(error, dict) else body


@pytest.mark.usefixtures("without_database")
@pytest.mark.parametrize("method", ["get", "post"])
def test_every_address_says_that_it_is_unavailable(client: Client, method: str) -> None:
    unavailable, wrong = [], []
    for address in addresses():
        response = getattr(client, method)(address)
        if response.status_code == 503 and address != "/readyz":
            unavailable.append(address)
            if not response.headers.get("Retry-After"):
                wrong.append((address, "no Retry-After"))
            if "json" in response.headers["Content-Type"]:
                body = json.loads(response.content)
                told = _told(body)
                if told["code"] != "unavailable" or "hint" not in told:
                    wrong.append((address, response.content[:200]))
            elif b"cannot be reached" not in response.content:
                wrong.append((address, response.content[:200]))
        elif response.status_code >= 500 and address != "/readyz":
            wrong.append((address, response.status_code))
    assert wrong == []
    # Most look something up; the others lead to the sign-in, take no such method, or say who may come in.
    assert len(unavailable) > len(addresses()) // 2
    assert {"/admin/", "/accounts/profile", "/v1/models"} <= set(unavailable) or method == "post"


@pytest.mark.usefixtures("without_database")
@pytest.mark.parametrize("address", ["/admin/", "/accounts/profile", "/marketplace", "/keys"])
def test_so_it_is_on_the_event_loop(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As our server runs it, where a middleware that reads the session is an error of its own."""
    monkeypatch.setattr("django.utils.asyncio.os.environ", {})
    client = AsyncClient(raise_request_exception=False)
    client.cookies["sessionid"] = "a" * 32
    response = async_to_sync(client.get)(address)
    assert (response.status_code, bool(response.headers.get("Retry-After"))) == (503, True)


def test_the_walk_finds_the_addresses() -> None:
    found = addresses()
    assert {"/healthz", "/admin/", "/accounts/login/", "/v1/models", "/api/v1/query"} <= set(found)
    assert not [address for address in found if re.search(r"[<>()\\^$]", address)]
