"""The page that lets a program in, in a real browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page

from accounts.client_models import AuthorizedClient
from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.oauth.flow import registered, request_of
from tests.browsers import PASSWORD, serious_in_each_look, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def callback(live_server: Any) -> str:
    """Where the program on the person's machine waits: something answers there, under another name than the site's."""
    return f"{live_server.url.replace('localhost', '127.0.0.1')}/healthz"


def asked(callback: str) -> str:
    client_id = registered(client_name="Planning assistant", redirect_uris=[callback])
    return f"/oauth/authorize?{urlencode(request_of(client_id, redirect_uri=callback))}"


def test_a_program_is_let_in(page: Page, published: Plugin, bob: User, callback: str, complaints: list[str]) -> None:
    sign_in(page, bob, to=asked(callback))
    assert page.get_by_role("heading", name="Allow Planning assistant to act for you?").is_visible()
    assert page.get_by_text("a program on this machine").is_visible()
    assert serious_in_each_look(page) == []
    assert page.locator("main script").count() == 0
    page.get_by_label("only those that are ticked here").check()
    page.get_by_label(published.name).check()
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{callback}?**")
    told = parse_qs(urlsplit(page.url).query)
    assert told["state"] == ["the-state"]
    assert len(told["code"]) == 1
    assert ApiKey.objects.get(owner=bob).allowed_plugins() == [published.pk]
    # The program's own address is the only one that is not ours.
    assert all(callback.removesuffix("/healthz") in complaint for complaint in complaints)
    complaints.clear()


def test_a_program_is_refused(page: Page, bob: User, callback: str, complaints: list[str]) -> None:
    sign_in(page, bob, to=asked(callback))
    page.get_by_role("button", name="Deny").click()
    page.wait_for_url(f"{callback}?**")
    assert parse_qs(urlsplit(page.url).query)["error"] == ["access_denied"]
    assert not AuthorizedClient.objects.exists()
    complaints.clear()


def test_whoever_signs_in_by_hand_comes_back_to_the_question(page: Page, bob: User, callback: str) -> None:
    page.goto(asked(callback))
    page.get_by_label("Email").fill(bob.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    page.get_by_role("heading", name="Allow Planning assistant to act for you?").wait_for()
