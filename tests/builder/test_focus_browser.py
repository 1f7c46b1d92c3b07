"""Where the keyboard goes on in the builder: past the menu, into what opens, and back when it closes or is redrawn."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import WIDE_AND_NARROW, sign_in, violations_in_each_look
from tests.cover import give_document

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What lies on top where the middle of the focused element is.
ON_TOP = """() => {
  const at = document.activeElement, { left, right, top, bottom } = at.getBoundingClientRect();
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return found === at || at.contains(found);
}"""


def press_tab_to(page: Page, name: str, *, most: int = 90) -> None:
    """Nothing but the Tab key, until the control of this name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if name in page.evaluate("document.activeElement === document.body ? '' : document.activeElement.textContent"):
            return
    raise AssertionError(f"the keyboard does not reach “{name}”")


def test_a_new_plugin_without_its_field_leads_to_the_field_that_is_missing(page: Page, alice: User) -> None:
    sign_in(page, alice, to=reverse("admin:plugins_plugin_add"))
    expect(page.get_by_label("Name")).to_be_focused()
    page.get_by_label("Name").fill("Boots")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("This field is required.")).to_be_visible()
    expect(page.get_by_label("Domain")).to_be_focused()


def test_what_somebody_else_changed_meanwhile_is_said_where_one_looks(page: Page, alice: User, plugin: Plugin) -> None:
    document = give_document(plugin, title="Handbook", text="# Boots\n\nBoots are worn on site.\n" * 40)
    sign_in(page, alice, to=reverse("admin:builder_knowledge_document", args=[plugin.pk, document.pk]))
    Document.objects.filter(pk=document.pk).update(title="Handbook of theirs")
    page.get_by_label("Title").fill("Handbook of mine")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("This was changed after you had opened it")).to_be_in_viewport()
    expect(page.get_by_label("Title")).to_have_value("Handbook of mine")


def test_what_is_said_keeps_the_focus_while_the_page_goes_on_changing(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "knowledge"))
    page.locator("summary", has_text="Paste text").click()
    page.get_by_label("Title", exact=True).fill("Boots")
    page.get_by_label("Text", exact=True).fill("Boots are worn on site.")
    page.get_by_role("button", name="Add the text").click()
    said = page.locator(".messages")
    expect(said).to_be_focused()
    page.evaluate("document.querySelector('main').append(document.createElement('p'))")
    expect(said).to_be_focused()


def test_the_way_past_the_menu_can_be_seen(page: Page, alice: User) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    assert page.evaluate(ON_TOP)


def test_the_menu_of_the_account_opens_closes_and_signs_out_by_keyboard(page: Page, alice: User) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    press_tab_to(page, alice.email)
    opener = page.locator("[aria-controls=user-links]")
    page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    assert violations_in_each_look(page, [(1440, "light"), (1440, "dark")]) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("html.dark")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    expect(page.locator("#user-links")).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.locator("#user-links")).to_be_visible()
    press_tab_to(page, "logout")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="You have signed out.").wait_for()
    assert violations_in_each_look(page, WIDE_AND_NARROW) == []
    page.goto(reverse("admin:index"))
    page.wait_for_url("**/login/**")


def test_the_menu_of_a_phone_is_closed_by_keyboard(page: Page, alice: User) -> None:
    sign_in(page, alice, to=reverse("admin:index"))
    page.set_viewport_size({"width": 390, "height": 900})
    toggle = page.locator(".lx-where").get_by_role("button", name="Show or hide the sidebar")
    toggle.focus()
    page.keyboard.press("Enter")
    close = page.get_by_role("button", name="Close the menu")
    close.focus()
    page.keyboard.press("Enter")
    expect(close).to_be_hidden()
    expect(toggle).to_be_focused()


def test_the_search_box_holds_the_focus_reads_out_what_it_finds_and_gives_the_focus_back(
    page: Page, alice: User, plugin: Plugin
) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "golden"))
    link = page.get_by_role("link", name="Import a list", exact=True)
    link.focus()
    page.keyboard.press("Control+k")
    box = page.get_by_role("dialog", name="Find a plugin")
    expect(box.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("golden boots")
    said = box.get_by_role("status")
    expect(said).to_have_text("2 found")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text("Golden questions, Boots, 1 of 2")
    for _ in range(9):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !document.activeElement.closest('#page')")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(link).to_be_focused()


def test_pictures_of_the_theme_are_no_part_of_a_name(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "golden"))
    expect(page.get_by_role("link", name="Dashboard", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="History", exact=True)).to_be_visible()


def test_nothing_that_has_the_focus_lies_under_the_bar_at_the_foot(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_tagline").focus()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('summary')"):
            assert page.evaluate(ON_TOP)


def test_a_form_that_is_wrong_begins_at_what_is_wrong(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_name").fill("")
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(page.locator("#id_name[aria-invalid=true]")).to_be_focused()


def test_a_page_that_says_what_was_done_begins_there(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    said = page.locator(".messages[role=status]")
    expect(said).to_contain_text("Draft saved.")
    expect(said).to_be_focused()


def test_pages_for_one_form_begin_in_it(page: Page, alice: User, plugin: Plugin, complaints: list[str]) -> None:
    sign_in(page, alice, to=reverse("admin:builder_golden_add", args=[plugin.pk]))
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.goto(reverse("admin:builder_golden_import", args=[plugin.pk]))
    expect(page.get_by_label("Or paste here")).to_be_focused()
    page.goto(reverse_pane(plugin, "sandbox"))
    expect(page.get_by_label("Your question")).to_be_focused()
    page.goto(reverse("admin:builder_golden_add", args=[plugin.pk]))
    page.get_by_label("Question", exact=True).fill("Which boots?")
    page.get_by_label("Facts").fill("no equals sign")
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(page.get_by_label("Facts")).to_be_focused()
    assert ["422" in said for said in complaints] == [True]
    complaints.clear()


def test_a_list_that_is_fetched_anew_keeps_the_focus_on_its_line(page: Page, alice: User, plugin: Plugin) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="Which boots?")
    GoldenQuestion.objects.create(plugin=plugin, question="Which gloves?")
    sign_in(page, alice, to=reverse_pane(plugin, "golden"))
    page.get_by_role("link", name="Which gloves?", exact=True).focus()
    page.evaluate("() => { const all = document.getElementById('golden-all'); all.outerHTML = all.outerHTML; }")
    expect(page.get_by_role("link", name="Which gloves?", exact=True)).to_be_focused()
    page.evaluate("document.activeElement.closest('li').remove()")
    expect(page.get_by_role("link", name="Ask it in the sandbox: Which boots?")).to_be_focused()


def test_a_form_below_a_topic_closes_with_escape_and_gives_the_focus_back(
    page: Page, alice: User, published: Plugin
) -> None:
    Query.objects.create(plugin=published, release_name="boots@1.0.0", question="Gloves?", outcome="refused")
    sign_in(page, alice, to=reverse_pane(published, "inbox"))
    opener = page.get_by_role("link", name="Golden question from: Gloves?")
    for way_out in ("Escape", "Cancel"):
        opener.press("Enter")
        expect(page.get_by_label("Question", exact=True).last).to_be_focused()
        if way_out == "Escape":
            page.keyboard.press("Escape")
        else:
            page.get_by_role("link", name="Cancel").press("Enter")
        expect(page.get_by_role("link", name="Cancel")).to_have_count(0)
        expect(opener).to_be_focused()


def test_the_first_release_says_that_nothing_is_chosen_yet_until_it_is(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:builder_publish", args=[plugin.pk]))
    unchosen = page.locator(".audience-unchosen")
    expect(unchosen.first).to_be_visible()
    expect(unchosen.last).to_be_visible()
    extras = page.get_by_role("group", name="With a public page")
    expect(extras).to_be_hidden()
    assert violations_in_each_look(page, WIDE_AND_NARROW) == []
    page.get_by_role("radio", name="People and teams").focus()
    page.keyboard.press("Space")
    expect(unchosen.first).to_be_hidden()
    expect(unchosen.last).to_be_hidden()
    expect(extras).to_be_hidden()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Unlisted page")).to_be_checked()
    expect(extras).to_be_visible()
    assert violations_in_each_look(page, WIDE_AND_NARROW) == []
