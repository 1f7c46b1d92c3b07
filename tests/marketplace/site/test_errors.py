"""Pages about what went wrong."""

from __future__ import annotations

import logging

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse

from lexic.http.error_handlers import TooManyRequests, handler429

pytestmark = pytest.mark.django_db


def asked(path: str) -> HttpRequest:
    request = RequestFactory().get(path)
    request.user = AnonymousUser()
    return request


def test_a_wrong_plugin_is_looked_for_in_the_marketplace(client: Client) -> None:
    response = client.get("/marketplace/concrete-is465")
    assert response.status_code == 404
    assert 'href="/marketplace?q=concrete-is465"' in response.content.decode()


def test_what_an_address_holds_is_never_markup(client: Client) -> None:
    content = client.get('/marketplace/"><script>alert(1)</script>').content.decode()
    assert "<script>alert" not in content


def test_whoever_asks_too_much_is_told_how_long_to_wait() -> None:
    response = handler429(asked("/marketplace/boots/try"), TooManyRequests(), wait=37.2)
    content = response.content.decode()
    assert (response.status_code, response.headers["Retry-After"]) == (429, "38")
    assert "38 seconds" in content
    assert "rate_limited" in content


def test_where_nobody_knows_how_long_no_time_is_named() -> None:
    response = handler429(asked("/accounts/login/"))
    assert response.status_code == 429
    assert "Retry-After" not in response.headers
    assert "Wait a few minutes" in response.content.decode()


def test_programs_get_it_as_json() -> None:
    response = handler429(asked("/api/v1/query"), wait=5)
    assert b'"code": "rate_limited"' in response.content
    assert response.headers["Retry-After"] == "5"


def test_a_page_that_breaks_has_the_number_that_stands_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("marketplace.site.home_view.featured_plugin", None)
    with caplog.at_level(logging.ERROR, logger="lexic.http.error_handlers"):
        response = Client(raise_request_exception=False).get("/")
    assert response.status_code == 500
    (line,) = (record.getMessage() for record in caplog.records if record.name == "lexic.http.error_handlers")
    number = line.split()[2]
    assert f"error {number}" in response.content.decode()
    assert "TypeError" not in response.content.decode()


@pytest.mark.parametrize(
    ("usual", "meant"),
    [
        ("plugins", "marketplace"),
        ("sign-in", "account_login"),
        ("sign-up", "account_signup"),
        ("analytics", "admin:builder_overall"),
    ],
)
def test_sp_10_usual_addresses_lead_to_what_they_mean(client: Client, usual: str, meant: str) -> None:
    response = client.get(f"/{usual}?next=/api-keys")
    assert (response.status_code, response.headers["Location"]) == (302, f"{reverse(meant)}?next=/api-keys")
