"""Reviews and reports in a real browser: without JavaScript, and in front of axe."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page

from accounts.models import User
from builder.readiness import reverse_pane
from marketplace.models import Report, Review
from plugins.models import Plugin
from tests.browsers import PASSWORD, serious_in_each_look, sign_in, wait_until_quiet
from tests.marketplace.reviews.conftest import ask, people, plugin, reviewed

__all__ = ["plugin"]  # fixtures of theirs that are used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_review_a_reply_and_a_report_need_no_script(
    browser: Browser, live_server: Any, plugin: Plugin, visitor: User, alice: User
) -> None:
    ask(plugin, visitor)
    page = browser.new_context(base_url=live_server.url, java_script_enabled=False).new_page()
    sign_in(page, visitor, to="/marketplace/boots")
    page.get_by_role("link", name="Write a review").click()
    page.get_by_label("Used with care").check()
    page.get_by_label("What should others know?").fill("It says when it does not know.")
    page.get_by_role("button", name="Publish the review").click()
    page.get_by_text("It says when it does not know.").wait_for()
    sign_in(page, alice, to="/marketplace/boots")
    page.get_by_role("link", name="Reply to Dora").click()
    page.get_by_label("Your reply").fill("That is what it is for.")
    page.get_by_role("button", name="Publish the reply").click()
    page.get_by_text("That is what it is for.").wait_for()
    page.context.clear_cookies()
    page.goto("/marketplace/boots")
    page.get_by_role("link", name="Report the review by Dora").click()
    page.get_by_label("It is abusive or spam").check()
    page.get_by_role("button", name="Report it").click()
    page.get_by_text("The operators of this site will look at it.").wait_for()
    assert (Review.objects.get().reply, Report.objects.get().reason) == ("That is what it is for.", "abuse")
    page.context.close()


def test_axe_finds_nothing_serious(
    page: Page, plugin: Plugin, visitor: User, alice: User, complaints: list[str]
) -> None:
    ruth = User.objects.create_superuser("ruth@example.org", PASSWORD, display_name="Ruth")
    ask(plugin, visitor)
    review = reviewed(plugin, people(1)[0], text="Long" * 200, reply="Thanks.", replied_at=timezone.now())
    reports = [
        Report.objects.create(plugin=plugin, review=one, reason="other", text="x" * 300) for one in (None, review)
    ]
    of_review = f"/marketplace/boots/reviews/{review.pk}"
    found: list[Any] = []
    for person, addresses in (
        (visitor, ["/marketplace/boots#reviews", "/marketplace/boots/review", f"{of_review}/report"]),
        (alice, [f"{of_review}/reply", "/marketplace/boots/review", reverse_pane(plugin, "reviews")]),
        (ruth, ["/admin/marketplace/report/", *(f"/admin/marketplace/report/{one.pk}/change/" for one in reports)]),
    ):
        sign_in(page, person)
        for address in addresses:
            page.goto(address)
            wait_until_quiet(page)
            found += serious_in_each_look(page)
    assert found == []
    complaints[:] = [said for said in complaints if "403" not in said]  # nobody reviews a plugin of their own
