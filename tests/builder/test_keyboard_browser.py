"""The builder by keyboard: what Ctrl+K reaches, and the list of keys behind the question mark."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.command_search import search_commands
from builder.panes import PANES
from builder.readiness import reverse_pane
from plugins.models import Plugin
from tests.browsers import serious_in_each_look, sign_in
from tests.remembered import remembered

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


def find(page: Page, words: str) -> None:
    """Opens the box with the keyboard, and types."""
    page.locator("body").click(position={"x": 700, "y": 5})
    page.keyboard.press("Control+k")
    box = page.get_by_role("dialog", name="Find a plugin")
    expect(box.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type(words)


def test_the_box_reaches_a_tab_of_a_plugin(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    find(page, "golden struct")
    expect(page.locator("#command-results-list")).to_contain_text("Golden questions")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse_pane(plugin, 'golden')}")


def test_the_box_reaches_an_action_and_nothing_of_others(
    page: Page, alice: User, charlie: User, plugin: Plugin
) -> None:
    charlie.is_staff = True
    charlie.save()
    sign_in(page, charlie, to=reverse("admin:index"))
    find(page, "new plugin")
    expect(page.locator("#command-results-list")).to_contain_text("New plugin")
    expect(page.locator("#command-results-list")).not_to_contain_text("Structures")


def test_the_box_reaches_publishing(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    find(page, "publish struct")
    expect(page.locator("#command-results-list")).to_contain_text("Publish")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('admin:builder_publish', args=[plugin.pk])}")


def test_who_may_only_look_is_not_led_to_publishing(rf: RequestFactory, bob: User, plugin: Plugin) -> None:
    plugin.viewers.add(bob)
    request: Any = rf.get("/")
    request.user = bob
    assert [found.title for found in search_commands(request, "structures")] == list(PANES.values())
    plugin.editors.add(bob)
    assert "Publish" in [found.title for found in search_commands(request, "structures")]


def test_the_question_mark_lists_all_keys_and_leaves_text_fields_alone(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    field = page.locator("#id_name")
    field.focus()
    page.keyboard.type("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_be_hidden()
    expect(field).to_have_value("?Structures")
    field.blur()
    page.keyboard.press("?")
    expect(keys).to_contain_text("Find a plugin, a tab, a document or an action")
    assert not serious_in_each_look(page)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_the_single_key_can_be_switched_off(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    keys.get_by_role("checkbox").uncheck()
    keys.get_by_role("button", name="Close").click()
    page.keyboard.press("?")
    expect(keys).to_be_hidden()
    find(page, "keyboard")
    expect(page.locator("#command-results-list")).to_contain_text("Keyboard shortcuts")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(keys).to_be_visible()
    expect(page.get_by_role("dialog", name="Find a plugin")).to_be_hidden()
