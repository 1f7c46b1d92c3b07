"""A client whose id is the address of a document about itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from oauth2_provider.models import Application

from accounts.models import ApiKey, User
from api.oauth import client_documents
from lexic.egress import FetchedDocument, FetchFailed
from tests.api.oauth.flow import REDIRECT, ask_for_tokens, browser_of, open_consent, tokens_for

pytestmark = pytest.mark.django_db

ADDRESS = "https://assistant.example.com/oauth/client.json"
DOCUMENT = {"client_id": ADDRESS, "client_name": "Assistant", "redirect_uris": [REDIRECT]}
Publish = Callable[[Any], list[str]]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Lays something at each address; gives the list of those that were asked for. An error is raised instead."""

    def publish(document: Any) -> list[str]:
        asked: list[str] = []

        def fetch(url: str, **options: Any) -> FetchedDocument:
            asked.append(url)
            assert options["policy"].max_redirects == 0
            if isinstance(document, Exception):
                raise document
            body = document if isinstance(document, bytes) else json.dumps(document).encode()
            return FetchedDocument(url=url, content_type="application/json", body=body)

        monkeypatch.setattr(client_documents.egress, "fetch", fetch)
        return asked

    return publish


def test_the_client_is_known_by_its_document(bob: User, publish: Publish) -> None:
    asked = publish(DOCUMENT)
    page = open_consent(browser_of(bob), ADDRESS).content.decode()
    assert "It belongs to" in page
    assert tokens_for(bob, ADDRESS)["access_token"]
    assert ApiKey.objects.get(owner=bob).name == "Assistant"
    assert asked == [ADDRESS]  # it is kept for a while


def test_nobody_else_has_a_document_fetched(publish: Publish) -> None:
    asked = publish(DOCUMENT)
    assert ask_for_tokens(ADDRESS, "x").status_code in (400, 401)
    assert open_consent(browser_of(None), ADDRESS)["Location"].startswith("/accounts/login/")
    assert asked == []


@pytest.mark.parametrize(
    "document",
    [
        {**DOCUMENT, "client_id": "https://assistant.example.com/other.json"},
        {**DOCUMENT, "redirect_uris": []},
        {**DOCUMENT, "redirect_uris": ["http://assistant.example.com/callback"]},
        {**DOCUMENT, "redirect_uris": ["javascript:alert(1)"]},
        {**DOCUMENT, "client_name": "x" * 101},
        {**DOCUMENT, "client_secret": "x"},
        {**DOCUMENT, "token_endpoint_auth_method": "client_secret_basic"},
        {**DOCUMENT, "grant_types": ["password"]},
        [],
        None,
        b"{",
        b"\xff",
        FetchFailed("It did not answer."),
    ],
)
def test_a_document_that_is_wrong_is_no_client(bob: User, publish: Publish, document: Any) -> None:
    publish(document)
    page = open_consent(browser_of(bob), ADDRESS)
    assert page.status_code == 400
    assert "Location" not in page
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
        "https://10.0.0.1/client.json",
        "https://assistant.example.com",
        "https://assistant.example.com/../client.json",
        "https://user@assistant.example.com/client.json",
        "https://assistant.example.com/client.json#x",
        "https://assistant.example.com:99999/client.json",
    ],
)
def test_an_address_that_may_not_be_asked_is_no_client(bob: User, address: str) -> None:
    assert open_consent(browser_of(bob), address).status_code == 400
    assert not Application.objects.exists()


def test_so_many_are_fetched_in_a_minute(bob: User, publish: Publish) -> None:
    asked = publish(FetchFailed("It did not answer."))
    for number in range(35):
        open_consent(browser_of(bob), f"https://assistant.example.com/{number}.json")
    assert len(asked) == 30
