"""Documents that are picked for a golden question instead of typed."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from plugins.models import Plugin
from tests.browsers import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_what_is_added_is_read_out(page: Page, alice: User, published: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:builder_golden_add", args=[published.pk]))
    title = page.locator("[data-title]").input_value()
    said = page.locator("[data-place-picker] [role=status]")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(said).to_have_text(f"Added {title}.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(said).to_have_text(f"{title} is in the list already.")
    expect(page.locator("[name=places]")).to_have_value(title)
