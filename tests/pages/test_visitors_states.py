"""Visitors' pages that nobody comes to on purpose, and what they look like in other languages: axe finds nothing, and
nothing is wider than the screen."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Page

from accounts.models import User
from lexic.conf.languages import ENGLISH, LANGUAGES
from lexic.infrastructure_errors import ServiceUnavailable
from marketplace.publishing.publish import publish
from notifications.models import MailKind
from notifications.unsubscribe import make_token
from plugins.models import Plugin
from tests.browsers import WIDE_AND_NARROW, violations_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PATHS = [
    "/marketplace/boots@1.1.0",
    "/marketplace/boots/install",
    "/marketplace/boots/report",
    "/chat/boots",
    "/docs/search",
    "/docs/search?q=key",
    "/docs/search?q=zzzzqqq",
    "/answers/1",
    "/answers/1/2",
    "/expert-replies/1",
    "/mail/unsubscribe/1",
    "/invitations/1",
    "/organisations/sign-in",
    "/accounts/inactive/",
    "/accounts/confirm-email/1/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/1-abc-def/",
]
FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("400.html", {}),
    ("403.html", {}),
    ("403_csrf.html", {}),
    ("404.html", {}),
    ("429.html", {"seconds": 40}),
    ("500.html", {"number": "1a2b3c4d", "status": 500}),
    ("500.html", {"number": "1a2b3c4d", "status": 503, "outage": ServiceUnavailable()}),
]


@pytest.fixture
def again(published: Plugin, alice: User) -> Plugin:
    """Published twice, open to be installed, with a chat that is closed."""
    Plugin.objects.update(is_shared=True, public_chat=False, system_prompt="You are a shoemaker.")
    published.refresh_from_db()
    publish(published, by=alice, version="1.1.0", notes="Of shoes, too.")
    return published


def test_axe_finds_nothing_on_pages_that_nobody_comes_to_on_purpose(
    page: Page, again: Plugin, complaints: list[str]
) -> None:
    found = []
    for path in PATHS:
        page.goto(path)
        found += violations_in_each_look(page, WIDE_AND_NARROW)
    complaints[:] = [said for said in complaints if "status of 404" not in said]
    assert found == []


def test_axe_finds_nothing_where_mails_are_ended(page: Page, alice: User) -> None:
    page.goto(f"/mail/unsubscribe/{make_token(alice, MailKind.WEEKLY_DIGEST)}")
    found = violations_in_each_look(page, WIDE_AND_NARROW)
    page.get_by_role("button", name="Unsubscribe").click()
    page.get_by_role("heading", name="You get no more mails of this kind").wait_for()
    assert found + violations_in_each_look(page, WIDE_AND_NARROW) == []


@pytest.mark.parametrize(("name", "shown"), FAULTS)
def test_axe_finds_nothing_on_an_error_page(page: Page, live_server: Any, name: str, shown: dict[str, Any]) -> None:
    page.route("**/faulty", lambda route: route.fulfill(body=render_to_string(name, shown), content_type="text/html"))
    page.goto("/faulty")
    page.locator("#fault").wait_for()
    assert violations_in_each_look(page, WIDE_AND_NARROW) == []


@pytest.mark.parametrize("language", [code for code, _ in LANGUAGES if code != ENGLISH])
def test_in_each_language_axe_finds_nothing_and_nothing_is_too_wide(page: Page, again: Plugin, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": language})
    Plugin.objects.update(public_chat=True)
    found = []
    for path in ("/", "/marketplace", "/marketplace/boots", "/chat/boots", "/accounts/signup/", "/docs/search?q=key"):
        page.goto(path)
        found += violations_in_each_look(page, WIDE_AND_NARROW)
    page.set_extra_http_headers({})
    assert found == []
