"""Signed out while writing: after the sign-in the page of the form comes back, and with it what was typed."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from plugins.models import Plugin, Release
from querying.models import Query
from tests.browsers import PASSWORD, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NOT_SAVED = "You were signed out before this was saved."


def sign_out_unseen(page: Page) -> None:
    """As a session that has ended: the page does not know it yet."""
    page.context.clear_cookies(name="sessionid")


def sign_in_again(page: Page, user: User) -> None:
    page.wait_for_url("**/accounts/login/**")
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_persona_is_put_back_and_can_be_saved(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_audience").fill("Masons of the north hall")
    sign_out_unseen(page)
    page.get_by_role("button", name="Save", exact=True).click()
    sign_in_again(page, alice)
    expect(page.get_by_role("alert").filter(has_text=NOT_SAVED)).to_be_visible()
    expect(page.locator("#id_audience")).to_have_value("Masons of the north hall")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Draft saved.")).to_be_visible()
    expect(page.get_by_text(NOT_SAVED)).to_have_count(0)
    plugin.refresh_from_db()
    assert plugin.audience == "Masons of the north hall"


def test_reply_comes_back_to_its_topic_and_to_no_page_that_only_takes_forms(
    page: Page, alice: User, published: Plugin
) -> None:
    for question in ("May dogs come in?", "Who pays for the boots?"):
        Query.objects.create(
            plugin=published,
            release=Release.objects.get(),
            release_name="boots@1.0.0",
            question=question,
            outcome="refused",
        )
    sign_in(page, alice, to=reverse_pane(published, "inbox"))
    reply = page.locator("form.inbox-reply", has=page.locator('input[value="May dogs come in?"]'))
    reply.evaluate("form => { form.closest('details').open = true }")
    reply.locator("textarea").fill("Dogs stay outside.")
    sign_out_unseen(page)
    reply.get_by_role("button", name="Save and ask again").click()
    sign_in_again(page, alice)
    expect(reply.get_by_role("alert")).to_contain_text(NOT_SAVED)
    expect(reply.locator("textarea")).to_have_value("Dogs stay outside.")
    expect(page.locator("form.inbox-reply textarea").filter(has_text="Dogs")).to_have_count(0)
    assert [one.input_value() for one in page.locator("form.inbox-reply textarea").all()].count("") == 1


def test_notes_come_back_below_another_form_of_their_page(page: Page, alice: User, published: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:builder_release", args=[published.pk, Release.objects.get().pk]))
    page.locator("#id_notes").fill("Boots are kept dry.")
    sign_out_unseen(page)
    page.get_by_role("button", name="Save the notes").click()
    sign_in_again(page, alice)
    expect(page.get_by_role("alert").filter(has_text=NOT_SAVED)).to_be_visible()
    expect(page.locator("#id_notes")).to_have_value("Boots are kept dry.")


def sign_in_in_another_tab(page: Page, user: User) -> None:
    """By hand, for that gives the browser another token for its forms."""
    other = page.context.new_page()
    other.goto(reverse("account_login"))
    other.get_by_label("Email").fill(user.email)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in", exact=True).click()
    other.wait_for_url(lambda url: "login" not in url)
    other.close()


def test_who_signed_in_again_in_another_tab_is_led_back_to_the_form_with_what_was_typed(
    page: Page, alice: User, plugin: Plugin, complaints: list[str]
) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    # What the page asks for by itself while nobody is signed in would bring the form's own token back.
    page.route("**/*", lambda one: one.abort() if one.request.resource_type in ("xhr", "fetch") else one.continue_())
    page.locator("#id_audience").fill("Masons of the north hall")
    sign_out_unseen(page)
    sign_in_in_another_tab(page, alice)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Back to the form").click()
    expect(page.get_by_role("alert").filter(has_text=NOT_SAVED)).to_be_visible()
    expect(page.locator("#id_audience")).to_have_value("Masons of the north hall")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Draft saved.")).to_be_visible()
    complaints.clear()  # of the browser, about the form that was refused


def test_a_form_that_htmx_has_loaded_is_sent_again_after_a_sign_in_in_another_tab(
    page: Page, alice: User, published: Plugin
) -> None:
    Query.objects.create(
        plugin=published,
        release=Release.objects.get(),
        release_name="boots@1.0.0",
        question="May dogs come in?",
        outcome="refused",
    )
    sign_in(page, alice, to=reverse_pane(published, "inbox"))
    page.get_by_role("link", name="Golden question from: May dogs come in?").click()
    form = page.locator("form.remark")
    form.get_by_label("Question").fill("May a dog come in?")
    sign_out_unseen(page)
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("You are signed out.")
    sign_in_in_another_tab(page, alice)
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert published.golden_questions.get().question == "May a dog come in?"


def test_who_had_chosen_a_file_is_told_to_choose_it_again(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "trees"))
    page.locator("#tree-file").set_input_files({"name": "tree.json", "mimeType": "application/json", "buffer": b"{}"})
    sign_out_unseen(page)
    page.get_by_role("button", name="Import").click()
    sign_in_again(page, alice)
    form = page.locator("form", has=page.locator("#tree-file"))
    expect(form.get_by_role("alert")).to_contain_text("Choose the file again: tree.json")


def test_another_account_does_not_get_it(page: Page, alice: User, bob: User, plugin: Plugin) -> None:
    plugin.editors.add(bob)
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_audience").fill("Masons of the north hall")
    sign_out_unseen(page)
    page.get_by_role("button", name="Save", exact=True).click()
    sign_in_again(page, bob)
    page.wait_for_url(f"**{reverse_pane(plugin, 'persona')}")
    page.wait_for_load_state("load")
    expect(page.locator("#id_audience")).not_to_have_value("Masons of the north hall")
    assert page.evaluate("sessionStorage.length") == 0


def test_what_was_saved_is_not_kept(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_audience").fill("Masons of the north hall")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Draft saved.")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_report_is_not_kept_once_it_was_sent_signed_in_or_not(page: Page, bob: User, published: Plugin) -> None:
    Plugin.objects.filter(pk=published.pk).update(is_published=True)
    for person in (None, bob):
        form = reverse("report_plugin", args=[published.slug])
        if person:
            sign_in(page, person, to=form)
        else:
            page.goto(form)
        page.get_by_role("radio").first.check()
        page.get_by_role("textbox").fill("It copies our handbook.")
        page.get_by_role("button", name="Report it").click()
        expect(page.get_by_text("The operators of this site will look at it.")).to_be_visible()
        page.wait_for_load_state("load")
        assert page.evaluate("sessionStorage.length") == 0


def test_who_signs_out_leaves_nothing_in_the_browser(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    page.locator("#id_audience").fill("Masons of the north hall")
    sign_out_unseen(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/accounts/login/**")
    sign_in(page, alice, to=reverse("account_logout"))
    page.wait_for_load_state("load")
    assert page.evaluate("sessionStorage.length") == 1, "it waits for the page of the form"
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url(lambda url: "logout" not in url)
    assert page.evaluate("sessionStorage.length") == 0
