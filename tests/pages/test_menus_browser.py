"""The menus beside a person's own pages are one row on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from accounts.models import User
from tests.browsers import overflow, sign_in, violations_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("address", ["/accounts/sessions/", "/settings", "/chats"])
def test_a_menu_is_one_row_on_a_phone_with_the_open_page_in_sight(page: Page, alice: User, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(page, alice, to=address)
    row = page.locator(".menu-row")
    tops = row.locator("a").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    here = row.locator("[aria-current]").bounding_box()
    assert here
    assert here["x"] >= 0
    assert here["x"] + here["width"] <= 390
    assert overflow(page) == 0
    assert violations_in_each_look(page, [(390, "light"), (390, "dark")]) == []
