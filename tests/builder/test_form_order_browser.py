"""The theme's own parts, put right: the order of a form's buttons, and the headings of the filters."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from plugins.models import Plugin
from tests.browsers import WIDE_AND_NARROW, each_look, sign_in, violations_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PLACES = """all => all.map((one) => one.getBoundingClientRect()).map(({ left, top }) => [Math.round(top / 20), left])"""


def test_buttons_stand_in_the_order_in_which_the_keyboard_reaches_them(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    buttons = page.locator("#submit-row :is(a, button)")
    assert buttons.count() >= 2
    for _ in each_look(page, WIDE_AND_NARROW):
        places = buttons.evaluate_all(PLACES)
        assert places == sorted(places)


def test_saving_stays_in_sight_of_what_is_edited(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    for _ in each_look(page, WIDE_AND_NARROW):
        page.locator("#id_system_prompt").focus()
        expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("name", ["accounts/user", "querying/query", "knowledge/document", "audit/auditentry"])
def test_axe_finds_nothing_in_the_filters_of_a_list(page: Page, alice: User, published: Plugin, name: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    sign_in(page, alice, to=f"/admin/{name}/")
    problems = violations_in_each_look(page, WIDE_AND_NARROW)
    page.set_viewport_size({"width": 1200, "height": 900})
    page.locator("a, button").filter(visible=True).and_(page.locator("[x-on\\:click*='filterOpen']")).first.click()
    page.locator("#changelist-filter h2").first.wait_for()
    problems += violations_in_each_look(page, WIDE_AND_NARROW)
    assert sorted(set(problems)) == []
