from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import re_path

from lexic.middleware.trailing_slash import address_without_trailing_slash

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("/docs/", "/docs"),
        ("/docs/quickstart/", "/docs/quickstart"),
        ("/docs//", "/docs"),
        ("/marketplace/", "/marketplace"),
        ("/marketplace/boots/", "/marketplace/boots"),
        ("/marketplace/boots@1.0.0/", "/marketplace/boots@1.0.0"),
        ("/chat/boots/", "/chat/boots"),
        ("/api/docs/", "/api/docs"),
        ("/llms.txt/", "/llms.txt"),
        ("/sign-in/", "/sign-in"),
        ("/accounts/profile/", "/accounts/profile"),
        ("/marketplace/?q=a%20b&q=%26", "/marketplace?q=a%20b&q=%26"),
    ],
)
def test_an_address_with_a_trailing_slash_leads_to_the_one_without(client: Client, asked: str, meant: str) -> None:
    for response in (client.get(asked), client.head(asked)):
        assert (response.status_code, response.headers["Location"]) == (301, meant)


@pytest.mark.parametrize(
    "asked", ["//evil.example/", "///evil.example//", "/\\evil.example/", "/evil.example/", "//docs/"]
)
def test_nothing_leads_to_a_page_that_is_not_there(client: Client, asked: str) -> None:
    response = client.get("/", PATH_INFO=asked)
    assert response.status_code == 404
    assert "Location" not in response.headers


class _AnyAddress:
    """As if each address without a trailing slash were one of a page."""

    urlpatterns = (re_path(r"(?s)^.*[^/]\Z", lambda request: HttpResponse()),)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("//evil.example/", "/%2Fevil.example"),
        ("///evil.example/", "/%2F/evil.example"),
        ("/\\evil.example/", "/%5Cevil.example"),
        ("/docs\r\nLocation: x/", "/docs%0D%0ALocation:%20x"),
    ],
)
def test_no_address_leads_to_another_site(rf: RequestFactory, asked: str, meant: str) -> None:
    request = rf.get("/", PATH_INFO=asked)
    request.urlconf = _AnyAddress  # type: ignore[assignment]
    assert address_without_trailing_slash(request) == meant


def test_addresses_that_end_in_a_slash_stay(client: Client) -> None:
    assert client.get("/accounts/login/").status_code == 200
    assert client.get("/accounts/login").headers["Location"] == "/accounts/login/"


def test_what_a_page_says_is_not_there_stays_so(client: Client) -> None:
    assert client.get("/marketplace/nothing-like-it").status_code == 404


def test_what_is_sent_to_the_api_is_not_lost_on_the_way(client: Client) -> None:
    response = client.post("/api/v1/query/", {"plugin": "boots"}, content_type="application/json")
    assert response.status_code == 404
    assert response.json()["hint"] == "Use /api/v1/query, without the trailing slash."
    elsewhere = client.post("/api/v1/nothing/", {}, content_type="application/json").json()
    assert elsewhere["hint"] == "Check the address; /api/schema lists them all."
