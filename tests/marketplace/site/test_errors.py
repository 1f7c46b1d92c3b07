"""Pages about what went wrong."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from allauth.account import app_settings
from allauth.core.internal.ratelimit import parse_rates
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
    response = handler429(asked("/marketplace/boots/try"), TooManyRequests())
    assert response.status_code == 429
    assert "Retry-After" not in response.headers
    assert "Wait a few minutes" in response.content.decode()


def test_limits_of_accounts_are_for_a_minute(settings: Any) -> None:
    """A key of one's own helps nobody to sign up more often."""
    settings.ACCOUNT_RATE_LIMITS = {}  # those of allauth
    response = handler429(asked("/accounts/signup/"))
    assert response.headers["Retry-After"] == "60"
    assert "Get a key with a limit of your own" not in response.content.decode()
    assert "Get a key with a limit of your own" in handler429(asked("/marketplace"), TooManyRequests()).content.decode()
    limits = [app_settings.RATE_LIMITS[name] for name in ("signup", "login", "reset_password", "change_password")]
    assert {rate.duration for limit in limits for rate in parse_rates(limit)} == {60}


def test_too_many_failures_to_sign_in_say_when_to_try_again(client: Client, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {}
    for _ in range(6):
        page = client.post("/accounts/login/", {"login": "ada@example.org", "password": "wrong"}).content.decode()
    assert "Try again in five minutes, or choose a new password." in page


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
