"""Dashboard, composer and sharing in a real browser, from an account to a plugin with a colleague."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from marketplace.publishing.membership import join_plugin
from plugins.models import Plugin
from tests.browsers import WIDE_AND_NARROW, each_look, overflow, serious_in_each_look, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_from_an_account_to_a_composed_plugin(page: Page, visitor: User) -> None:
    sign_in(page, visitor)
    page.get_by_role("link", name="For experts").click()
    page.get_by_role("button", name="Create your first plugin").click()
    page.get_by_label("Name").fill("Adult sepsis, first hour")
    page.get_by_label("Domain").fill("emergency medicine")
    expect(page.locator("#draft")).to_contain_text("You are a clinical specialist")
    page.get_by_role("button", name="Create").click()
    page.locator(".hub-tabs").get_by_role("link", name="Persona").click()
    expect(page.locator(".prompt")).to_contain_text("You answer questions about Adult sepsis, first hour.")
    plugin = Plugin.objects.get()
    assert (plugin.owner, plugin.slug) == (visitor, "adult-sepsis-first-hour")
    page.get_by_label("Tone").fill("calm, in few words")
    expect(page.locator(".prompt")).to_contain_text("How you speak: calm, in few words")
    plugin.refresh_from_db()
    assert plugin.tone != "calm, in few words"  # only shown so far
    page.locator("summary", has_text="Citations").click()
    page.get_by_label("Optional. Sentences that nothing proves").check()
    expect(page.locator(".prompt")).to_contain_text("Prefer the numbered sources")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
    plugin.refresh_from_db()
    assert (plugin.tone, plugin.citation_mode) == ("calm, in few words", "optional")


def test_a_colleague_is_invited_and_taken_off(page: Page, alice: User, bob: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "sharing"))
    page.get_by_label("Invite a colleague").fill(bob.email)
    page.get_by_label("As", exact=True).select_option("viewer")
    page.get_by_role("button", name="Invite").click()
    expect(page.locator(".people")).to_contain_text("invited, viewer")
    join_plugin(plugin.invitations.get(), person=bob)
    page.reload()
    page.get_by_role("button", name="Make editor").click()
    expect(page.get_by_role("button", name="Make viewer")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".people")).not_to_contain_text(bob.email)


def test_no_page_of_the_shell_scrolls_sideways(page: Page, alice: User, published: Plugin) -> None:
    published.name = "Boots, " + "a name without end " * 5
    published.save()
    sign_in(page, alice, to=reverse("admin:index"))
    pages = [reverse(f"admin:{name}") for name in ("index", "plugins_plugin_add", "builder_import")]
    pages += [
        reverse("admin:plugins_plugin_changelist"),
        reverse_pane(published, "persona"),
        reverse_pane(published, "sharing"),
    ]
    pages += [reverse(f"admin:plugins_plugin_{name}", args=[published.pk]) for name in ("history", "delete")]
    for address in pages:
        page.goto(address)
        for look in each_look(page, WIDE_AND_NARROW):
            assert overflow(page) <= 0, (address, look)


def test_the_keyboard_reaches_the_content_and_the_sidebar(page: Page, alice: User) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    toggle = page.get_by_role("button", name="Show or hide the sidebar")
    toggle.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#nav-sidebar")).to_be_hidden()


def test_on_a_phone_the_menu_closes_by_its_button_a_tap_beside_it_and_escape(page: Page, alice: User) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(page, alice, to=reverse("admin:index"))
    menu, toggle = page.locator("#nav-sidebar"), page.get_by_role("button", name="Show or hide the sidebar")
    closings = [
        lambda: page.get_by_role("button", name="Close the menu").click(),
        lambda: page.mouse.click(370, 600),
        lambda: page.keyboard.press("Escape"),
    ]
    for close in closings:
        toggle.click()
        expect(page.get_by_role("button", name="Close the menu")).to_be_focused()
        assert serious_in_each_look(page, [(390, "light"), (390, "dark")]) == []
        page.set_viewport_size({"width": 390, "height": 800})
        close()
        expect(menu).to_be_hidden()
    expect(toggle).to_be_focused()


def test_on_a_phone_what_else_a_page_offers_opens_and_closes(page: Page, alice: User, plugin: Plugin) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(page, alice, to=reverse_pane(plugin, "knowledge"))
    more, history = page.get_by_role("button", name="More about this page"), page.get_by_role("link", name="History")
    more.click()
    expect(history).to_be_visible()
    page.keyboard.press("Escape")
    expect(history).to_be_hidden()
    more.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    page.mouse.click(100, 700)
    expect(history).to_be_hidden()
