"""The marketplace in a real browser: filters with a script and without one, on any screen, read by axe."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browsers import serious_in_each_look, wait_until_quiet
from tests.marketplace.catalogue.made import listed, scorecard
from tests.pages.test_face import without_scripts

__all__ = ["without_scripts"]  # fixtures of theirs that are used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def shelf(alice: User) -> None:
    listed(alice, "Concrete cover", slug="cover", domain="structures", tags=["is 456"], card=scorecard(10, 10))
    listed(alice, "Steel joints", slug="steel", domain="structures", card=scorecard(6, 10, date="2026-01-02"))
    listed(alice, "NDA review", slug="nda", domain="contract-law", public_chat=True)


def cards(page: Page) -> list[str]:
    return page.locator(".entry h3").all_inner_texts()


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_filter_acts_at_once_and_keeps_the_focus(page: Page, shelf: None) -> None:
    page.goto("/marketplace")
    expect(page.locator(".apply")).to_be_hidden()
    page.get_by_label("Contract law").check()
    expect(page.locator(".count")).to_have_text("1 plugin")
    assert cards(page) == ["NDA review"]
    assert asked(page)["domain"] == ["Contract law"]
    expect(page.get_by_label("Contract law")).to_be_focused()
    page.get_by_role("link", name="Contract law remove").click()
    expect(page.locator(".count")).to_have_text("3 plugins")
    page.go_back()
    expect(page.locator(".count")).to_have_text("1 plugin")
    expect(page.get_by_label("Contract law")).to_be_checked()


def test_the_order_acts_at_once(page: Page, shelf: None) -> None:
    page.goto("/marketplace")
    page.get_by_label("Sort by").select_option("name")
    expect(page.locator(".entry h3").last).to_have_text("Steel joints")
    assert cards(page) == ["Concrete cover", "NDA review", "Steel joints"]


def test_without_scripts_the_button_applies_filters_and_search_together(without_scripts: Page, shelf: None) -> None:
    page = without_scripts
    page.goto("/marketplace")
    page.get_by_label("Search plugins").fill("cover")
    page.get_by_label("Structures").check()
    page.get_by_role("button", name="Apply the filters").click()
    assert cards(page) == ["Concrete cover"]
    assert (asked(page)["q"], asked(page)["domain"]) == (["cover"], ["Structures"])


def test_on_a_phone_filters_unfold(page: Page, shelf: None) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/marketplace")
    expect(page.get_by_label("Contract law")).to_be_hidden()
    page.locator(".fold > summary").click()
    page.get_by_label("Contract law").check()
    expect(page.locator(".count")).to_have_text("1 plugin")
    expect(page.get_by_label("Structures")).to_be_visible()  # still open


def test_axe_finds_nothing_serious(page: Page, shelf: None) -> None:
    problems = []
    for path in (
        "/marketplace",
        "/marketplace?q=cover&domain=Structures&sort=name",
        "/marketplace?q=tropical+fish",
    ):
        page.goto(path)
        wait_until_quiet(page)
        problems += serious_in_each_look(page)
    assert problems == []
