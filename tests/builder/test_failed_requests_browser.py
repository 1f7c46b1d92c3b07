"""What an author reads when a request of htmx fails, which of itself shows nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from plugins.models import Plugin
from tests.browsers import WIDE_AND_NARROW, sign_in, violations_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def documents(page: Page, alice: User, plugin: Plugin, complaints: list[str]) -> Iterator[Page]:
    """The pane of documents, whose list htmx fetches when somebody searches."""
    sign_in(page, alice, to=reverse_pane(plugin, "knowledge"))
    page.locator("#documents").wait_for()
    yield page
    complaints.clear()  # of the browser and of htmx, about what the tests make fail


def search(page: Page, words: str = "cover") -> None:
    page.locator("#q").fill(words)


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (503, {"Retry-After": "2"}, "The site is not available just now. Try again in 2 seconds."),
        (500, {"X-Request-Id": "1a2b3c4d-0000-4000-8000-000000000000"}, "and the number 1a2b3c4d."),
        (429, {"Retry-After": "1"}, "Too many requests. Try again in 1 second."),
        (404, {}, "This is not here any more."),
    ],
)
def test_an_error_is_told(documents: Page, status: int, headers: dict[str, str], said: str) -> None:
    documents.route("**/knowledge/list/**", lambda route: route.fulfill(status=status, headers=headers, body="no"))
    search(documents)
    expect(documents.get_by_role("alert")).to_contain_text(said)
    expect(documents.locator("#documents")).to_be_visible()


def test_a_server_that_does_not_answer_is_told_of_until_it_does(documents: Page) -> None:
    documents.route("**/knowledge/list/**", lambda route: route.abort())
    search(documents)
    alert = documents.get_by_role("alert")
    expect(alert).to_contain_text("The server cannot be reached.")
    assert violations_in_each_look(documents, WIDE_AND_NARROW) == []
    documents.unroute("**/knowledge/list/**")
    search(documents, "beam")
    expect(alert).to_have_count(0)


def test_it_can_be_closed(documents: Page) -> None:
    documents.route("**/knowledge/list/**", lambda route: route.abort())
    search(documents)
    documents.get_by_role("alert").get_by_role("button", name="Close").click()
    expect(documents.get_by_role("alert")).to_have_count(0)


def test_who_is_signed_out_is_told_so_and_keeps_the_page(documents: Page) -> None:
    documents.context.clear_cookies(name="sessionid")
    search(documents)
    alert = documents.get_by_role("alert")
    expect(alert).to_contain_text("You are signed out. Sign in, then do this again.")
    expect(alert.get_by_role("link", name="Sign in in a new tab")).to_be_visible()
    expect(documents.locator("#documents")).to_be_visible()
    expect(documents.get_by_label("Password")).to_have_count(0)


def test_it_is_said_once_to_who_is_signed_out(documents: Page) -> None:
    """A part of the page that asks every second would else take the link away from under the pointer."""
    documents.context.clear_cookies(name="sessionid")
    for words in ("cover", "beam"):
        with documents.expect_response("**/accounts/login**"):
            search(documents, words)
        alert = documents.get_by_role("alert")
        expect(alert).to_contain_text("You are signed out.")
        alert.evaluate("one => { one.dataset.seen = Number(one.dataset.seen ?? 0) + 1 }")
    expect(alert).to_have_attribute("data-seen", "2")


def test_what_was_sent_and_failed_is_told_until_something_is_sent_or_it_is_closed(documents: Page) -> None:
    """What the page fetches meanwhile says nothing of it."""
    documents.route("**/notes/", lambda route: route.fulfill(status=503, body="no"))
    documents.evaluate("() => void htmx.ajax('post', '/notes/', {swap: 'none'})")
    alert = documents.get_by_role("alert")
    expect(alert).to_contain_text("What you typed is still on this page.")
    with documents.expect_response("**/knowledge/list/**"):
        search(documents)
    documents.wait_for_timeout(200)
    expect(alert).to_contain_text("What you typed is still on this page.")
    documents.route("**/notes/", lambda route: route.fulfill(status=200, body=""))
    documents.evaluate("() => void htmx.ajax('post', '/notes/', {swap: 'none'})")
    expect(alert).to_have_count(0)
